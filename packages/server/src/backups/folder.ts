/** The files of backups in their folder. A name comes from a row of the database, never from a request. */
import type { ReadStream } from 'node:fs';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DRAFT_END } from '../backup/write-file.ts';
import { instant } from '../util.ts';

/** The time is readable, sorts by itself, and has no character that a file system refuses. */
export const nameOf = (id: string, now: number): string =>
  `${instant(now).slice(0, 19).replaceAll(':', '-')}Z-${id.slice(-6)}.quarry`;

/** Makes the folder when it is absent. Throws an Error that says what to do when nobody can write there. */
export async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Error(
      `the folder ${folder} cannot be made: ${(error as Error).message}; make it, or name another one by QUARRY_BACKUP_DIR`,
      { cause: error },
    );
  }
}

/** Removes what earlier attempts to write this file have left, whose processes were killed. */
export async function removeDrafts(folder: string, name: string): Promise<void> {
  for (const file of await readdir(folder))
    if (file.startsWith(`${name}.`) && file.endsWith(DRAFT_END))
      await rm(join(folder, file), { force: true });
}

/** The file may be absent already. */
export const removeFile = (folder: string, name: string): Promise<void> =>
  rm(join(folder, name), { force: true });

/** Returns null when this process does not find the file. */
export async function sizeOf(folder: string, name: string): Promise<number | null> {
  try {
    return (await stat(join(folder, name))).size;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

interface OpenedFile {
  readonly size: number;
  /** Reads the bytes from the first to the last place, and closes the file after them. */
  readonly stream: (start: number, end: number) => ReadStream;
  readonly close: () => Promise<void>;
}

/** Returns null when this process does not find the file. The caller takes its stream, or closes it. */
export async function openFile(folder: string, name: string): Promise<OpenedFile | null> {
  try {
    const file = await open(join(folder, name));
    const { size } = await file.stat();
    return {
      size,
      stream: (start, end) => file.createReadStream({ start, end }),
      close: () => file.close(),
    };
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

const isAbsent = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
