/**
 * The process of the transformers may read their whole folder, but not the links that lead out of it. These links are
 * left out here, because the permission model of Node checks only the path of a link and not its target.
 */
import { readdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** Returns the files and folders that may be read; this is only the folder itself when no link leads out of it. */
export async function readableIn(folder: string): Promise<string[]> {
  const root = await realpath(folder);
  const isInside = (path: string) => path === root || path.startsWith(root + sep);
  return (await below(root, isInside)) ?? [root];
}

/** Returns null when everything in the folder may be read. */
async function below(
  folder: string,
  isInside: (path: string) => boolean,
): Promise<string[] | null> {
  const entries = await readdir(folder, { withFileTypes: true });
  const parts: { readonly path: string; readonly allowed: readonly string[] | null }[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    let allowed: string[] | null = null;
    if (entry.isDirectory()) allowed = await below(path, isInside);
    else if (entry.isSymbolicLink() && !(await leadsInside(path, isInside))) allowed = [];
    parts.push({ path, allowed });
  }
  if (parts.every(({ allowed }) => allowed === null)) return null;
  return parts.flatMap(({ path, allowed }) => allowed ?? [path]);
}

async function leadsInside(path: string, isInside: (path: string) => boolean): Promise<boolean> {
  try {
    return isInside(await realpath(path));
  } catch {
    // The target of the link does not exist, and nobody knows where the link will lead later.
    return false;
  }
}
