/** Stamps of files tell whether what was made from them, a bundle of the code or the dashboard, is that of the files of now. */
import { readFileSync, statSync } from 'node:fs';

/** Has the stamp of each file and folder by its path. */
export type Stamps = Readonly<Record<string, string>>;

/**
 * Returns undefined for a file or folder that is missing or that this process may not look at. The time of the last change of
 * its state is in the stamp, because nobody can set it: npm gives all files the same time of modification, and a copy keeps
 * that of the original.
 */
export const stampOf = (path: string): string | undefined =>
  unlessRefused(() => {
    const { size, mtimeMs, ctimeMs } = statSync(path);
    return `${size} ${mtimeMs} ${ctimeMs}`;
  });

/** Leaves out what has no stamp. */
export function stampsOf(paths: Iterable<string>): Stamps {
  const stamps: Record<string, string> = {};
  for (const path of paths) {
    const stamp = stampOf(path);
    if (stamp !== undefined) stamps[path] = stamp;
  }
  return stamps;
}

/** Returns undefined when there is none that this process can read. A machine that lost its power may keep a list without its content. */
export function readStamps(list: string): Stamps | undefined {
  try {
    return unlessRefused(() => JSON.parse(readFileSync(list, 'utf8')));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export const areSame = (stamps: Stamps): boolean =>
  Object.entries(stamps).every(([path, stamp]) => stampOf(path) === stamp);

/**
 * Returns undefined when the file system refuses what `look` asks: the file is missing, belongs to another user, or was
 * removed in this moment. What cannot be looked at is not used, and no reason to end a start.
 */
function unlessRefused<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return undefined;
    throw error;
  }
}
