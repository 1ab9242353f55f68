/**
 * Processes of two versions may use one database side by side while the newer version's migrations are additive: a version
 * that does not know an additive migration works after it as before (CONTRIBUTING.md says what such a migration may do).
 *
 * - The table `additive_migrations` names the additive ones that have run, because an older version cannot know it of itself.
 * - An older version goes on when all later migrations are additive. Otherwise it ends with a message.
 * - A migration that is not additive does not begin while a process that does not know it is alive (join-processes.ts).
 */
import { type Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration } from 'kysely/migration';
import type { DatabaseKind } from './connect.ts';
import { aliveProcesses } from './process-store.ts';
import type { Db, Schema } from './schema.ts';

export interface VersionedMigration extends Migration {
  /** It is true when a version that does not know the migration works after it as before. */
  readonly isAdditive?: true;
}

/** The versions of Quarry know different migrations. The names are in the order in which the migrations run. */
export type Migrations = Readonly<Record<string, VersionedMigration>>;

/** This migration makes the tables of this file. */
const FIRST = '0058-side-by-side';

/** The version of this process cannot use the database as it is. The message is for users. */
export class OtherVersionError extends Error {
  override readonly name = 'OtherVersionError';
}

/** Older processes use the database, and a migration cannot run beside them. The message is for users. */
export class OlderProcessesError extends Error {
  override readonly name = 'OlderProcessesError';
}

/** Returns the same migrations. When an additive one runs, the database keeps its name for older versions. */
export function noted(migrations: Migrations): Migrations {
  const one = ([name, migration]: [string, VersionedMigration]): [string, VersionedMigration] => {
    const { up, isAdditive } = migration;
    if (!isAdditive) return [name, migration];
    const upAndNote = async (db: Kysely<Schema>) => {
      await up(db);
      await db.insertInto('additive_migrations').values({ name }).execute();
    };
    return [name, { ...migration, up: upAndNote }];
  };
  return Object.fromEntries(Object.entries(migrations).map(one));
}

/**
 * Returns the names of the migrations of newer versions that have run. Throws an OtherVersionError when one of them is not
 * additive. The database must have run a migration.
 */
export async function newerMigrations(db: Db, known: Migrations): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from ${sql.table(DEFAULT_MIGRATION_TABLE)} order by name`.execute(db);
  const ran = rows.map(({ name }) => name);
  const newer = ran.filter((name) => !(name in known));
  if (newer.length === 0) return [];
  const additive = ran.includes(FIRST)
    ? await db.selectFrom('additive_migrations').select('name').where('name', 'in', newer).execute()
    : [];
  const names = new Set(additive.map(({ name }) => name));
  const stopping = newer.filter((name) => !names.has(name));
  if (stopping.length > 0)
    throw new OtherVersionError(
      `the database is of a newer version of Quarry, which has run the migration ${stopping.join(', ')}: use that version, or restore a backup from before its start`,
    );
  return newer;
}

/** Throws an OtherVersionError when a newer version has changed the database, also when its migrations are additive. */
export async function assertNoNewerMigrations(db: Db, known: Migrations): Promise<void> {
  const newer = await newerMigrations(db, known);
  if (newer.length > 0)
    throw new OtherVersionError(
      `a newer version of Quarry has run the migration ${newer.join(', ')}, so the database has contents that this version does not know: use that version for this`,
    );
}

/**
 * Throws an OlderProcessesError when processes are alive that do not know one of these migrations, and it is not additive.
 * The caller holds the lock of migrations, so that no process can start meanwhile.
 */
export async function refuseBesideOlder(
  db: Db,
  kind: DatabaseKind,
  { pending, migrations }: { readonly pending: readonly string[]; readonly migrations: Migrations },
): Promise<void> {
  // Processes of a version before this migration do not say that they are alive.
  if (pending.includes(FIRST)) return;
  const stopping = pending.filter((name) => !migrations[name]?.isAdditive);
  const newest = stopping.at(-1);
  if (newest === undefined) return;
  const older = (await aliveProcesses(db, kind)).filter((one) => one.newest_migration < newest);
  if (older.length === 0) return;
  const list = older.map(({ roles, host, version }) => `${roles} on ${host} (${version})`);
  throw new OlderProcessesError(
    `the migration ${stopping.join(', ')} cannot run beside processes of an older version, and ${older.length} ${older.length === 1 ? 'is' : 'are'} alive: ${list.join(', ')}. Stop all of them; one that was killed counts as alive for half a minute`,
  );
}
