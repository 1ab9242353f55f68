/** Compares names with the lists of files and folders that are left out by default (left-out.ts). */
import { nameAndOriginals } from './copies.ts';
import { BY_SIBLINGS, type LeftOutGroup, OTHERS, type Reason, SECRETS } from './left-out.ts';
import { oneOf } from './name-pattern.ts';

interface Rule {
  readonly why: Reason;
  readonly matches: RegExp;
}

const secretFiles = rulesOf(SECRETS, 'files');
const secretFolders = rulesOf(SECRETS, 'folders');
const otherFiles = rulesOf(OTHERS, 'files');
const otherFolders = rulesOf(OTHERS, 'folders');
const evidence = BY_SIBLINGS.map(({ reason, detail, folders, files }) => ({
  why: { reason, detail },
  folders: oneOf(folders),
  files: oneOf(files),
}));

/** Returns why a file is left out because of its path, or null. Does not check the folders above the file. */
export const fileReason = (path: string): Reason | null =>
  secretReason(secretFiles, path) ?? firstOf(otherFiles, path);

/** Returns why a folder is left out because of its path, or null. */
export const folderReason = (path: string): Reason | null =>
  secretReason(secretFolders, path) ?? firstOf(otherFolders, path);

/**
 * Returns why everything below a folder is left out, or null. The reason is that the folder is a folder of secrets, or
 * lies in one.
 */
export function secretFolderReason(path: string): Reason | null {
  const parts = path.split('/');
  for (let depth = parts.length; depth > 0; depth--) {
    const reason = secretReason(secretFolders, parts.slice(0, depth).join('/'));
    if (reason) return reason;
  }
  return null;
}

/**
 * Returns why a folder is left out because of the names beside it, or null. This is for folders whose name is an
 * everyday word, such as `build`.
 */
export function reasonBySiblings(name: string, siblings: readonly string[]): Reason | null {
  const named = evidence.filter(({ folders }) => folders.test(name));
  return named.find(({ files }) => siblings.some((one) => files.test(one)))?.why ?? null;
}

/** Compares a path with the rules. For the name of a copy, such as `.env~`, it also compares the name of the original. */
function secretReason(rules: readonly Rule[], path: string): Reason | null {
  const at = path.lastIndexOf('/') + 1;
  for (const name of nameAndOriginals(path.slice(at))) {
    const reason = firstOf(rules, path.slice(0, at) + name);
    if (reason) return reason;
  }
  return null;
}

function firstOf(rules: readonly Rule[], path: string): Reason | null {
  return rules.find(({ matches }) => matches.test(path))?.why ?? null;
}

function rulesOf(groups: readonly LeftOutGroup[], kind: 'files' | 'folders'): Rule[] {
  return groups.flatMap(({ reason, detail, [kind]: patterns }) =>
    patterns === undefined ? [] : { why: { reason, detail }, matches: oneOf(patterns) },
  );
}
