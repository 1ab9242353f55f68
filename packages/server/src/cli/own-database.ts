/** Commands that work on the database itself, whether or not the service runs, open it here. */
import { existsSync } from 'node:fs';
import type { Kysely } from 'kysely';
import type { Config } from '../config.ts';
import { directDatabaseUrl } from '../db/address.ts';
import { connect, databaseKind } from '../db/connect.ts';
import { assertMigrated } from '../db/migrate.ts';
import type { Schema } from '../db/schema.ts';
import { explained } from '../db/unavailable.ts';

/**
 * Opens the database that the settings name, and closes it after `work`. Throws an Error with a sentence when it does
 * not exist, is of an older version, or cannot be reached.
 */
export async function withOwnDatabase<Result>(
  config: Config,
  work: (db: Kysely<Schema>) => Promise<Result>,
): Promise<Result> {
  const url = directDatabaseUrl(config);
  const kind = databaseKind(url);
  // This check comes first, because SQLite would create a missing file.
  if (kind === 'sqlite' && !existsSync(url))
    throw new Error(
      `${config.QUARRY_DATA_DIR} holds no database: start Quarry once, which makes it, or name the data directory with --data-dir`,
    );
  // A service that commits much may hold the lock to write for a while.
  const db = connect(url, { lockWaitMs: 60_000 });
  try {
    await assertMigrated(db, kind);
    return await work(db);
  } catch (error) {
    throw explained(error);
  } finally {
    await db.destroy();
  }
}
