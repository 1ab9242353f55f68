/**
 * Only one process may use a data directory. The process holds an exclusive lock on a small SQLite file that exists
 * only for this. The operating system frees the lock when the process ends, however it ends.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Returns a function that frees the lock. Throws when another process holds the lock. */
export function lockDataDir(dataDir: string): () => void {
  const lock = new DatabaseSync(join(dataDir, 'lock.db'), { timeout: 0 });
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive; commit');
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode === 5)
      throw new Error(
        `${dataDir} is in use by another Quarry: stop it, or choose another directory with --data-dir`,
      );
    throw error;
  }
  return () => lock.close();
}
