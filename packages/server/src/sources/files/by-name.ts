/** Judges names by the lists of what is left out by default. */
import { namesBehind } from './copies.ts';
import { BESIDE, type LeftOutGroup, REST, type Reason, SECRETS } from './left-out.ts';
import { oneOf } from './name-pattern.ts';

interface Rule {
  readonly why: Reason;
  readonly matches: RegExp;
}

const secretFiles = rulesOf(SECRETS, 'files');
const secretFolders = rulesOf(SECRETS, 'folders');
const otherFiles = rulesOf(REST, 'files');
const otherFolders = rulesOf(REST, 'folders');
const evidence = BESIDE.map(({ reason, detail, folders, files }) => ({
  why: { reason, detail },
  folders: oneOf(folders),
  files: oneOf(files),
}));

/** Says why a file is left out by its path, or null when it is not left out. The folders above it are not judged. */
export const fileReason = (path: string): Reason | null =>
  ofSecrets(secretFiles, path) ?? firstOf(otherFiles, path);

/** Says the same about a folder. */
export const folderReason = (path: string): Reason | null =>
  ofSecrets(secretFolders, path) ?? firstOf(otherFolders, path);

/** Says why everything below a folder is left out: the folder is a folder of secrets, or lies in one. */
export function secretPlace(path: string): Reason | null {
  const parts = path.split('/');
  for (let depth = parts.length; depth > 0; depth--) {
    const reason = ofSecrets(secretFolders, parts.slice(0, depth).join('/'));
    if (reason) return reason;
  }
  return null;
}

/** Says why a folder with the name of an everyday word is left out, judged by the names beside it. */
export function reasonBeside(name: string, siblings: readonly string[]): Reason | null {
  const named = evidence.filter(({ folders }) => folders.test(name));
  return named.find(({ files }) => siblings.some((one) => files.test(one)))?.why ?? null;
}

/** Judges a path by its own name, and by all names of which that name is a copy. */
function ofSecrets(rules: readonly Rule[], path: string): Reason | null {
  const at = path.lastIndexOf('/') + 1;
  for (const name of namesBehind(path.slice(at))) {
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
