/**
 * One process to a data directory: an exclusive lock on a small SQLite file of its own, which the
 * kernel frees whatever the process dies of.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Gives the function that frees it. Throws when another process has it. */
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
