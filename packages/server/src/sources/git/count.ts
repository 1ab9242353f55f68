/**
 * Counts the files of a commit before the first of them is read. A small repository can describe billions of files, by
 * folders that contain one folder many times. Each different folder is opened once, so such a repository is counted as
 * fast as any other.
 */
import { SourceError } from '../../errors.ts';
import type { GitObjects } from './objects.ts';

const MAX_FILES = 500_000;
const MAX_DEPTH = 200;
const FOLDER = '040000';

/** Throws a SourceError 'config' when the commit has too many files, or too many folders in each other. */
export async function checkSize(objects: GitObjects, commit: string): Promise<void> {
  const counts = new Map<string, number>();
  async function count(tree: string, depth: number): Promise<number> {
    const known = counts.get(tree);
    if (known !== undefined) return known;
    if (depth > MAX_DEPTH)
      throw new SourceError(
        'config',
        `the repository has more than ${MAX_DEPTH} folders in each other`,
      );
    let sum = 0;
    for (const { mode, oid } of await objects.tree(tree))
      sum += mode === FOLDER ? await count(oid, depth + 1) : 1;
    if (sum > MAX_FILES)
      throw new SourceError('config', `the branch has more than ${MAX_FILES} files`);
    counts.set(tree, sum);
    return sum;
  }
  await count(await objects.treeOf(commit), 0);
}
