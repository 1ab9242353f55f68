/** An entry describes the file, folder or link that has a name in a folder. It is made without opening the file. */
import type { BigIntStats } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, relative, sep } from 'node:path';
import { fileError, systemCode } from '../../documents/file-error.ts';
import { reasonNotToOpen } from '../../documents/kinds.ts';
import type { Omission } from '../../documents/omission.ts';
import { SourceError } from '../../errors.ts';
import type { SourceRoot } from './root.ts';

export const NO_FILE = 'not a regular file';
const OUTSIDE = 'a link that leads out of the folder';
const CIRCLE = 'a link that leads back to itself';
export const OWN_FILE = {
  reason: 'part of the data directory of Quarry',
  detail: 'it is never read, even if include names it',
};

export type FolderEntry =
  | {
      readonly is: 'file';
      /** This is the real path, with links resolved. */
      readonly real: string;
      readonly stat: BigIntStats;
    }
  | { readonly is: 'folder'; readonly real: string }
  | ({ readonly is: 'skipped'; readonly removes?: 'record' } & Omission)
  | { readonly is: 'failed'; readonly error: SourceError }
  | { readonly is: 'gone' };

/** Describes the file or folder at a path that is not a link. */
export async function inspect(path: string, sourceRoot: SourceRoot): Promise<FolderEntry> {
  try {
    return describe(path, await lstat(path, { bigint: true }), sourceRoot);
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? { is: 'gone' } : failed(error);
  }
}

/** Describes the target of a link. Also works for a path that may have become a link meanwhile. */
export async function follow(path: string, sourceRoot: SourceRoot): Promise<FolderEntry> {
  try {
    const real = await realpath(path);
    if (!isWithin(sourceRoot.root, real)) return { is: 'skipped', reason: OUTSIDE };
    return describe(real, await stat(real, { bigint: true }), sourceRoot);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { is: 'gone' };
    if (systemCode(error) === 'ELOOP') return { is: 'skipped', reason: CIRCLE };
    return failed(error);
  }
}

export const isWithin = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Returns the path relative to the root, with `/` between its parts. */
export const relativePath = (root: string, path: string): string =>
  relative(root, path).replaceAll(sep, '/');

/**
 * Returns a version that differs when the file has changed. Times alone are not enough, because programs can set them
 * back; but a program cannot set all of these values.
 */
export const versionOf = ({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string =>
  `${size}-${mtimeNs}-${ctimeNs}-${ino}`;

function describe(real: string, stats: BigIntStats, { isOwn, optional }: SourceRoot): FolderEntry {
  if (isOwn(stats)) return { is: 'skipped', ...OWN_FILE, removes: 'record' };
  if (stats.isDirectory()) return { is: 'folder', real };
  if (!stats.isFile()) return { is: 'skipped', reason: NO_FILE };
  const omission = reasonNotToOpen(basename(real), Number(stats.size), optional);
  return omission ? { is: 'skipped', ...omission } : { is: 'file', real, stat: stats };
}

function failed(error: unknown): FolderEntry {
  const known = fileError(error, 'the file');
  if (!(known instanceof SourceError) || known.kind !== 'skip') throw known;
  return { is: 'failed', error: known };
}
