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
import { isCompoundFile } from '../compound/signature.ts';

const MAX_ENTRIES = 10_000;
const MAX_BYTES = 100 * 1024 * 1024;

export interface ArchiveOptions {
  /** This names the document in messages, such as `DOCX`. */
  readonly what: string;
  /** Some programs store protected documents of the new formats in a file of the old format. */
  readonly oldFormat?: string;
}

interface PartsWanted extends ArchiveOptions {
  /** Returns true for a part that is to be unpacked. */
  readonly isWanted: (name: string) => boolean;
}

/** This is a document whose directory has been read. */
export interface PartArchive {
  readonly what: string;
  readonly archive: Buffer;
  readonly entries: readonly ZipEntry[];
}

/** Throws a SourceError 'skip'. */
export function openArchive(bytes: Uint8Array, { what, oldFormat }: ArchiveOptions): PartArchive {
  if (isCompoundFile(bytes))
    throw new SourceError(
      'skip',
      `the ${what} is protected by a password${oldFormat ? ` or in the old ${oldFormat} format` : ''}`,
      { hint: `Store a copy as ${what} without the password.` },
    );
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const entries = zipEntries(archive, {
    broken: (cause) => brokenArchive(what, cause),
    most: MAX_ENTRIES,
    tooMany: () => unpacksTooMuch(what, `more than ${MAX_ENTRIES} parts`),
  });
  return { what, archive, entries };
}

/**
 * Returns the parts that are wanted by their names. The record has no prototype, because a document may ask for a part that
 * has the name of a method. Throws a SourceError 'skip'.
 */
export function unpackWanted(
  { what, archive, entries }: PartArchive,
  isWanted: (name: string) => boolean,
): Record<string, Uint8Array> {
  const wanted = entries.filter(({ path }) => isWanted(path));
  const total = wanted.reduce((sum, { size, packed }) => sum + Math.max(size, packed), 0);
  if (total > MAX_BYTES) throw unpacksTooMuch(what, `more than ${MAX_BYTES / 1024 / 1024} MB`);
  const parts: Record<string, Uint8Array> = Object.create(null);
  for (const entry of wanted) parts[entry.path] = unpack(archive, entry, what);
  return parts;
}

/** Returns the parts that are wanted by their names. Throws a SourceError 'skip'. */
export const unpackParts = (
  bytes: Uint8Array,
  { isWanted, ...options }: PartsWanted,
): Record<string, Uint8Array> => unpackWanted(openArchive(bytes, options), isWanted);

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
