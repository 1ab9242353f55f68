/** This file lets several statements read one state of the database. */
import type { Kysely } from 'kysely';
import type { Schema, Tx } from './schema.ts';

/**
 * All that `work` reads with its transaction belongs to one commit. The transaction holds a connection, and on
 * SQLite it keeps the log from being reset, so it must wait for nothing but the database.
 */
export const inSnapshot = <T>(db: Kysely<Schema>, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work);
