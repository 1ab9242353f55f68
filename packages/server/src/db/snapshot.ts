/** This file lets several statements read one state of the database. */
import type { Kysely } from 'kysely';
import type { Schema, Tx } from './schema.ts';

/**
 * Everything that `work` reads in its transaction belongs to one state of the database. The transaction occupies a
 * connection, and on SQLite the log grows as long as it is open, so `work` must wait for nothing but the database.
 */
export const inSnapshot = <T>(db: Kysely<Schema>, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work);
