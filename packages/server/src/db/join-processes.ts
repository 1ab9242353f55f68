/**
 * A process on PostgreSQL says that it is alive from its start to its end, so that no migration runs that it cannot bear.
 *
 * It shares the lock of migrations while it looks at the schema and adds its row. So a migration either sees the row, or has
 * ended before the process looks. A process that slept meanwhile finds at its next renewal what has run, and ends if it must.
 */
import { hostname } from 'node:os';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { newId } from '../util.ts';
import type { DatabaseKind } from './connect.ts';
import { withoutLimits } from './limits.ts';
import { assertMigrated, migrationsOf } from './migrate.ts';
import { shareMigrationLock } from './migration-lock.ts';
import { removeLostProcesses, removeProcess, renewProcess } from './process-store.ts';
import type { Schema } from './schema.ts';
import { withDeadline } from './short.ts';
import { type Migrations, newerMigrations, OtherVersionError } from './side-by-side.ts';

const RENEWAL_MS = 5000;

interface JoinOptions {
  readonly kind: DatabaseKind;
  readonly roles: readonly string[];
  readonly version: string;
  readonly log: Logger;
  /** The function is called when a newer version has changed the database so that this process cannot go on. */
  readonly onFatal: (error: Error) => void;
  readonly migrations?: Migrations;
  readonly renewalMs?: number;
}

/** Returns the function that says that the process has ended. Throws an OtherVersionError when it cannot use the database. */
export async function joinProcesses(
  db: Kysely<Schema>,
  { kind, roles, version, log, onFatal, ...options }: JoinOptions,
): Promise<() => Promise<void>> {
  const { migrations = migrationsOf(kind), renewalMs = RENEWAL_MS } = options;
  const facts = {
    id: newId(),
    host: hostname(),
    roles: roles.join(','),
    version,
    newest_migration: Object.keys(migrations).at(-1) ?? '',
  };
  let known = '';
  const sayNewer = (newer: readonly string[]) => {
    const names = newer.join(', ');
    if (names !== known)
      log.info(
        { migrations: names },
        'a newer version of Quarry has migrated the database, and this version works on beside it',
      );
    known = names;
  };
  await db.transaction().execute(async (tx) => {
    if (kind === 'postgres') await withoutLimits(tx);
    await shareMigrationLock(tx, () =>
      log.info('the start waits for the end of a migration of the database'),
    );
    await assertMigrated(tx, kind, migrations);
    sayNewer(await newerMigrations(tx, migrations));
    await removeLostProcesses(tx, kind);
    await renewProcess(tx, kind, facts);
  });

  const short = withDeadline(db);
  const renew = async () => {
    try {
      sayNewer(await newerMigrations(short, migrations));
      await renewProcess(short, kind, facts);
    } catch (error) {
      if (error instanceof OtherVersionError) onFatal(error);
      // The database may be away for a moment, and others say so. The next renewal tries again.
      else log.debug({ err: error }, 'the process could not say that it is alive');
    }
  };
  let renewal: Promise<void> | undefined;
  const timer = setInterval(() => {
    renewal ??= renew().finally(() => {
      renewal = undefined;
    });
  }, renewalMs);
  return async () => {
    clearInterval(timer);
    // A renewal after the removal would make the process look alive.
    await renewal;
    await removeProcess(short, facts.id);
  };
}
