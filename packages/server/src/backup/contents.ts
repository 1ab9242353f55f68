/** Reads the contents of a database, all in one state. */
import type { Kysely } from 'kysely';
import { assertAlone, keepMigrationsAway, keepWritesAway } from '../db/alone.ts';
import { tableShapes } from '../db/catalog.ts';
import type { DatabaseKind } from '../db/connect.ts';
import { COPIED_TABLES } from '../db/copied-tables.ts';
import { migrationsOf } from '../db/migrate.ts';
import type { Schema, Tx } from '../db/schema.ts';
import { assertNoNewerMigrations } from '../db/side-by-side.ts';
import { inSnapshot } from '../db/snapshot.ts';
import type { CopyStream } from './parts.ts';
import { readTables } from './read-store.ts';

export interface DatabaseContents {
  readonly migrations: readonly string[];
  readonly parts: CopyStream;
}

interface ReadDatabase {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
}

/**
 * Services may use the database meanwhile. The stream must be read before `work` ends. The database must have the schema of
 * this version.
 */
export const withContents = <T>(
  { db, kind }: ReadDatabase,
  work: (contents: DatabaseContents) => Promise<T>,
): Promise<T> =>
  inSnapshot(db, async (tx) => {
    if (kind === 'postgres') await keepMigrationsAway(tx, COPIED_TABLES);
    return work(await contentsOf(tx, kind));
  });

/**
 * Nobody writes to the database meanwhile. Throws an Error with a sentence when somebody uses it. `stillAlone` throws one
 * when somebody has come since. The caller holds the lock of an embedded database.
 */
export async function withContentsAlone<T>(
  { db, kind }: ReadDatabase,
  work: (contents: DatabaseContents, stillAlone: () => Promise<void>) => Promise<T>,
): Promise<T> {
  // A service that writes much could hold its locks for long.
  if (kind === 'postgres') await assertAlone(db);
  const isPostgres = kind === 'postgres';
  const run = (read: (tx: Tx) => Promise<T>): Promise<T> =>
    // On SQLite, a transaction that may write keeps all other writes away. Commands write without the lock of a service.
    isPostgres ? inSnapshot(db, read) : db.transaction().execute(read);
  return run(async (tx) => {
    // The locks come before the first look of the transaction, so that it sees every write that they have waited for.
    if (isPostgres) await keepWritesAway(tx, COPIED_TABLES);
    return work(await contentsOf(tx, kind), async () => {
      if (isPostgres) await assertAlone(tx);
    });
  });
}

async function contentsOf(tx: Tx, kind: DatabaseKind): Promise<DatabaseContents> {
  const migrations = migrationsOf(kind);
  await assertNoNewerMigrations(tx, migrations);
  const shapes = await tableShapes(tx, kind, COPIED_TABLES);
  return {
    migrations: Object.keys(migrations),
    parts: readTables(tx, kind, shapes),
  };
}
