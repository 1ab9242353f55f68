/**
 * The data directory, with the encryption key and the database in it, belongs to
 * Quarry itself and is never a source.
 *
 * It is known by device and inode, not by names: bind mounts, hard links and links give one folder or file many
 * paths, and a file system that ignores case gives it more paths.
 */
import type { BigIntStats } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode } from '../documents/file-error.ts';
import { inodeOf } from '../documents/inode.ts';
import { SourceError } from '../errors.ts';

/** The function returns true for the data directory, and for every file and folder that stands directly in it. */
export type IsOwn = (stats: BigIntStats) => boolean;

/** Looks at the data directory as it is now. Throws a SourceError 'config' when it cannot be read. */
export async function ownFiles(dataDir: string): Promise<IsOwn> {
  const own = new Set(await inodesOf(dataDir));
  return (stats) => own.has(inodeOf(stats));
}

/** Tells whether a real path is the data directory, or leads through it. */
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
    // A directory that does not exist holds nothing.
    if (code === 'ENOENT') return [];
    throw new SourceError('config', `the data directory ${dataDir} cannot be read: ${code}`, {
      hint: 'No folder is read until Quarry can tell its own files from others.',
      cause: error,
    });
  }
}

/** Returns no inode for a file that has gone: the database creates and removes files at any time. */
async function inodeIn(dataDir: string, name: string): Promise<string[]> {
  try {
    return [inodeOf(await lstat(join(dataDir, name), { bigint: true }))];
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}
