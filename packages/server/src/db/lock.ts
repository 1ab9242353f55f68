/**
 * Only one process may use a data directory. The process holds an exclusive lock on a small SQLite file that exists
 * only for this. The operating system frees the lock when the process ends, however it ends.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Returns a function that frees the lock. Throws when another process holds the lock. */
export function lockDataDir(dataDir: string): () => void {
  const free = tryLock(fileIn(dataDir));
  if (free === null)
    throw new Error(
      `${dataDir} is in use by another Quarry: stop it, or choose another directory with --data-dir`,
    );
  return free;
}

/** Returns true while a process uses the data directory. */
export function isDataDirLocked(dataDir: string): boolean {
  const file = fileIn(dataDir);
  if (!existsSync(file)) return false;
  const free = tryLock(file);
  free?.();
  return free === null;
}

const fileIn = (dataDir: string): string => join(dataDir, 'lock.db');

/** Returns null when another process holds the lock. */
function tryLock(file: string): (() => void) | null {
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive; commit');
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode === 5) return null;
    throw error;
  }
  return () => lock.close();
}
