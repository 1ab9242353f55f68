/**
 * Enters the folders of a tree, in the order of names. It opens only folders and the small files that decide whether a
 * folder is left out.
 */
import { isUtf8 } from 'node:buffer';
import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileError } from '../../documents/file-error.ts';
import { SourceError } from '../../errors.ts';
import type { IsOwn } from '../own-files.ts';
import { reasonBySiblings } from './by-name.ts';
import { OWN_FILE } from './entry.ts';
import { reasonByContents } from './evidence.ts';
import { readGitignore } from './gitignore.ts';
import type { Reason } from './left-out.ts';
import type { SourceRoot } from './root.ts';
import type { FolderVerdict, Rules } from './rules.ts';

export interface Folder {
  /** The path of the folder is its partition. */
  readonly path: string;
  readonly real: string;
  /** These rules apply in the parent folder. */
  readonly rules: Rules;
  /** This is a reason to leave the folder out that comes from the names beside it. */
  readonly evidence: Reason | null;
}

export type Name = Dirent<Buffer>;

interface Entered {
  /** This says why the folder is left out, wholly or except for the files that `include` spells. */
  readonly omission?: Reason & { readonly hint?: string };
  readonly error?: SourceError;
  /** This is absent when the folder is not entered. The rules apply inside the folder. */
  readonly contents?: { readonly names: readonly Name[]; readonly rules: Rules };
}

/**
 * Yields every folder that is entered or left out by default. The folders on the way to those of `first` are entered
 * before all others.
 */
export async function* enterFolders(
  { root, rules, isOwn }: SourceRoot,
  { signal, first = [] }: { readonly signal: AbortSignal; readonly first?: readonly string[] },
): AsyncGenerator<Entered & { readonly folder: Folder }, void, void> {
  const isUrgent = ({ path }: Folder) =>
    first.some((one) => one === path || one.startsWith(`${path}/`));
  const urgent: Folder[] = [{ path: '', real: root, rules, evidence: null }];
  const pending: Folder[] = [];
  for (;;) {
    const folder = urgent.pop() ?? pending.pop();
    if (!folder) return;
    signal.throwIfAborted();
    const entered = await enter(folder, isOwn);
    yield { folder, ...entered };
    if (!entered.contents) continue;
    for (const below of subfolders(folder, entered.contents).reverse())
      (isUrgent(below) ? urgent : pending).push(below);
  }
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
export function errorOfOneFolder(error: unknown): SourceError {
  const known = fileError(error, 'the folder');
  if (known instanceof SourceError && known.kind === 'skip') return known;
  throw known;
}

function subfolders(folder: Folder, { names, rules }: NonNullable<Entered['contents']>): Folder[] {
  const siblings = names.map(nameOf);
  return names
    .filter((one) => one.isDirectory() && isUtf8(one.name))
    .map(nameOf)
    .map((name) => ({
      path: below(folder, name),
      real: join(folder.real, name),
      rules,
      evidence: reasonBySiblings(name, siblings),
    }));
}

export const nameOf = ({ name }: Name): string => name.toString();

export const below = ({ path }: Pick<Folder, 'path'>, name: string): string =>
  path === '' ? name : `${path}/${name}`;
