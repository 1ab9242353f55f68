/**
 * Lists a tree, folder by folder and in the order of names. Each folder is one partition.
 *
 * Links to files of the tree are followed. Links to folders are not followed: the contents of these folders are listed
 * under their own paths, and so there are neither loops nor second copies. A folder that is left out by default is
 * reported as one skipped record, without its contents.
 */
import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { SourceError } from '../../errors.ts';
import { chunked, withBytesEscaped } from '../../util.ts';
import { fail, listed, lost, type SourceItem, skip, stub } from '../items.ts';
import { type FolderEntry, follow, inspect, isWithin, relativePath, versionOf } from './entry.ts';
import type { SourceRoot } from './root.ts';
import type { FileVerdict, Rules } from './rules.ts';
import { itemOfLink, judgeTarget } from './target.ts';
import {
  below,
  enterFolders,
  errorOfOneFolder,
  type Folder,
  type Name,
  nameOf,
  type TakeChanged,
} from './tree.ts';

const TYPE = 'File';
const FOLDER = 'Folder';
/** This many names are inspected at the same time. */
const AT_ONCE = 64;

/**
 * The folders in which something changes meanwhile are listed next. When they were listed before, only their files come
 * again, because what is left out is counted already.
 */
export async function* walk(
  sourceRoot: SourceRoot,
  signal: AbortSignal,
  takeChanged?: TakeChanged,
): AsyncGenerator<SourceItem, void, void> {
  const options = { signal, ...(takeChanged && { takeChanged }) };
  for await (const entered of enterFolders(sourceRoot, options)) {
    const { folder, contents, isAgain } = entered;
    const tree = contents && { ...sourceRoot, folder, inside: contents.rules };
    if (isAgain) {
      if (tree) yield* stubsIn(contents.names, tree, signal);
      continue;
    }
    const { omission, error } = entered;
    if (omission) yield skip(folder.path, FOLDER, { ...omission, removes: 'partition' });
    if (error) yield lost(folder.path, error);
    if (!tree) continue;
    yield* itemsIn(contents.names, tree, signal);
    yield listed(folder.path);
  }
}

async function* itemsIn(
  names: readonly Name[],
  tree: Tree,
  signal: AbortSignal,
): AsyncGenerator<SourceItem, void, void> {
  for (const some of chunked(names, AT_ONCE)) {
    signal.throwIfAborted();
    for (const item of await Promise.all(some.map((name) => inspectName(name, tree))))
      if (item) yield item;
  }
}

async function* stubsIn(
  names: readonly Name[],
  tree: Tree,
  signal: AbortSignal,
): AsyncGenerator<SourceItem, void, void> {
  for await (const item of itemsIn(names, tree, signal)) if (item.kind === 'stub') yield item;
}

interface Tree extends SourceRoot {
  readonly folder: Folder;
  /** These rules apply inside the folder. */
  readonly inside: Rules;
}

/** Returns the item of a name. Returns null for a folder, and for a file that the user's own patterns leave out. */
async function inspectName(one: Name, tree: Tree): Promise<SourceItem | null> {
  const { folder, inside } = tree;
  if (!isUtf8(one.name)) return unnameable(one, tree);
  if (one.isDirectory()) return null;
  const path = below(folder, nameOf(one));
  const verdict = inside.file(path);
  if (verdict !== 'taken') return toOmitted(path, verdict);
  const real = join(folder.real, nameOf(one));
  return one.isSymbolicLink()
    ? inspectTarget(path, await follow(real, tree), tree)
    : toItem(path, folder, await inspect(real, tree));
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
  const escaped = withBytesEscaped(one.name.toString('latin1'));
  const error = new SourceError('skip', 'its name is not UTF-8', { hint: 'Rename it.' });
  return fail(below(folder, escaped), TYPE, error);
}
