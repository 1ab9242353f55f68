/** Makes some names of every pattern of documents/left-out/left-out.ts. */
import { type LeftOutGroup, OTHERS, SECRETS } from '../../documents/left-out/left-out.ts';

const BRACES = /\{([^{}]*)\}/;

/** The function replaces `*` with x or with nothing, `%` with y, and `?` with a space. */
function namesOf(pattern: string): string[] {
  const [braces, inner = ''] = BRACES.exec(pattern) ?? [];
  if (braces !== undefined)
    return inner.split(',').flatMap((one) => namesOf(pattern.replace(braces, () => one)));
  const named = pattern.replaceAll('%', 'y').replaceAll('?', ' ');
  return [...new Set([named.replaceAll('*', 'x'), named.replaceAll('*', '')])];
}

const all = (groups: readonly LeftOutGroup[], kind: 'files' | 'folders'): string[] =>
  groups.flatMap(({ [kind]: patterns = '' }) =>
    patterns.split(/\s+/).filter(Boolean).flatMap(namesOf),
  );

export const SECRET_FILES = all(SECRETS, 'files');
export const SECRET_FOLDERS = all(SECRETS, 'folders');
export const OTHER_FILES = all(OTHERS, 'files');
export const OTHER_FOLDERS = all(OTHERS, 'folders');
