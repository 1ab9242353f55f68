/**
 * Unpacks one part of a zip archive piece by piece (APPNOTE 6.3.10, section 4.3), so that a part may be much larger
 * than the memory. The directory at the end of the archive says where the part is.
 */
import { Inflate } from 'fflate';
import { SourceError } from '../../errors.ts';
import { brokenArchive } from '../archive-parts.ts';

const END_BYTES = 22;
const LONGEST_COMMENT = 0xffff;
const END = 0x06054b50;
const END_64_LOCATOR = 0x07064b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
/** In the place of a 32-bit number, this says that the number stands in a field with 64 bits. */
const IN_64_BITS = 0xffffffff;
const STORED = 0;
const DEFLATED = 8;
/** A piece unpacks to no more than about a thousand times this size. */
const PIECE_BYTES = 4096;
const MB = 1024 * 1024;
/** All parts of a document together may unpack to this size. */
const MAX_UNPACKED_MB = 1024;

export interface ZipStream {
  /** Returns the pieces of a part, or undefined when it is missing. The pieces throw a SourceError 'skip'. */
  part(name: string): Iterable<Uint8Array> | undefined;
  readonly names: Iterable<string>;
}

interface ZipEntry {
  readonly method: number;
  readonly packedBytes: number;
  readonly offset: number;
}

/** `what` names the document in messages. Throws a SourceError 'skip'. */
export function openZipStream(bytes: Uint8Array, what: string, maxMb = MAX_UNPACKED_MB): ZipStream {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = readDirectory(bytes, view, what);
  let unpacked = 0;

  function packed({ offset, packedBytes }: ZipEntry): Uint8Array {
    const names = numbersIn(what, () => {
      if (view.getUint32(offset, true) !== LOCAL) throw brokenArchive(what);
      return view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
    });
    const start = offset + 30 + names;
    if (start + packedBytes > bytes.length) throw brokenArchive(what);
    return bytes.subarray(start, start + packedBytes);
  }

  function* piecesOf(entry: ZipEntry): Generator<Uint8Array> {
    if (entry.method !== STORED && entry.method !== DEFLATED) throw brokenArchive(what);
    const content = packed(entry);
    for (const piece of entry.method === STORED ? slices(content) : inflated(content, what)) {
      unpacked += piece.length;
      if (unpacked > maxMb * MB)
        throw new SourceError('skip', `the ${what} unpacks to more than ${maxMb} MB`, {
          hint: 'Split it into smaller documents.',
        });
      yield piece;
    }
  }

  return {
    part(name) {
      const entry = entries.get(name);
      return entry && piecesOf(entry);
    },
    names: entries.keys(),
  };
}

export function* slices(bytes: Uint8Array, size = PIECE_BYTES): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function* inflated(bytes: Uint8Array, what: string): Generator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  const inflate = new Inflate((piece) => {
    if (piece.length > 0) pieces.push(piece);
  });
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    try {
      inflate.push(bytes.subarray(at, at + PIECE_BYTES), at + PIECE_BYTES >= bytes.length);
    } catch (error) {
      throw brokenArchive(what, error);
    }
    yield* pieces;
    pieces = [];
  }
}

function readDirectory(bytes: Uint8Array, view: DataView, what: string): Map<string, ZipEntry> {
  return numbersIn(what, () => {
    const entries = new Map<string, ZipEntry>();
    for (let at = directoryOffset(view, what); view.getUint32(at, true) === ENTRY; ) {
      const nameBytes = view.getUint16(at + 28, true);
      const extraBytes = view.getUint16(at + 30, true);
      const name = Buffer.from(bytes.subarray(at + 46, at + 46 + nameBytes)).toString('utf8');
      entries.set(name, entryAt(view, at, at + 46 + nameBytes + extraBytes));
      at += 46 + nameBytes + extraBytes + view.getUint16(at + 32, true);
    }
    return entries;
  });
}

/** A comment may contain anything, so the end of the archive is where a directory belongs to it. */
function directoryOffset(view: DataView, what: string): number {
  const last = view.byteLength - END_BYTES;
  for (let at = last; at >= Math.max(0, last - LONGEST_COMMENT); at--) {
    if (view.getUint32(at, true) !== END) continue;
    const offset = directoryAt(view, at);
    if (offset + 4 <= at && view.getUint32(offset, true) === ENTRY) return offset;
  }
  throw brokenArchive(what);
}

function directoryAt(view: DataView, end: number): number {
  const has64 = end >= 20 && view.getUint32(end - 20, true) === END_64_LOCATOR;
  const end64 = has64 ? number64(view, end - 12) : 0;
  return has64 && end64 + 56 <= end ? number64(view, end64 + 48) : view.getUint32(end + 16, true);
}

/** `end` is the offset at which the extra fields of the entry end. */
function entryAt(view: DataView, at: number, end: number): ZipEntry {
  const size = view.getUint32(at + 24, true);
  let packedBytes = view.getUint32(at + 20, true);
  let offset = view.getUint32(at + 42, true);
  let field = at + 46 + view.getUint16(at + 28, true);
  while (field + 4 <= end && view.getUint16(field, true) !== 1)
    field += 4 + view.getUint16(field + 2, true);
  if (field + 4 <= end) {
    // Only the numbers that do not fit are there, in this order.
    let next = field + 4 + (size === IN_64_BITS ? 8 : 0);
    if (packedBytes === IN_64_BITS) {
      packedBytes = number64(view, next);
      next += 8;
    }
    if (offset === IN_64_BITS) offset = number64(view, next);
  }
  return { method: view.getUint16(at + 10, true), packedBytes, offset };
}

const number64 = (view: DataView, at: number): number => Number(view.getBigUint64(at, true));

/** A number that lies outside of the file makes the archive a broken one. */
function numbersIn<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw brokenArchive(what, error);
    throw error;
  }
}
