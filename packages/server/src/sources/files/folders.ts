/** Suggests folders of this machine, with the number of files that a sync would read there. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { SourceError } from '../../errors.ts';
import type { FieldOption, SourceEnvironment } from '../define.ts';
import { openRoot, openSourceRoot, type SourceRoot } from './root.ts';
import { walk } from './walk.ts';

/** A person reads through no more suggestions than this, and each is counted. */
const MOST_FOLDERS = 20;
/** All folders are counted within this time, because a person waits for the answer. */
const COUNT_MS = 1500;

interface Suggested {
  /** The folders in which people keep their files are here. */
  readonly home: string;
  /** The service was started in this folder. */
  readonly current: string;
  /** If it is an absolute path, the folders at this place are suggested instead. */
  readonly query: string;
  /** The count of a folder stops after this number of files. */
  readonly mostCounted: number;
}

type FolderAccess = Pick<SourceEnvironment, 'allowPath' | 'ownFiles'> & {
  readonly signal: AbortSignal;
};

export async function suggestFolders(
  { home, current, query, mostCounted }: Suggested,
  asking: FolderAccess,
): Promise<FieldOption[]> {
  const paths = isAbsolute(query)
    ? await foldersIn(query.endsWith('/') ? query : dirname(query), asking)
    : [current, ...(await foldersIn(home, asking))];
  const signal = AbortSignal.any([asking.signal, AbortSignal.timeout(COUNT_MS)]);
  const options = await Promise.all(
    [...new Set(paths)].slice(0, MOST_FOLDERS).map(async (path) => {
      const root = await unlessRefused(() => openSourceRoot({ path }, asking));
      if (!root) return [];
      return {
        value: path,
        title: basename(path) || path,
        description: await amount(root, { mostCounted, signal }),
      };
    }),
  );
  asking.signal.throwIfAborted();
  return options.flat();
}

/** Returns the paths of the folders that are not hidden, in the order of their names. */
async function foldersIn(parent: string, { allowPath }: FolderAccess): Promise<string[]> {
  const root = await unlessRefused(() => openRoot(parent, allowPath));
  if (!root) return [];
  const entries = await readdir(root, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => join(parent, name))
    .sort();
}

/** Returns undefined for a folder that does not exist, or that this installation or this user may not read. */
async function unlessRefused<T>(open: () => Promise<T>): Promise<T | undefined> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof SourceError) return undefined;
    throw error;
  }
}

async function amount(
  root: SourceRoot,
  { mostCounted, signal }: Pick<Suggested, 'mostCounted'> & Pick<FolderAccess, 'signal'>,
): Promise<string> {
  let files = 0;
  try {
    for await (const item of walk(root, signal)) {
      if (item.kind === 'stub') files++;
      if (files > mostCounted) break;
    }
  } catch (error) {
    if (!signal.aborted && !(error instanceof SourceError)) throw error;
    return files === 0 ? 'not counted' : `more than ${files.toLocaleString('en-GB')} files`;
  }
  if (files > mostCounted) return `more than ${mostCounted.toLocaleString('en-GB')} files`;
  return files === 1 ? '1 file' : `${files.toLocaleString('en-GB')} files`;
}
