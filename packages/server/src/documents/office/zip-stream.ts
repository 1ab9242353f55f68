/** Unpacks one part of a zip archive piece by piece, so that a part may be much larger than the memory. */
import { Inflate } from 'fflate';
import { SourceError } from '../../errors.ts';
import { DEFLATED, packedBytes, STORED, type ZipEntry } from '../archive/zip-directory.ts';
import { brokenArchive, type PartArchive } from './parts.ts';

/** A piece unpacks to no more than about a thousand times this size. */
const PIECE_BYTES = 4096;
const MB = 1024 * 1024;
/** All parts of a document together may unpack to this size. */
const MAX_UNPACKED_MB = 1024;

export interface ZipStream {
  /** Returns the pieces of a part, or undefined when it is missing. The pieces throw a SourceError 'skip'. */
  part(name: string): Iterable<Uint8Array> | undefined;
}

export function openZipStream(
  { what, archive, entries: all }: PartArchive,
  maxMb = MAX_UNPACKED_MB,
): ZipStream {
  const entries = new Map(all.map((entry) => [entry.path, entry]));
  let unpacked = 0;

  function* piecesOf(entry: ZipEntry): Generator<Uint8Array> {
    if (entry.method !== STORED && entry.method !== DEFLATED) throw brokenArchive(what);
    const content = packedBytes(archive, entry);
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
