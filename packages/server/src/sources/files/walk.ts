/**
 * Lists a tree, folder by folder and in the order of names. A folder is one partition.
 *
 * Links to files of the tree are followed. Links to its folders are not: what is in those comes up
 * under its own path, so that no loop and no second copy can arise. Nothing is opened but folders and
 * .gitignore files.
 */
import { isUtf8 } from 'node:buffer';
import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileError } from '../../documents/file-error.ts';
import { SourceError } from '../../errors.ts';
import { chunked } from '../../util.ts';
import { fail, type Item, listed, lost, skip, stub } from '../define.ts';
import type { IsOwn } from '../own-files.ts';
import { type Entry, follow, inspect, isWithin, OWN, relativePath, versionOf } from './entry.ts';
import { readGitignore } from './gitignore.ts';
import type { Rules } from './rules.ts';

const TYPE = 'File';
const FOLDER = 'Folder';
/** Names looked at together. */
const TOGETHER = 64;

interface Folder {
  /** Its partition. */
  readonly path: string;
  readonly real: string;
  /** Those of the folder above it. */
  readonly rules: Rules;
}

/** `root` is a real path. */
export async function* walk(
  root: string,
  rules: Rules,
  isOwn: IsOwn,
  signal: AbortSignal,
): AsyncGenerator<Item, void, void> {
  const pending: Folder[] = [{ path: '', real: root, rules }];
  for (let folder = pending.pop(); folder; folder = pending.pop()) {
    signal.throwIfAborted();
    const contents = await readFolder(folder, isOwn);
    if (contents instanceof SourceError) {
      yield lost(folder.path, contents);
      continue;
    }
    if ('reason' in contents) {
      yield skip(folder.path, FOLDER, contents.reason);
      continue;
    }
    const tree = { root, rules, folder, inside: contents.rules, isOwn };
    for (const some of chunked(contents.names, TOGETHER)) {
      signal.throwIfAborted();
      for (const item of await Promise.all(some.map((name) => look(name, tree))))
        if (item) yield item;
    }
    yield listed(folder.path);
    pending.push(...subfolders(contents.names, tree).reverse());
  }
}

interface Tree {
  readonly root: string;
  /** At the root. */
  readonly rules: Rules;
  readonly folder: Folder;
  /** In the folder. */
  readonly inside: Rules;
  readonly isOwn: IsOwn;
}

type Name = Dirent<Buffer>;

/** Its names in their order and the rules in it, the reason for which it is left out, or what broke. */
async function readFolder({ path, real, rules }: Folder, isOwn: IsOwn) {
  try {
    // A folder that has become a link since it was met may lead anywhere.
    if ((await realpath(real)) !== real)
      return new SourceError('skip', 'the folder cannot be read: it has become a link');
    if (isOwn(await stat(real, { bigint: true }))) return { reason: OWN };
    const names = await readdir(real, { withFileTypes: true, encoding: 'buffer' });
    names.sort((a, b) => Buffer.compare(a.name, b.name));
    const text = await readGitignore(real);
    return { names, rules: rules.inside(path, text) };
  } catch (error) {
    return ofOneFolder(error);
  }
}

/** The error, if it concerns one folder alone. Throws any other. */
function ofOneFolder(error: unknown): SourceError {
  const known = fileError(error, 'the folder');
  if (known instanceof SourceError && known.kind === 'skip') return known;
  throw known;
}

function subfolders(names: readonly Name[], { folder, inside }: Tree): Folder[] {
  return names
    .filter((one) => one.isDirectory() && isUtf8(one.name))
    .map(({ name }) => name.toString())
    .filter((name) => inside.takesFolder(below(folder, name)))
    .map((name) => ({ path: below(folder, name), real: join(folder.real, name), rules: inside }));
}

/** The item of a name, or null: a folder, or left out without a word. */
async function look(one: Name, tree: Tree): Promise<Item | null> {
  const { folder, inside, root, isOwn } = tree;
  const path = below(folder, one.name.toString());
  if (!isUtf8(one.name)) return unnameable(one, tree);
  if (one.isDirectory()) return null;
  if (!one.isSymbolicLink() && !inside.takesFile(path)) return null;
  const real = join(folder.real, one.name.toString());
  if (one.isSymbolicLink()) return lookBehind(path, await follow(real, root, isOwn), tree);
  return toItem(path, folder, await inspect(real, isOwn));
}

async function lookBehind(path: string, entry: Entry, tree: Tree): Promise<Item | null> {
  const { folder, inside, root } = tree;
  if (!inside.takesFile(path)) return null;
  if (entry.is === 'folder') {
    if (!inside.takesFolder(path)) return null;
    return isWithin(entry.real, folder.real)
      ? skip(path, TYPE, 'a link to a folder that it is in')
      : skip(path, TYPE, 'a link to a folder that is read under its own path');
  }
  if (entry.is === 'file') {
    const leftOut = await isLeftOut(relativePath(root, entry.real), tree).catch(ofOneFolder);
    if (leftOut instanceof SourceError) return fail(path, TYPE, leftOut);
    if (leftOut) return skip(path, TYPE, 'a link to a file that is left out');
  }
  if (entry.is === 'gone') return fail(path, TYPE, brokenLink());
  return toItem(path, folder, entry);
}

/** Whether the file of this path is left out by a .gitignore on the way to it, or by `exclude`. */
async function isLeftOut(path: string, { root, rules }: Tree): Promise<boolean> {
  const folders = path.split('/').slice(0, -1);
  let inside = rules;
  for (let depth = 0; depth <= folders.length; depth++) {
    const folder = folders.slice(0, depth).join('/');
    inside = inside.inside(folder, await readGitignore(join(root, folder)));
  }
  return inside.leavesOut(path);
}

function toItem(path: string, folder: Folder, entry: Entry): Item | null {
  if (entry.is === 'file') return stub(path, TYPE, versionOf(entry.stat), folder.path);
  if (entry.is === 'skipped') return skip(path, TYPE, entry.reason, entry);
  if (entry.is === 'failed') return fail(path, TYPE, entry.error);
  // It was deleted, or replaced by a folder, since the folder was read: the next sync sees it.
  return null;
}

const brokenLink = () =>
  new SourceError('skip', 'the link is broken: what it leads to does not exist', {
    hint: 'Remove the link, or name it in exclude.',
  });

function unnameable(one: Name, { folder, inside }: Tree): Item | null {
  const lossy = below(folder, one.name.toString());
  if (one.isDirectory() ? !inside.takesFolder(lossy) : !inside.takesFile(lossy)) return null;
  const escaped = one.name
    .toString('latin1')
    .replaceAll(/[^\x20-\x7e]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
  const error = new SourceError('skip', 'its name is not UTF-8', { hint: 'Rename it.' });
  return fail(below(folder, escaped), TYPE, error);
}

const below = ({ path }: Folder, name: string) => (path === '' ? name : `${path}/${name}`);
