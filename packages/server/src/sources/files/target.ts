/** Judges the file to which a link leads, under the file's own path. */
import { join } from 'node:path';
import { type LeftOut, skip } from '../define.ts';
import { readGitignore } from './gitignore.ts';
import type { FileVerdict, Rules } from './rules.ts';

/**
 * Goes by the names and the .gitignore files on the way from the root. Things beside a folder are not looked at: a
 * link to something that a program has made is there on purpose.
 */
export async function judgeTarget(path: string, root: string, rules: Rules): Promise<FileVerdict> {
  const folders = path.split('/').slice(0, -1);
  let inside = rules.ofTargets();
  for (let depth = 0; depth <= folders.length; depth++) {
    const folder = folders.slice(0, depth).join('/');
    if (depth > 0) {
      const entered = inside.folder(folder, null);
      if (!entered.rules) return entered.omission ?? 'unwanted';
      inside = entered.rules;
    }
    inside = inside.inside(folder, await readGitignore(join(root, folder)));
  }
  return inside.file(path);
}

/** Returns the item of a link whose file may not be read. */
export function behindLink(
  id: string,
  type: string,
  verdict: Exclude<FileVerdict, 'taken'>,
): LeftOut {
  const reason = 'a link to a file that is left out';
  return verdict === 'unwanted'
    ? skip(id, type, { reason })
    : skip(id, type, { ...verdict, reason, removes: 'record' });
}
