/**
 * Enters the folders of a tree, in the order of names. It opens only folders and the small files that decide whether a
 * folder is left out.
 */
import { isUtf8 } from 'node:buffer';
import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileError } from '../../documents/file-error.ts';
import { reasonBySiblings } from '../../documents/left-out/by-name.ts';
import type { Reason } from '../../documents/left-out/left-out.ts';
import { SourceError } from '../../errors.ts';
import type { IsOwn } from '../own-files.ts';
import { OWN_FILE } from './entry.ts';
import { reasonByContents } from './evidence.ts';
import { readGitignore } from './gitignore.ts';
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

/** Returns the folders in which something has changed since the last call. */
export type TakeChanged = () => readonly string[];

interface EnteredFolder extends Entered {
  readonly folder: Folder;
  /** If true, the folder was yielded before, and something in it has changed since then. */
  readonly isAgain: boolean;
}

/**
 * Yields every folder that is entered or left out by default. The folders in which something has changed, and those on
 * the way to them, come next, before all others. A folder that was entered before comes again.
 */
export async function* enterFolders(
  { root, rules, isOwn }: SourceRoot,
  {
    signal,
    takeChanged = () => [],
  }: { readonly signal: AbortSignal; readonly takeChanged?: TakeChanged },
): AsyncGenerator<EnteredFolder, void, void> {
  const agenda = createAgenda({ path: '', real: root, rules, evidence: null });
  for (;;) {
    for (const path of takeChanged()) agenda.prefer(path);
    const next = agenda.next();
    if (!next) return;
    signal.throwIfAborted();
    const entered = await enter(next.folder, isOwn);
    yield { ...next, ...entered };
    if (entered.contents) agenda.add(subfolders(next.folder, entered.contents));
  }
}

/** A look ends also while a folder changes all the time. The next look finds what has changed since. */
const MOST_REPEATS = 3;

/** Keeps the folders that remain to be entered. */
function createAgenda(top: Folder) {
  const known = new Map<string, Folder>([[top.path, top]]);
  const entered = new Set<string>();
  const preferred = new Set<string>();
  const repeats = new Map<string, number>();
  const urgent: Folder[] = [top];
  let pending: Folder[] = [];

  const isUrgent = ({ path }: Folder) =>
    preferred.values().some((one) => one === path || one.startsWith(`${path}/`));

  return {
    /** Returns undefined when none remains. */
    next(): Pick<EnteredFolder, 'folder' | 'isAgain'> | undefined {
      const folder = urgent.pop() ?? pending.pop();
      if (!folder) return undefined;
      const isAgain = entered.has(folder.path);
      entered.add(folder.path);
      return { folder, isAgain };
    },

    /** Adds those of the folders that are new. */
    add(folders: readonly Folder[]): void {
      for (const folder of folders.toReversed()) {
        if (known.has(folder.path)) continue;
        known.set(folder.path, folder);
        (isUrgent(folder) ? urgent : pending).push(folder);
      }
    },

    /** Has this folder come next, also when it was entered before, but not for ever. */
    prefer(path: string): void {
      const folder = known.get(path);
      if (folder && entered.has(path)) {
        const repeated = repeats.get(path) ?? 0;
        if (repeated === MOST_REPEATS) return;
        repeats.set(path, repeated + 1);
        urgent.push(folder);
        return;
      }
      preferred.add(path);
      urgent.push(...pending.filter(isUrgent));
      pending = pending.filter((one) => !isUrgent(one));
    },
  };
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
