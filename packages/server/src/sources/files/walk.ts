/**
 * Lists a tree, folder by folder and in the order of names. Each folder is one partition.
 *
 * Links to files of the tree are followed. Links to folders are not followed: the contents of these folders are listed
 * under their own paths, and so there are neither loops nor second copies. A folder that is left out by default is
 * reported as one skipped record, without its contents. The walk opens only folders and the small files that decide
 * whether a folder is left out.
 */
import { isUtf8 } from 'node:buffer';
import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileError } from '../../documents/file-error.ts';
import { SourceError } from '../../errors.ts';
import { chunked } from '../../util.ts';
import { fail, listed, lost, type SourceItem, skip, stub } from '../items.ts';
import type { IsOwn } from '../own-files.ts';
import { reasonBySiblings } from './by-name.ts';
import {
  type FolderEntry,
  follow,
  inspect,
  isWithin,
  OWN_FILE,
  relativePath,
  versionOf,
} from './entry.ts';
import { reasonByContents } from './evidence.ts';
import { readGitignore } from './gitignore.ts';
import type { Reason } from './left-out.ts';
import type { SourceRoot } from './root.ts';
import type { FileVerdict, FolderVerdict, Rules } from './rules.ts';
import { itemOfLink, judgeTarget } from './target.ts';

const TYPE = 'File';
const FOLDER = 'Folder';
/** This many names are inspected at the same time. */
const AT_ONCE = 64;

interface Folder {
  /** The path of the folder is its partition. */
  readonly path: string;
  readonly real: string;
  /** These rules apply in the parent folder. */
  readonly rules: Rules;
  /** This is a reason to leave the folder out that comes from the names beside it. */
  readonly evidence: Reason | null;
}

export async function* walk(
  sourceRoot: SourceRoot,
  signal: AbortSignal,
): AsyncGenerator<SourceItem, void, void> {
  const { root, rules, isOwn } = sourceRoot;
  const pending: Folder[] = [{ path: '', real: root, rules, evidence: null }];
  for (let folder = pending.pop(); folder; folder = pending.pop()) {
    signal.throwIfAborted();
    const { omission, error, contents } = await enter(folder, isOwn);
    if (omission) yield skip(folder.path, FOLDER, { ...omission, removes: 'partition' });
    if (error) yield lost(folder.path, error);
    if (!contents) continue;
    const tree = { ...sourceRoot, folder, inside: contents.rules };
    for (const some of chunked(contents.names, AT_ONCE)) {
      signal.throwIfAborted();
      for (const item of await Promise.all(some.map((name) => inspectName(name, tree))))
        if (item) yield item;
    }
    yield listed(folder.path);
    pending.push(...subfolders(contents.names, tree).reverse());
  }
}

interface Tree extends SourceRoot {
  readonly folder: Folder;
  /** These rules apply inside the folder. */
  readonly inside: Rules;
}

type Name = Dirent<Buffer>;

interface Entered {
  /** This says why the folder is left out, wholly or except for the files that `include` spells. */
  readonly omission?: Reason & { readonly hint?: string };
  readonly error?: SourceError;
  /** This is absent when the folder is not entered. */
  readonly contents?: { readonly names: readonly Name[]; readonly rules: Rules };
}

async function enter(folder: Folder, isOwn: IsOwn): Promise<Entered> {
  const { path, real, evidence } = folder;
  const byName = judge(folder, evidence);
  if (!byName.rules) return toEntered(byName);
  try {
    // Since its parent was listed, the folder may have become a link to any other place.
    if ((await realpath(real)) !== real) throw becameLink();
    if (isOwn(await stat(real, { bigint: true }))) return { omission: OWN_FILE };
    const names = await readdir(real, { withFileTypes: true, encoding: 'buffer' });
    names.sort((a, b) => Buffer.compare(a.name, b.name));
    const byContents = await reasonByContents(real, names.map(nameOf));
    const verdict = byContents ? judge(folder, byContents) : byName;
    if (!verdict.rules) return toEntered(verdict);
    const inside = verdict.rules.inside(path, await readGitignore(real));
    return { ...toEntered(verdict), contents: { names, rules: inside } };
  } catch (error) {
    return { ...toEntered(byName), error: errorOfOneFolder(error) };
  }
}

/** The root itself is always read, whatever its name and contents are. */
const judge = ({ path, rules }: Folder, evidence: Reason | null): FolderVerdict =>
  path === '' ? { rules, omission: null } : rules.folder(path, evidence);

const toEntered = ({ omission }: FolderVerdict): Entered => (omission ? { omission } : {});

const becameLink = () => new SourceError('skip', 'the folder cannot be read: it has become a link');

/** Returns the error if it concerns only one folder. Throws any other error. */
function errorOfOneFolder(error: unknown): SourceError {
  const known = fileError(error, 'the folder');
  if (known instanceof SourceError && known.kind === 'skip') return known;
  throw known;
}

function subfolders(names: readonly Name[], { folder, inside }: Tree): Folder[] {
  const siblings = names.map(nameOf);
  return names
    .filter((one) => one.isDirectory() && isUtf8(one.name))
    .map(nameOf)
    .map((name) => ({
      path: below(folder, name),
      real: join(folder.real, name),
      rules: inside,
      evidence: reasonBySiblings(name, siblings),
    }));
}

/** Returns the item of a name. Returns null for a folder, and for a file that the user's own patterns leave out. */
async function inspectName(one: Name, tree: Tree): Promise<SourceItem | null> {
  const { folder, inside, root, isOwn } = tree;
  if (!isUtf8(one.name)) return unnameable(one, tree);
  if (one.isDirectory()) return null;
  const path = below(folder, nameOf(one));
  const verdict = inside.file(path);
  if (verdict !== 'taken') return toOmitted(path, verdict);
  const real = join(folder.real, nameOf(one));
  return one.isSymbolicLink()
    ? inspectTarget(path, await follow(real, root, isOwn), tree)
    : toItem(path, folder, await inspect(real, isOwn));
}

async function inspectTarget(
  path: string,
  entry: FolderEntry,
  tree: Tree,
): Promise<SourceItem | null> {
  const { folder, inside, root, rules } = tree;
  if (entry.is === 'folder') {
    const entered = inside.folder(path, null);
    if (!entered.rules) return toOmitted(path, entered.omission ?? 'unwanted');
    return isWithin(entry.real, folder.real)
      ? skip(path, TYPE, { reason: 'a link to a folder that it is in' })
      : skip(path, TYPE, { reason: 'a link to a folder, which is not followed' });
  }
  if (entry.is === 'gone') return fail(path, TYPE, brokenLink());
  if (entry.is === 'file') {
    const target = relativePath(root, entry.real);
    const verdict = await judgeTarget(target, root, rules).catch(errorOfOneFolder);
    if (verdict instanceof SourceError) return fail(path, TYPE, verdict);
    if (verdict !== 'taken') return itemOfLink(path, TYPE, verdict);
  }
  return toItem(path, folder, entry);
}

const toOmitted = (path: string, verdict: Exclude<FileVerdict, 'taken'>): SourceItem | null =>
  verdict === 'unwanted' ? null : skip(path, TYPE, { ...verdict, removes: 'record' });

function toItem(path: string, folder: Folder, entry: FolderEntry): SourceItem | null {
  if (entry.is === 'file')
    return stub(path, TYPE, { version: versionOf(entry.stat), partition: folder.path });
  if (entry.is === 'skipped') return skip(path, TYPE, entry);
  if (entry.is === 'failed') return fail(path, TYPE, entry.error);
  // Since its folder was listed, the file was deleted or replaced by a folder. The next sync handles that.
  return null;
}

const brokenLink = () =>
  new SourceError('skip', 'the link is broken: its target does not exist', {
    hint: 'Remove the link, or name it in exclude.',
  });

function unnameable(one: Name, { folder, inside }: Tree): SourceItem | null {
  const lossy = below(folder, one.name.toString());
  const isUnwanted = one.isDirectory()
    ? inside.folder(lossy, null).rules === null
    : inside.file(lossy) === 'unwanted';
  if (isUnwanted) return null;
  const escaped = one.name
    .toString('latin1')
    .replaceAll(/[^\x20-\x7e]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
  const error = new SourceError('skip', 'its name is not UTF-8', { hint: 'Rename it.' });
  return fail(below(folder, escaped), TYPE, error);
}

const nameOf = ({ name }: Name) => name.toString();

const below = ({ path }: Folder, name: string) => (path === '' ? name : `${path}/${name}`);
