/**
 * Unpacks the parts of a document that is a zip archive, such as a DOCX. A small archive can unpack to gigabytes, and
 * the sizes that it declares can be false. So only the parts that are wanted are unpacked, each to no more than its
 * declared size, and all of them to no more than a limit.
 */
import { inflateRawSync } from 'node:zlib';
import { SourceError } from '../../errors.ts';
import {
  DEFLATED,
  packedBytes,
  STORED,
  type ZipEntry,
  zipEntries,
} from '../archive/zip-directory.ts';

const MAX_ENTRIES = 10_000;
const MAX_BYTES = 100 * 1024 * 1024;
const COMPOUND_FILE = 'd0cf11e0a1b11ae1';

export interface PartsWanted {
  /** This names the document in messages, such as `DOCX`. */
  readonly what: string;
  /** Returns true for a part that is to be unpacked. */
  readonly isWanted: (name: string) => boolean;
  /** Some programs store protected documents of the new formats in a file of the old format. */
  readonly oldFormat?: string;
}

/** Returns the parts by their names. Throws a SourceError 'skip'. */
export function unpackParts(
  bytes: Uint8Array,
  { what, isWanted, oldFormat }: PartsWanted,
): Record<string, Uint8Array> {
  if (Buffer.from(bytes.subarray(0, 8)).toString('hex') === COMPOUND_FILE)
    throw new SourceError(
      'skip',
      `the ${what} is protected by a password${oldFormat ? ` or in the old ${oldFormat} format` : ''}`,
      { hint: `Store a copy as ${what} without the password.` },
    );
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const wanted = partEntries(archive, what).filter(({ path }) => isWanted(path));
  const total = wanted.reduce((sum, { size, packed }) => sum + Math.max(size, packed), 0);
  if (total > MAX_BYTES) throw unpacksTooMuch(what, `more than ${MAX_BYTES / 1024 / 1024} MB`);
  return Object.fromEntries(wanted.map((entry) => [entry.path, unpack(archive, entry, what)]));
}

/** Returns the entries of the parts. `what` names the document in messages. Throws a SourceError 'skip'. */
export const partEntries = (archive: Buffer, what: string): ZipEntry[] =>
  zipEntries(archive, {
    broken: (cause) => brokenArchive(what, cause),
    most: MAX_ENTRIES,
    tooMany: () => unpacksTooMuch(what, `more than ${MAX_ENTRIES} parts`),
  });

function unpack(archive: Buffer, entry: ZipEntry, what: string): Uint8Array {
  const content = packedBytes(archive, entry);
  if (entry.method === STORED) return content;
  if (entry.method !== DEFLATED) throw brokenArchive(what);
  try {
    return inflateRawSync(content, { maxOutputLength: Math.max(1, entry.size) });
  } catch (error) {
    throw brokenArchive(what, error);
  }
}

export const brokenArchive = (what: string, cause?: unknown): SourceError =>
  new SourceError('skip', `the file is broken or is not ${withArticle(what)}`, {
    hint: 'Open it in the program that has made it, and save it again.',
    cause,
  });

/** The names of formats are spoken letter by letter: an EPUB, an ODT, an XLSX. */
const withArticle = (what: string): string => `${/^[EOX]/.test(what) ? 'an' : 'a'} ${what}`;

const unpacksTooMuch = (document: string, what: string) =>
  new SourceError('skip', `the ${document} unpacks to ${what}`, {
    hint: 'Split it into smaller documents.',
  });
