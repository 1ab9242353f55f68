/**
 * Reads the directory of a zip archive (APPNOTE.TXT of PKWARE, version 6.3.10). The directory at the end of the archive
 * counts: what the headers in front of the files say is not used, except where a file begins.
 */
import type { SourceError } from '../../errors.ts';
import { decodeName, unicodePath } from './file-names.ts';

const END = 0x06054b50;
const END_BYTES = 22;
const LONGEST_COMMENT = 0xffff;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const LOCATOR_64_BYTES = 20;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;

const UTF8 = 0x800;
const ZIP64_FIELD = 1;
const UNICODE_PATH_FIELD = 0x7075;
/** The upper half of the attributes is a mode of Unix when a program on Unix or macOS made the entry. */
const UNIX: ReadonlySet<number> = new Set([3, 19]);
const FILE_TYPE = 0xf000;
const REGULAR = 0x8000;

export const STORED = 0;
export const DEFLATED = 8;

interface ZipDirectory {
  readonly entries: number;
  readonly start: number;
  readonly end: number;
  /** All offsets are too small by this number when something stands in front of the archive, such as a program. */
  readonly shift: number;
}

export interface ZipEntry {
  readonly path: string;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly start: number;
  readonly isFile: boolean;
}

/** These errors are about the document that the archive is. */
export interface ZipRules {
  readonly broken: (cause?: unknown) => SourceError;
  /** An archive may have this many entries. */
  readonly most: number;
  readonly tooMany: () => SourceError;
}

const NO_ZIP = 'this is no zip archive';

/** Returns the entries in the order of the directory. Throws the errors of the rules. */
export function zipEntries(archive: Buffer, rules: ZipRules): ZipEntry[] {
  try {
    const entries = entriesOf(archive, rules);
    refuseOverlaps(archive, entries);
    return entries;
  } catch (error) {
    // Reading behind the end of the buffer means that an offset is wrong.
    if (error instanceof RangeError) throw rules.broken(error);
    throw error;
  }
}

/** Returns the packed bytes of an entry of `zipEntries`. */
export function packedBytes(archive: Buffer, entry: ZipEntry): Buffer {
  const start = contentStart(archive, entry);
  return archive.subarray(start, start + entry.packed);
}

function directoryOf(archive: Buffer): ZipDirectory {
  const at = endOfDirectory(archive);
  const locator = at - LOCATOR_64_BYTES;
  const isZip64 = locator >= 0 && archive.readUInt32LE(locator) === LOCATOR_64;
  if (!isZip64) {
    const bytes = archive.readUInt32LE(at + 12);
    const start = at - bytes;
    const shift = start - archive.readUInt32LE(at + 16);
    return { entries: archive.readUInt16LE(at + 10), start, end: at, shift };
  }
  const end = integer(archive, locator + 8);
  if (archive.readUInt32LE(end) !== END_64) throw new RangeError(NO_ZIP);
  const start = integer(archive, end + 48);
  return { entries: integer(archive, end + 32), start, end, shift: 0 };
}

/** The end of the directory stands at the end of the archive, before a comment. */
function endOfDirectory(archive: Buffer): number {
  const first = Math.max(0, archive.length - END_BYTES - LONGEST_COMMENT);
  for (let at = archive.length - END_BYTES; at >= first; at--)
    if (
      archive.readUInt32LE(at) === END &&
      at + END_BYTES + archive.readUInt16LE(at + 20) <= archive.length
    )
      return at;
  throw new RangeError(NO_ZIP);
}

function entriesOf(archive: Buffer, { most, tooMany }: ZipRules): ZipEntry[] {
  const { entries, start, end, shift } = directoryOf(archive);
  if (entries > most) throw tooMany();
  const found: ZipEntry[] = [];
  let at = start;
  for (let i = 0; i < entries; i++) {
    if (at + ENTRY_BYTES > end || archive.readUInt32LE(at) !== ENTRY) throw new RangeError(NO_ZIP);
    const nameBytes = archive.readUInt16LE(at + 28);
    const extraBytes = archive.readUInt16LE(at + 30);
    const next = at + ENTRY_BYTES + nameBytes + extraBytes + archive.readUInt16LE(at + 32);
    if (next > end) throw new RangeError(NO_ZIP);
    found.push(entryAt(archive, at, shift));
    at = next;
  }
  return found;
}

function entryAt(archive: Buffer, at: number, shift: number): ZipEntry {
  const flags = archive.readUInt16LE(at + 8);
  const afterName = at + ENTRY_BYTES + archive.readUInt16LE(at + 28);
  const name = archive.subarray(at + ENTRY_BYTES, afterName);
  const fields = fieldsOf(archive.subarray(afterName, afterName + archive.readUInt16LE(at + 30)));
  const unicode = fields.get(UNICODE_PATH_FIELD);
  const path =
    (flags & UTF8) !== 0
      ? new TextDecoder().decode(name)
      : ((unicode && unicodePath(unicode, name)) ?? decodeName(name, 'cp437'));
  const [size = 0, packed = 0, start = 0] = longNumbers(fields.get(ZIP64_FIELD), [
    archive.readUInt32LE(at + 24),
    archive.readUInt32LE(at + 20),
    archive.readUInt32LE(at + 42),
  ]);
  const type = UNIX.has(archive.readUInt8(at + 5))
    ? (archive.readUInt32LE(at + 38) >>> 16) & FILE_TYPE
    : 0;
  return {
    path,
    flags,
    method: archive.readUInt16LE(at + 10),
    crc: archive.readUInt32LE(at + 16),
    packed,
    size,
    start: start + shift,
    isFile: (type === 0 || type === REGULAR) && !/[/\\]$/.test(path),
  };
}

function fieldsOf(extra: Buffer): Map<number, Buffer> {
  const fields = new Map<number, Buffer>();
  for (let at = 0; at + 4 <= extra.length; ) {
    const end = at + 4 + extra.readUInt16LE(at + 2);
    fields.set(extra.readUInt16LE(at), extra.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

/** The zip64 field has only the numbers that do not fit into 32 bits, in this order. */
function longNumbers(field: Buffer | undefined, numbers: readonly number[]): number[] {
  let at = 0;
  return numbers.map((number) => {
    if (number !== 0xffffffff || field === undefined) return number;
    at += 8;
    return integer(field, at - 8);
  });
}

function integer(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64LE(at);
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError(NO_ZIP);
  return Number(value);
}

/** Returns where the packed bytes of a file begin. */
function contentStart(archive: Buffer, { start }: ZipEntry): number {
  if (archive.readUInt32LE(start) !== LOCAL) throw new RangeError(NO_ZIP);
  return start + LOCAL_BYTES + archive.readUInt16LE(start + 26) + archive.readUInt16LE(start + 28);
}

/** Some archives are made to unpack the same bytes thousands of times (https://www.bamsoftware.com/hacks/zipbomb/). */
function refuseOverlaps(archive: Buffer, entries: readonly ZipEntry[]): void {
  let end = 0;
  for (const entry of entries.toSorted((a, b) => a.start - b.start)) {
    if (entry.start < end) throw new RangeError(NO_ZIP);
    end = contentStart(archive, entry) + entry.packed;
    if (end > archive.length) throw new RangeError(NO_ZIP);
  }
}
