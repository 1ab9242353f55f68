/**
 * What the process of the transformers may read of their folder: all of it but links that lead out. The
 * permission model of Node looks at the path that is asked for, and not at what it leads to.
 */
import { readdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** Files and folders; the whole folder is one of them where nothing leads out of it. */
export async function readableIn(folder: string): Promise<string[]> {
  const root = await realpath(folder);
  const isInside = (path: string) => path === root || path.startsWith(root + sep);
  return (await below(root, isInside)) ?? [root];
}

/** Null: everything. */
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
    // It leads nowhere now, and where to tomorrow nobody knows.
    return false;
  }
}
