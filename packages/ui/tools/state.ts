/** Says whether the dashboard must be built. It is a file of its own, because the build tool takes long to load. */
import { globSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const BUILT = join(ROOT, '../server/ui/index.html');
const SOURCES = ['*', 'src/**/*', 'tools/*', '../client/src/*', '../text/src/*'];

/** Returns true when a file of the dashboard is newer than the build, or when nothing is built yet. */
export function isDashboardStale(): boolean {
  const built = statSync(BUILT, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return globSync(SOURCES, { cwd: ROOT }).some((file) => {
    const found = statSync(join(ROOT, file));
    return found.isFile() && found.mtimeMs > built;
  });
}
