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
  chmodSync,
  globSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  utimes,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { areSame, readStamps, type Stamps, stampOf, stampsOf } from './stamps.ts';

const ROOT = dirname(import.meta.dirname);
/** This folder has the bundles, each in a folder of its own. */
export const BUNDLES = join(ROOT, 'packages/server');
const LIST = 'files.json';
/**
 * These decide what a bundle contains, and no bundler reports all of them. A package that is put into a `node_modules`, or
 * replaced there by a link, changes the stamp of that folder.
 */
const SETTINGS = [
  'package-lock.json',
  'package.json',
  'tsconfig*.json',
  'node_modules',
  'node_modules/.package-lock.json',
  'packages/*/node_modules',
  'packages/*/{package,tsconfig}.json',
  'scripts/prepared-code.ts',
  'scripts/pack/bundle.ts',
];
/** This many folders stay in any case, because a service of another user cannot mark its bundle as in use. */
const KEPT = 3;
/** A service marks its bundle as in use so often. */
const MARK_MS = 60_000;
/** Nobody uses a bundle that was not marked for so long, and nobody still writes into one that is not complete. */
const UNUSED_MS = 3_600_000;

/** Writes a bundle into the folder, and names each file to `willRead` before it is read. */
export type WriteBundle = (folder: string, willRead: (path: string) => void) => Promise<void>;

/** Returns the folder of a bundle of the code as it is now, or undefined. `place` is the folder of all bundles. */
export const preparedCode = (place: string, root = ROOT): string | undefined =>
  foldersIn(place).find((folder) => isUpToDate(folder, root));

/** Makes a bundle, and removes old ones. Throws when a file was changed meanwhile. */
export async function prepareCode(place: string, write: WriteBundle, root = ROOT): Promise<string> {
  const folder = mkdtempSync(join(place, 'bundle-'));
  try {
    // The service may run as another user than who made its bundle.
    chmodSync(folder, 0o755);
    const stamps: Record<string, string> = { ...stampsOf(settingsIn(root)) };
    await write(folder, (path) => {
      // Some names are those of modules that the bundler has made itself.
      const stamp = stampOf(path);
      if (stamp !== undefined) stamps[path] ??= stamp;
    });
    const changed = Object.keys(stamps).find((path) => stampOf(path) !== stamps[path]);
    if (changed !== undefined)
      throw new Error(
        `${changed} was changed while the code was prepared: the next start tries again`,
      );
    const written = globSync('**/*', { cwd: folder, withFileTypes: true });
    const files = written.filter((one) => one.isFile());
    writeList(folder, {
      ...stamps,
      ...stampsOf(files.map(({ parentPath, name }) => join(parentPath, name))),
    });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  removeUnused(foldersIn(place).filter((one) => one !== folder));
  return folder;
}

/** Keeps others from removing the bundle while this process runs from it. */
export function keepPrepared(folder: string): void {
  const timer = setInterval(mark, MARK_MS).unref();
  mark();
  function mark(): void {
    const now = new Date();
    utimes(folder, now, now, (error) => {
      if (!error) return;
      clearInterval(timer);
      process.stderr.write(
        `The running bundle is not kept once ${KEPT} newer ones are made: ${error.message}\n`,
      );
    });
  }
}

function writeList(folder: string, stamps: Stamps): void {
  writeFileSync(join(folder, `${LIST}.new`), JSON.stringify(stamps));
  renameSync(join(folder, `${LIST}.new`), join(folder, LIST));
}

function removeUnused(others: readonly string[]): void {
  for (const folder of others.slice(KEPT - 1)) {
    // A clock that was ahead once has left times in the future.
    if (Math.abs(Date.now() - markedAt(folder)) < UNUSED_MS) continue;
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      process.stderr.write(`An old bundle stays: ${(error as Error).message}\n`);
    }
  }
}

function isUpToDate(folder: string, root: string): boolean {
  const stamps = readStamps(join(folder, LIST));
  // A new file of settings is not in the list.
  return (
    stamps !== undefined && settingsIn(root).every((path) => path in stamps) && areSame(stamps)
  );
}

const settingsIn = (root: string): string[] =>
  globSync(SETTINGS, { cwd: root }).map((file) => join(root, file));

/** Returns the folders of all bundles, those that were made or marked last first. */
function foldersIn(place: string): string[] {
  const found = globSync('bundle-*', { cwd: place }).map((name) => join(place, name));
  const marked = found.map((folder) => ({ folder, at: markedAt(folder) }));
  return marked.toSorted((a, b) => b.at - a.at).map(({ folder }) => folder);
}

/** Another process may remove the folder in this moment. */
const markedAt = (folder: string): number =>
  statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
