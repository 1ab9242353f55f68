/**
 * `npm start` runs a bundle of the code when there is one that was made from exactly the files that are here now: it opens
 * tens of files where the sources are thousands. Otherwise it runs the sources, and a process in the background makes the
 * bundle for the next start (prepare.ts).
 *
 * Each bundle lies in a folder of its own beside the sources of the server, because a service that runs from an earlier one
 * still starts threads and processes from its files. The list of a bundle has the stamp of every file that was read for it
 * and of every file in it. It is written last, so a bundle without one is not complete.
 */
import {
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = dirname(import.meta.dirname);
/** This folder has the bundles, each in a folder of its own. */
export const BUNDLES = join(ROOT, 'packages/server');
const LIST = 'files.json';
/** These decide what a bundle contains, and no bundler reports all of them. */
const SETTINGS = [
  'package-lock.json',
  'package.json',
  'tsconfig*.json',
  'packages/*/{package,tsconfig}.json',
  'scripts/prepared-code.ts',
  'scripts/pack/bundle.ts',
];
/** This many bundles stay, because services may still run from the earlier ones. */
const KEPT = 3;
/** A folder without a list that is older than this was left behind by a process that was stopped. */
const UNFINISHED_MS = 3_600_000;

/** Writes a bundle into the folder, and returns the paths of the files that it has read. */
export type WriteBundle = (folder: string) => Promise<Iterable<string>>;

/** Returns the folder of a bundle of the code as it is now, or undefined. `place` is the folder of all bundles. */
export const preparedCode = (place: string, root = ROOT): string | undefined =>
  bundlesIn(place).find((folder) => isUpToDate(folder, root));

/** Makes a bundle, and removes old ones. Throws when a file was changed meanwhile. */
export async function prepareCode(place: string, write: WriteBundle, root = ROOT): Promise<string> {
  const startedAt = Date.now();
  const folder = mkdtempSync(join(place, 'bundle-'));
  try {
    const read = [...(await write(folder)), ...settingsIn(root)];
    const stamps: Record<string, string> = {};
    for (const path of new Set(read)) {
      const found = statSync(path, { throwIfNoEntry: false });
      // Some names in the list of a bundler are those of modules that it has made itself.
      if (found === undefined) continue;
      if (found.ctimeMs >= startedAt)
        throw new Error(
          `${path} was changed while the code was prepared: the next start tries again`,
        );
      stamps[path] = stampOf(found);
    }
    for (const file of globSync('**/*', { cwd: folder })) {
      const path = join(folder, file);
      const found = statSync(path);
      if (found.isFile()) stamps[path] = stampOf(found);
    }
    writeFileSync(join(folder, `${LIST}.new`), JSON.stringify(stamps));
    renameSync(join(folder, `${LIST}.new`), join(folder, LIST));
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  for (const old of bundlesIn(place).slice(KEPT)) rmSync(old, { recursive: true, force: true });
  for (const left of foldersIn(place))
    if (!existsSync(join(left, LIST)) && startedAt - statSync(left).mtimeMs > UNFINISHED_MS)
      rmSync(left, { recursive: true, force: true });
  return folder;
}

function isUpToDate(folder: string, root: string): boolean {
  const stamps = stampsIn(readFileSync(join(folder, LIST), 'utf8'));
  if (stamps === undefined) return false;
  // A new file of settings is not in the list.
  return (
    settingsIn(root).every((path) => path in stamps) &&
    Object.entries(stamps).every(([path, stamp]) => {
      const found = statSync(path, { throwIfNoEntry: false });
      return found !== undefined && stampOf(found) === stamp;
    })
  );
}

/** A machine that lost its power may keep a list without its content, whose bundle is not run. */
function stampsIn(list: string): Record<string, string> | undefined {
  try {
    return JSON.parse(list);
  } catch {
    return undefined;
  }
}

/**
 * The time of the last change of a file's state is in the stamp, because nobody can set it: npm gives all files the same
 * time of modification, and a copy keeps that of the original.
 */
const stampOf = ({ size, mtimeMs, ctimeMs }: Stats): string => `${size} ${mtimeMs} ${ctimeMs}`;

const settingsIn = (root: string): string[] =>
  globSync(SETTINGS, { cwd: root }).map((file) => join(root, file));

const foldersIn = (place: string): string[] =>
  globSync('bundle-*', { cwd: place }).map((name) => join(place, name));

/** Returns the folders of the complete bundles, the newest first. */
function bundlesIn(place: string): string[] {
  const complete = foldersIn(place).flatMap((folder) => {
    const list = statSync(join(folder, LIST), { throwIfNoEntry: false });
    return list ? [{ folder, madeAt: list.mtimeMs }] : [];
  });
  return complete.toSorted((a, b) => b.madeAt - a.madeAt).map(({ folder }) => folder);
}
