/**
 * `quarry migrate` brings the database up to date, so that a service of several processes can start with QUARRY_MIGRATE=false
 * on a database of its version.
 */
import { existsSync } from 'node:fs';
import type { Config } from '../config.ts';
import { directDatabaseUrl } from '../db/address.ts';
import { connect, databaseKind } from '../db/connect.ts';
import { prepareDataDir } from '../db/data-dir.ts';
import { lockDataDir } from '../db/lock.ts';
import { migrate, pendingMigrations } from '../db/migrate.ts';
import { explained } from '../db/unavailable.ts';

interface MigrateFlags {
  /** Nothing is changed. */
  readonly check?: true;
  /** Processes of an older version that are in the way have this many seconds to end. */
  readonly wait?: number;
}

/** Prints the migrations. Returns false when some have not run, which only a check does. */
export async function migrateDatabase(
  config: Config,
  { check, wait = 0 }: MigrateFlags,
): Promise<boolean> {
  const url = directDatabaseUrl(config);
  const kind = databaseKind(url);
  if (kind === 'sqlite' && check && !existsSync(url))
    throw new Error(
      `${config.QUARRY_DATA_DIR} holds no database: run quarry migrate, which makes it, or name the data directory with --data-dir`,
    );
  // An embedded database serves one process, whose statements would fail on a schema that changes under them. A check
  // only reads, so the service may run meanwhile.
  const free = kind === 'sqlite' && !check ? holdDataDir(config.QUARRY_DATA_DIR) : undefined;
  const db = connect(url);
  try {
    const onWait = (why: string) => void process.stderr.write(`quarry: waiting: ${why}\n`);
    const names = check
      ? await pendingMigrations(db, kind)
      : await migrate(db, kind, { waitMs: wait * 1000, onWait });
    for (const name of names) process.stdout.write(`${name}\n`);
    process.stdout.write(`${summaryOf(names.length, check)}\n`);
    return !check || names.length === 0;
  } catch (error) {
    throw explained(error);
  } finally {
    await db.destroy();
    free?.();
  }
}

function holdDataDir(dataDir: string): () => void {
  prepareDataDir(dataDir);
  return lockDataDir(dataDir);
}

function summaryOf(count: number, check: true | undefined): string {
  if (count === 0) return 'The database is up to date.';
  return check
    ? `Migrations that would run: ${count}.`
    : `The database is up to date. Migrations that have run: ${count}.`;
}
