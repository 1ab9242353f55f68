/** Reads a backup as a stream, and checks everything in it on the way. */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { AnyHeader, type BackupEnd, BackupHeader, FORMAT_VERSION } from './format.ts';
import { pagesOfLines } from './lines.ts';
import { PartReader } from './part-reader.ts';
import type { CopyPart } from './parts.ts';
import { looksLikeSeal, SEAL_BYTES, sealOf } from './seal.ts';

/** It returns only after all parts, and only when all of the backup was right. */
type BackupParts = AsyncGenerator<CopyPart, BackupEnd>;

interface OpenBackup {
  readonly header: BackupHeader;
  readonly parts: BackupParts;
}

/** Throws an Error with a sentence when the file is not a backup. The parts throw one when they reach what is wrong. */
export async function readBackup(path: string): Promise<OpenBackup> {
  const file = await open(path).catch((error: Error) => {
    throw new Error(`the backup cannot be read: ${error.message}`, { cause: error });
  });
  const { seal, bytes } = await sealIn(file, path);
  const hash = createHash('sha256');
  const unpacked = createZstdDecompress();
  pipeline(
    file.createReadStream({ start: 0, end: bytes - 1 }),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    },
    unpacked,
    // The reader of the lines gets the error, too.
    () => undefined,
  );
  const pages = pagesOfLines(unpacked);
  try {
    const [line = '', ...others] = await firstPage(path, pages);
    const header = headerOf(path, line);
    const parts = partsOf(others, pages, () => {
      if (!sealOf(hash).equals(seal)) throw new Error('its bytes are not those that were written');
    });
    return { header, parts: explainedParts(path, parts) };
  } catch (error) {
    unpacked.destroy();
    throw error;
  }
}

/** Reads the whole backup, and throws an Error with a sentence when anything in it is wrong, or when the signal aborts. */
export async function checkBackup(
  path: string,
  signal?: AbortSignal,
): Promise<{ readonly header: BackupHeader; readonly end: BackupEnd }> {
  const { header, parts } = await readBackup(path);
  for (;;) {
    const next = await parts.next();
    if (next.done) return { header, end: next.value };
    if (!signal?.aborted) continue;
    // This closes the file.
    await parts[Symbol.asyncDispose]();
    signal.throwIfAborted();
  }
}

/** Returns the end of the file, and the number of the bytes before it. */
async function sealIn(
  file: FileHandle,
  path: string,
): Promise<{ readonly seal: Buffer; readonly bytes: number }> {
  try {
    const stats = await file.stat();
    const bytes = stats.size - SEAL_BYTES;
    const seal = Buffer.alloc(SEAL_BYTES);
    if (stats.isFile() && bytes > 0) await file.read(seal, 0, SEAL_BYTES, bytes);
    if (looksLikeSeal(seal)) return { seal, bytes };
    throw new Error(`${path} is not a backup of Quarry, or its end is missing`);
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function firstPage(
  path: string,
  pages: AsyncGenerator<string[]>,
): Promise<readonly string[]> {
  try {
    return (await pages.next()).value ?? [];
  } catch (cause) {
    throw new Error(unknownFile(path), { cause });
  }
}

const unknownFile = (path: string): string =>
  `${path} is not a backup of Quarry, or its beginning is damaged`;

function headerOf(path: string, line: string): BackupHeader {
  const value = jsonOf(path, line);
  const any = AnyHeader.safeParse(value);
  if (!any.success) throw new Error(unknownFile(path));
  if (any.data.formatVersion > FORMAT_VERSION)
    throw new Error(`${path} was made by a newer version of Quarry: restore it with that version`);
  const header = BackupHeader.safeParse(value);
  if (!header.success)
    throw new Error(
      `${path} is damaged or incomplete, and cannot be restored: its header cannot be understood`,
    );
  return header.data;
}

function jsonOf(path: string, line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new Error(unknownFile(path), { cause });
  }
}

/** Every error on the way through a backup means that the file is not what was written. */
async function* explainedParts(path: string, parts: BackupParts): BackupParts {
  try {
    return yield* parts;
  } catch (cause) {
    throw new Error(
      `${path} is damaged or incomplete, and cannot be restored: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/** `checkSeal` is called when all bytes have been read. */
async function* partsOf(
  begun: readonly string[],
  pages: AsyncGenerator<string[]>,
  checkSeal: () => void,
): BackupParts {
  const reader = new PartReader();
  yield* reader.read(begun);
  for await (const lines of pages) yield* reader.read(lines);
  const end = reader.end();
  checkSeal();
  return end;
}
