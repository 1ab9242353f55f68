/**
 * Lists a tree, folder by folder and in the order of names. A folder is one partition.
 *
 * Links to files of the tree are followed. Links to its folders are not: what is in those comes up
 * under its own path, so that no loop and no second copy can arise. A folder that is left out by default is
 * named once, and what is in it is not. Nothing is opened but folders and the small files by which they are judged.
 */
import { isUtf8 } from 'node:buffer';
import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileError } from '../../documents/file-error.ts';
import { SourceError } from '../../errors.ts';
import { chunked } from '../../util.ts';
import { fail, listed, lost, type SourceItem, skip, stub } from '../define.ts';
import type { IsOwn } from '../own-files.ts';
import { reasonBeside } from './by-name.ts';
import {
  type FolderEntry,
  follow,
  inspect,
  isWithin,
  OWN,
  relativePath,
  versionOf,
} from './entry.ts';
import { reasonInside } from './evidence.ts';
import { readGitignore } from './gitignore.ts';
import type { Reason } from './left-out.ts';
import type { Ground } from './root.ts';
import type { FileVerdict, FolderVerdict, Rules } from './rules.ts';
import { behindLink, judgeTarget } from './target.ts';

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
  /** It says what stands beside the folder and shows that it is left out by default. */
  readonly evidence: Reason | null;
}

export async function* walk(
  ground: Ground,
  signal: AbortSignal,
): AsyncGenerator<SourceItem, void, void> {
  const { root, rules, isOwn } = ground;
  const pending: Folder[] = [{ path: '', real: root, rules, evidence: null }];
  for (let folder = pending.pop(); folder; folder = pending.pop()) {
    signal.throwIfAborted();
    const { omission, error, contents } = await enter(folder, isOwn);
    if (omission)
      yield skip(folder.path, FOLDER, omission.reason, { ...omission, removes: 'partition' });
    if (error) yield lost(folder.path, error);
    if (!contents) continue;
    const tree = { ...ground, folder, inside: contents.rules };
    for (const some of chunked(contents.names, TOGETHER)) {
      signal.throwIfAborted();
      for (const item of await Promise.all(some.map((name) => look(name, tree))))
        if (item) yield item;
    }
    yield listed(folder.path);
    pending.push(...subfolders(contents.names, tree).reverse());
  }
}

interface Tree extends Ground {
  readonly folder: Folder;
  /** In the folder. */
  readonly inside: Rules;
}

type Name = Dirent<Buffer>;

interface Entered {
  /** It says why all of the folder is left out, or all but what `include` spells. */
  readonly omission?: Reason & { readonly hint?: string };
  readonly error?: SourceError;
  /** They are absent where nothing of the folder is listed. */
  readonly contents?: { readonly names: readonly Name[]; readonly rules: Rules };
}

async function enter(folder: Folder, isOwn: IsOwn): Promise<Entered> {
  const { path, real, evidence } = folder;
  const byName = judge(folder, evidence);
  if (!byName.rules) return toEntered(byName);
  try {
    // A folder that has become a link since it was met may lead anywhere.
    if ((await realpath(real)) !== real) throw becameLink();
    if (isOwn(await stat(real, { bigint: true }))) return { omission: OWN };
    const names = await readdir(real, { withFileTypes: true, encoding: 'buffer' });
    names.sort((a, b) => Buffer.compare(a.name, b.name));
    const held = await reasonInside(real, names.map(nameOf));
    const verdict = held ? judge(folder, held) : byName;
    if (!verdict.rules) return toEntered(verdict);
    const inside = verdict.rules.inside(path, await readGitignore(real));
    return { ...toEntered(verdict), contents: { names, rules: inside } };
  } catch (error) {
    return { ...toEntered(byName), error: ofOneFolder(error) };
  }
}

/** The root is read whatever it is. */
const judge = ({ path, rules }: Folder, evidence: Reason | null): FolderVerdict =>
  path === '' ? { rules, omission: null } : rules.folder(path, evidence);

const toEntered = ({ omission }: FolderVerdict): Entered => (omission ? { omission } : {});

const becameLink = () => new SourceError('skip', 'the folder cannot be read: it has become a link');

/** The error, if it concerns one folder alone. Throws any other. */
function ofOneFolder(error: unknown): SourceError {
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
      evidence: reasonBeside(name, siblings),
    }));
}

/** Gives the item of a name; null for a folder, and for what people leave out by patterns of their own. */
async function look(one: Name, tree: Tree): Promise<SourceItem | null> {
  const { folder, inside, root, isOwn } = tree;
  if (!isUtf8(one.name)) return unnameable(one, tree);
  if (one.isDirectory()) return null;
  const path = below(folder, nameOf(one));
  const verdict = inside.file(path);
  if (verdict !== 'taken') return toOmitted(path, verdict);
  const real = join(folder.real, nameOf(one));
  return one.isSymbolicLink()
    ? lookBehind(path, await follow(real, root, isOwn), tree)
    : toItem(path, folder, await inspect(real, isOwn));
}

async function lookBehind(
  path: string,
  entry: FolderEntry,
  tree: Tree,
): Promise<SourceItem | null> {
  const { folder, inside, root, rules } = tree;
  if (entry.is === 'folder') {
    const entered = inside.folder(path, null);
    if (!entered.rules) return toOmitted(path, entered.omission ?? 'unwanted');
    return isWithin(entry.real, folder.real)
      ? skip(path, TYPE, 'a link to a folder that it is in')
      : skip(path, TYPE, 'a link to a folder, which is not followed');
  }
  if (entry.is === 'gone') return fail(path, TYPE, brokenLink());
  if (entry.is === 'file') {
    const target = relativePath(root, entry.real);
    const behind = await judgeTarget(target, root, rules).catch(ofOneFolder);
    if (behind instanceof SourceError) return fail(path, TYPE, behind);
    if (behind !== 'taken') return behindLink(path, TYPE, behind);
  }
  return toItem(path, folder, entry);
}

const toOmitted = (path: string, verdict: Exclude<FileVerdict, 'taken'>): SourceItem | null =>
  verdict === 'unwanted'
    ? null
    : skip(path, TYPE, verdict.reason, { ...verdict, removes: 'record' });

function toItem(path: string, folder: Folder, entry: FolderEntry): SourceItem | null {
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
