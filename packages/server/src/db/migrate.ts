/** This file brings the schema of a database up to date. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ColumnDataType, type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { DatabaseKind } from './connect.ts';
import { withoutLimits } from './limits.ts';
import { lockMigrations } from './migration-lock.ts';
import * as first from './migrations/0001-first.ts';
import * as resume from './migrations/0002-resume.ts';
import * as postgresIndex from './migrations/0003-postgres-index.ts';
import * as events from './migrations/0004-events.ts';
import * as maintenance from './migrations/0005-maintenance.ts';
import * as history from './migrations/0006-history.ts';
import * as foldedNames from './migrations/0007-folded-names.ts';
import * as memberLists from './migrations/0008-member-lists.ts';
import * as agenticQuota from './migrations/0009-agentic-quota.ts';
import * as firstGeneration from './migrations/0010-first-generation.ts';
import * as transformers from './migrations/0011-transformers.ts';
import * as webhooks from './migrations/0012-webhooks.ts';
import * as termNumbers from './migrations/0013-term-numbers.ts';
import * as limitedKeys from './migrations/0014-limited-keys.ts';
import * as leftOut from './migrations/0015-left-out.ts';
import * as secretsFound from './migrations/0016-secrets-found.ts';
import * as deletedOrganizations from './migrations/0017-deleted-organizations.ts';
import * as defaults from './migrations/0018-defaults.ts';
import * as entityFields from './migrations/0019-entity-fields.ts';
import * as refusedWrites from './migrations/0020-refused-writes.ts';
import * as recipeColumns from './migrations/0021-recipe-columns.ts';
import * as failedEntities from './migrations/0022-failed-entities.ts';
import * as noSuccessors from './migrations/0023-no-successors.ts';
import * as noTimeOfEntry from './migrations/0024-no-time-of-entry.ts';
import * as titles from './migrations/0025-titles.ts';
import * as ownWeights from './migrations/0026-own-weights.ts';
import * as cosines from './migrations/0027-cosines.ts';
import * as begunAgain from './migrations/0028-begun-again.ts';
import * as signIn from './migrations/0030-sign-in.ts';
import * as sourceRateLimits from './migrations/0031-source-rate-limits.ts';
import * as authProviders from './migrations/0032-auth-providers.ts';
import * as signInFailures from './migrations/0033-sign-in-failures.ts';
import * as missingEntities from './migrations/0034-missing-entities.ts';
import * as recordsBelow from './migrations/0035-records-below.ts';
import * as outlookFiles from './migrations/0036-outlook-files.ts';
import * as accounts from './migrations/0037-accounts.ts';
import * as startLinks from './migrations/0038-start-links.ts';
import * as trueAsOf from './migrations/0039-true-as-of.ts';
import * as countsByType from './migrations/0040-counts-by-type.ts';
import * as auditEvents from './migrations/0041-audit-events.ts';
import * as countPoints from './migrations/0042-count-points.ts';
import * as heldBack from './migrations/0043-held-back-deletions.ts';
import * as withoutVectors from './migrations/0044-records-without-vectors.ts';
import * as usageDays from './migrations/0045-usage-days.ts';
import * as vouchedAccounts from './migrations/0046-vouched-accounts.ts';
import * as inviters from './migrations/0047-inviters.ts';
import * as namesOfConnections from './migrations/0048-names-of-connections.ts';
import * as folderWatches from './migrations/0049-folder-watches.ts';
import * as pushKeys from './migrations/0050-push-keys.ts';
import * as linesOfChunks from './migrations/0051-lines-of-chunks.ts';
import * as placesOfChunks from './migrations/0052-places-of-chunks.ts';
import * as refusedRecords from './migrations/0053-refused-records.ts';
import * as wordsInRows from './migrations/0054-words-in-rows.ts';
import * as notifyWorkers from './migrations/0055-notify-workers.ts';
import * as exactPositions from './migrations/0056-exact-positions.ts';
import * as causes from './migrations/0057-causes.ts';
import * as sideBySide from './migrations/0058-side-by-side.ts';
import * as segments from './migrations/0059-segments.ts';
import * as membersReadAt from './migrations/0060-members-read-at.ts';
import * as settledCounts from './migrations/0061-settled-counts.ts';
import * as fullEveryWeek from './migrations/0062-full-every-week.ts';
import * as backups from './migrations/0063-backups.ts';
import * as collectionsOfChunks from './migrations/0064-collections-of-chunks.ts';
import type { Db, Schema } from './schema.ts';
import {
  type Migrations,
  newerMigrations,
  noted,
  OlderProcessesError,
  refuseBesideOlder,
} from './side-by-side.ts';

/** These column types have different names in SQLite and PostgreSQL. */
export interface ColumnTypes {
  readonly json: ColumnDataType;
  readonly bytes: ColumnDataType;
  readonly flag: ColumnDataType;
  readonly real: ColumnDataType;
  /** In SQLite, a primary key of this type is the row's own number. */
  readonly rowid: ColumnDataType;
  readonly serial: ColumnDataType;
  readonly autoIncrement: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
}

const TYPES: Record<DatabaseKind, ColumnTypes> = {
  sqlite: {
    json: 'text',
    bytes: 'blob',
    flag: 'integer',
    real: 'real',
    rowid: 'integer',
    serial: 'integer',
    autoIncrement: (column) => column.autoIncrement(),
  },
  postgres: {
    json: 'jsonb',
    bytes: 'bytea',
    flag: 'boolean',
    real: 'double precision',
    rowid: 'bigint',
    serial: 'bigserial',
    autoIncrement: (column) => column,
  },
};

/**
 * Returns the migrations in order. A released migration must never be edited, because it has already changed the data
 * of users.
 */
export function migrationsOf(kind: DatabaseKind): Migrations {
  const types = TYPES[kind];
  return noted({
    '0001-first': { up: first.up(types) },
    '0002-resume': { up: resume.up(types) },
    '0003-postgres-index': { up: postgresIndex.up(kind) },
    '0004-events': { up: events.up(types) },
    '0005-maintenance': { up: maintenance.up(types) },
    '0006-history': { up: history.up(kind) },
    '0007-folded-names': { up: foldedNames.up },
    '0008-member-lists': { up: memberLists.up },
    '0009-agentic-quota': { up: agenticQuota.up },
    '0010-first-generation': { up: firstGeneration.up },
    '0011-transformers': { up: transformers.up(types) },
    '0012-webhooks': { up: webhooks.up(kind, types) },
    '0013-term-numbers': { up: termNumbers.up(types) },
    '0014-limited-keys': { up: limitedKeys.up(types) },
    '0015-left-out': { up: leftOut.up(types) },
    '0016-secrets-found': { up: secretsFound.up(types) },
    '0017-deleted-organizations': { up: deletedOrganizations.up },
    '0018-defaults': { up: defaults.up },
    '0019-entity-fields': { up: entityFields.up(kind) },
    '0020-refused-writes': { up: refusedWrites.up(types) },
    '0021-recipe-columns': { up: recipeColumns.up(types) },
    '0022-failed-entities': { up: failedEntities.up },
    '0023-no-successors': { up: noSuccessors.up },
    '0024-no-time-of-entry': { up: noTimeOfEntry.up },
    '0025-titles': { up: titles.up },
    '0026-own-weights': { up: ownWeights.up(types) },
    '0027-cosines': { up: cosines.up },
    '0028-begun-again': { up: begunAgain.up },
    '0030-sign-in': { up: signIn.up },
    '0031-source-rate-limits': { up: sourceRateLimits.up(kind, types) },
    '0032-auth-providers': { up: authProviders.up },
    '0033-sign-in-failures': { up: signInFailures.up },
    '0034-missing-entities': { up: missingEntities.up },
    '0035-records-below': { up: recordsBelow.up },
    '0036-outlook-files': { up: outlookFiles.up },
    '0037-accounts': { up: accounts.up },
    '0038-start-links': { up: startLinks.up },
    '0039-true-as-of': { up: trueAsOf.up },
    '0040-counts-by-type': { up: countsByType.up(types) },
    '0041-audit-events': { up: auditEvents.up(types) },
    '0042-count-points': { up: countPoints.up(types) },
    '0043-held-back-deletions': { up: heldBack.up },
    '0044-records-without-vectors': { up: withoutVectors.up },
    '0045-usage-days': { up: usageDays.up },
    '0046-vouched-accounts': { up: vouchedAccounts.up },
    '0047-inviters': { up: inviters.up },
    '0048-names-of-connections': { up: namesOfConnections.up },
    '0049-folder-watches': { up: folderWatches.up },
    '0050-push-keys': { up: pushKeys.up },
    '0051-lines-of-chunks': { up: linesOfChunks.up },
    '0052-places-of-chunks': { up: placesOfChunks.up(types) },
    '0053-refused-records': { up: refusedRecords.up },
    '0054-words-in-rows': { up: wordsInRows.up(kind) },
    '0055-notify-workers': { up: notifyWorkers.up(kind) },
    '0056-exact-positions': { up: exactPositions.up(kind) },
    '0057-causes': { up: causes.up(types) },
    '0058-side-by-side': { up: sideBySide.up, isAdditive: true },
    '0059-segments': { up: segments.up, isAdditive: true },
    '0060-members-read-at': { up: membersReadAt.up, isAdditive: true },
    '0061-settled-counts': { up: settledCounts.up(types), isAdditive: true },
    '0062-full-every-week': { up: fullEveryWeek.up },
    '0063-backups': { up: backups.up, isAdditive: true },
    '0064-collections-of-chunks': { up: collectionsOfChunks.up(kind) },
  });
}

const migratorOf = (db: Db, migrations: Migrations) =>
  new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });

/** A migration that waits for a lock keeps all others from the table meanwhile, so it gives way soon and tries again. */
const LOCK_TIMEOUT = sql.lit('3s');
const LOCK_TRIALS = 20;
const RETRY_MS = 1000;
/** PostgreSQL reports these when a lock was not to be had in time, and when two transactions wait for each other. */
const LOCK_LOSSES: readonly unknown[] = ['55P03', '40P01'];

export interface MigrateOptions {
  readonly migrations?: Migrations;
  /** Older processes that are in the way of a migration have this time to end. */
  readonly waitMs?: number;
  /** The function is called with a sentence when the wait begins. */
  readonly onWait?: (why: string) => void;
}

/** Brings the schema up to date. Returns the names of the migrations that have run now. */
export async function migrate(
  db: Db,
  kind: DatabaseKind,
  { migrations = migrationsOf(kind), waitMs = 0, onWait }: MigrateOptions = {},
): Promise<readonly string[]> {
  if ((await pendingMigrations(db, kind, migrations)).length === 0) return [];
  if (kind === 'sqlite') return migrateToLatest(db, migrations);
  if (db.isTransaction) return migrateLocked(db, migrations);
  const until = performance.now() + waitMs;
  let isWaiting = false;
  for (let trial = 1; ; ) {
    try {
      return await db.transaction().execute(async (tx) => migrateLocked(tx, migrations));
    } catch (error) {
      if (error instanceof OlderProcessesError && performance.now() < until) {
        if (!isWaiting) onWait?.(error.message);
        isWaiting = true;
      } else if (!hasLostLock(error) || trial++ === LOCK_TRIALS) throw error;
      await sleep(RETRY_MS);
    }
  }
}

async function migrateLocked(tx: Db, migrations: Migrations): Promise<readonly string[]> {
  await withoutLimits(tx);
  await lockMigrations(tx);
  // Another process may have migrated while this one waited for the lock.
  const pending = await pendingMigrations(tx, 'postgres', migrations);
  await refuseBesideOlder(tx, 'postgres', { pending, migrations });
  await sql`set local lock_timeout = ${LOCK_TIMEOUT}`.execute(tx);
  const ran = await migrateToLatest(tx, migrations);
  await sql`set local lock_timeout = 0`.execute(tx);
  return ran;
}

const hasLostLock = (error: unknown): boolean =>
  error instanceof Error &&
  LOCK_LOSSES.includes((error.cause as { readonly code?: unknown } | undefined)?.code);

async function migrateToLatest(db: Db, migrations: Migrations): Promise<readonly string[]> {
  const faults: unknown[] = [];
  const watched = withFaults(migrations, (fault) => faults.push(fault));
  const { error, results = [] } = await migratorOf(db, watched).migrateToLatest();
  if (error === undefined) return results.map(({ migrationName }) => migrationName);
  const [cause = error] = faults;
  const { message } = cause as Error;
  throw new Error(`the database could not be brought up to date: ${message}`, { cause });
}

/**
 * Returns the same migrations, whose errors are also told. On PostgreSQL, Kysely asks something more after an error, and the
 * transaction refuses that with another error.
 */
const withFaults = (migrations: Migrations, onFault: (fault: unknown) => void): Migrations =>
  Object.fromEntries(
    Object.entries(migrations).map(([name, migration]) => {
      const up = (db: Kysely<Schema>) =>
        migration.up(db).catch((fault) => {
          onFault(fault);
          throw fault;
        });
      return [name, { ...migration, up }];
    }),
  );

/**
 * Returns the names of the migrations that have not run yet, in their order. Throws an OtherVersionError when a newer
 * version has run one that is not additive. Changes nothing.
 */
export async function pendingMigrations(
  db: Db,
  kind: DatabaseKind,
  migrations: Migrations = migrationsOf(kind),
): Promise<readonly string[]> {
  const all = await migratorOf(db, migrations).getMigrations();
  const pending = all.filter(({ executedAt }) => executedAt === undefined);
  // Without a migration that has run, the table of their names may not exist.
  if (pending.length < all.length) await newerMigrations(db, migrations);
  return pending.map(({ name }) => name);
}

/** Throws an error with a message for users when this version cannot use the schema. Changes nothing. */
export async function assertMigrated(
  db: Db,
  kind: DatabaseKind,
  migrations: Migrations = migrationsOf(kind),
): Promise<void> {
  if ((await pendingMigrations(db, kind, migrations)).length > 0)
    throw new Error(
      'the database is empty or of an older version: run quarry migrate, or start Quarry once, which brings it up to date',
    );
}
