/**
 * The data directory holds Quarry's encryption key and database, and the folder of backups holds copies of the database, so
 * sources must never read them.
 *
 * A folder is recognized by device and inode and not by its path: because of bind mounts, links and file systems
 * that ignore case, one file can have many paths.
 */
import type { BigIntStats } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode } from '../documents/file-error.ts';
import { inodeOf } from '../documents/inode.ts';
import { SourceError } from '../errors.ts';

/** Returns true for a folder of our own, and for every file and folder directly in it. */
export type IsOwn = (stats: BigIntStats) => boolean;

/** Reads the current contents of our own folders. Throws a SourceError 'config' when one cannot be read. */
export async function ownFiles(...folders: readonly string[]): Promise<IsOwn> {
  const own = new Set((await Promise.all(folders.map(inodesOf))).flat());
  return (stats) => own.has(inodeOf(stats));
}

/** Returns true when a real path is one of our own folders or lies below one. */
export async function isInOwnFolder(path: string, folders: readonly string[]): Promise<boolean> {
  const isOwn = await ownFiles(...folders);
  for (let at = path; ; at = dirname(at)) {
    if (isOwn(await stat(at, { bigint: true }))) return true;
    if (at === dirname(at)) return false;
  }
}

async function inodesOf(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder);
    const inside = await Promise.all(names.map((name) => inodeIn(folder, name)));
    return [inodeOf(await stat(folder, { bigint: true })), ...inside.flat()];
  } catch (error) {
    const code = systemCode(error);
    // If the folder does not exist, it has no files.
    if (code === 'ENOENT') return [];
    throw new SourceError('config', `the folder ${folder} of Quarry cannot be read: ${code}`, {
      hint: 'No folder is read until Quarry can recognize its own files.',
      cause: error,
    });
  }
}

/**
 * Returns the inode of a file in the folder, or nothing when the file no longer exists: the database creates and
 * removes files at any time.
 */
async function inodeIn(folder: string, name: string): Promise<string[]> {
  try {
    return [inodeOf(await lstat(join(folder, name), { bigint: true }))];
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}
