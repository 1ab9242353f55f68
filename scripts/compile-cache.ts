/** Keeps Node's cache of compiled code small: it has entries of each bundle by its path, and Node removes none. */
import { globSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** scripts/node.mjs gives Node this folder. */
export const COMPILED = join(dirname(import.meta.dirname), 'node_modules/.cache/quarry/compiled');

/** Removes the oldest entries of the folder that are more than so many bytes. Node makes one that it needs once more. */
export function trimCache(folder: string, mostBytes: number): void {
  const entries = globSync('**/*', { cwd: folder }).flatMap((name) => {
    const path = join(folder, name);
    // Node of another process may replace an entry in this moment.
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() ? [{ path, size: found.size, madeAt: found.mtimeMs }] : [];
  });
  let bytes = 0;
  for (const { path, size } of entries.toSorted((a, b) => b.madeAt - a.madeAt)) {
    bytes += size;
    if (bytes > mostBytes) rmSync(path, { force: true });
  }
}
