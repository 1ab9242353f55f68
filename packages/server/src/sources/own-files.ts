/**
 * The data directory holds Quarry's encryption key and database, so sources must never read it.
 *
 * The directory is recognized by device and inode and not by its path: because of bind mounts, links and file systems
 * that ignore case, one file can have many paths.
 */
import type { BigIntStats } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode } from '../documents/file-error.ts';
import { inodeOf } from '../documents/inode.ts';
import { SourceError } from '../errors.ts';

/** Returns true for the data directory, and for every file and folder directly in it. */
export type IsOwn = (stats: BigIntStats) => boolean;

/** Reads the current contents of the data directory. Throws a SourceError 'config' when it cannot be read. */
export async function ownFiles(dataDir: string): Promise<IsOwn> {
  const own = new Set(await inodesOf(dataDir));
  return (stats) => own.has(inodeOf(stats));
}

/** Returns true when a real path is the data directory or lies below it. */
export async function isInDataDir(path: string, dataDir: string): Promise<boolean> {
  const isOwn = await ownFiles(dataDir);
  for (let at = path; ; at = dirname(at)) {
    if (isOwn(await stat(at, { bigint: true }))) return true;
    if (at === dirname(at)) return false;
  }
}

async function inodesOf(dataDir: string): Promise<string[]> {
  try {
    const names = await readdir(dataDir);
    const inside = await Promise.all(names.map((name) => inodeIn(dataDir, name)));
    return [inodeOf(await stat(dataDir, { bigint: true })), ...inside.flat()];
  } catch (error) {
    const code = systemCode(error);
    // If the directory does not exist, it has no files.
    if (code === 'ENOENT') return [];
    throw new SourceError('config', `the data directory ${dataDir} cannot be read: ${code}`, {
      hint: 'No folder is read until Quarry can recognize its own files.',
      cause: error,
    });
  }
}

/**
 * Returns the inode of a file in the directory, or nothing when the file no longer exists: the database creates and
 * removes files at any time.
 */
async function inodeIn(dataDir: string, name: string): Promise<string[]> {
  try {
    return [inodeOf(await lstat(join(dataDir, name), { bigint: true }))];
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}
