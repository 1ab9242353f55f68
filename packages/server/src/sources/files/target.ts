/** Decides whether the target of a link may be read, by the target's own path. */
import { join } from 'node:path';
import { type LeftOut, skip } from '../items.ts';
import { readGitignore } from './gitignore.ts';
import type { FileVerdict, Rules } from './rules.ts';

/**
 * Checks the names and the .gitignore files of all folders from the root to the target. Files beside these folders are
 * not checked: a user who links to a file that a program has made wants that file.
 */
export async function judgeTarget(path: string, root: string, rules: Rules): Promise<FileVerdict> {
  const folders = path.split('/').slice(0, -1);
  let current = rules.ofTargets();
  for (let depth = 0; depth <= folders.length; depth++) {
    const folder = folders.slice(0, depth).join('/');
    if (depth > 0) {
      const entered = current.folder(folder, null);
      if (!entered.rules) return entered.omission ?? 'unwanted';
      current = entered.rules;
    }
    current = current.inside(folder, await readGitignore(join(root, folder)));
  }
  return current.file(path);
}

/** Returns the item of a link whose file may not be read. */
export function itemOfLink(
  id: string,
  type: string,
  verdict: Exclude<FileVerdict, 'taken'>,
): LeftOut {
  const reason = 'a link to a file that is left out';
  return verdict === 'unwanted'
    ? skip(id, type, { reason })
    : skip(id, type, { ...verdict, reason, removes: 'record' });
}
