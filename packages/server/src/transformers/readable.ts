/**
 * The process of the transformers may read their whole folder except links that lead out of it. The permission
 * model of Node checks the path that is asked for, and not the path to which it leads.
 */
import { readdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** Returns files and folders; the list is the folder itself when nothing leads out of it. */
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
    // The link leads nowhere now, and it is not known where it will lead later.
    return false;
  }
}
