/** Says whether the dashboard must be built. It is a file of its own, because the build tool takes long to load. */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { readStamps, type Stamps, stampsOf } from '../../../scripts/stamps.ts';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** The service serves the dashboard from this folder. */
export const BUILT = join(ROOT, '../server/ui');
/** This file of a build has the stamps of what it was made from. */
export const LIST = 'files.json';
/** All files in these folders count, also new ones. */
const FOLDERS = ['src', 'tools', '../client/src', '../text/src'];
/** The lock file and npm's list of what is installed change with the packages, whose files are too many to look at. */
const FILES = [
  '../client/package.json',
  '../text/package.json',
  '../../package-lock.json',
  '../../node_modules/.package-lock.json',
  '../../tsconfig.base.json',
  '../../scripts/stamps.ts',
  '../../scripts/pack/notices.ts',
];

/** Returns the stamps of all files that a build of the dashboard is made from. */
export function dashboardStamps(root = ROOT): Stamps {
  const found = [
    ...readdirSync(root, { withFileTypes: true }),
    ...FOLDERS.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true }),
    ),
  ];
  const files = found.filter((one) => one.isFile());
  return stampsOf([
    ...files.map(({ parentPath, name }) => join(parentPath, name)),
    ...FILES.map((file) => join(root, file)),
  ]);
}

/** Returns true when a file of the dashboard is another one than at the build, new or gone, or when nothing is built yet. */
export const isDashboardStale = (built = BUILT, root = ROOT): boolean =>
  !isDeepStrictEqual(readStamps(join(built, LIST)), dashboardStamps(root));
