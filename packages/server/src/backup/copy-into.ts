/** Fills an empty database with a stream of parts, as a whole or not at all. */
import { existsSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Kysely } from 'kysely';
import { checkpoint } from '../db/checkpoint.ts';
import { connect, type DatabaseKind } from '../db/connect.ts';
import { withoutLimits } from '../db/limits.ts';
import { migrate } from '../db/migrate.ts';
import { migrateTo } from '../db/migrate-to.ts';
import type { Schema } from '../db/schema.ts';
import { takeOverFromDead } from '../take-over.ts';
import { hasData } from './emptiness-store.ts';
import { type CopyProgress, type CopyStream, digestOfTables, type TableTotals } from './parts.ts';
import { totalsOfTables } from './read-store.ts';
import { syncFolder } from './sync-folder.ts';
import { loadTables } from './write-store.ts';

export interface CopyOrigin {
  /** The rows have the form of the schema that these migrations make. */
  readonly migrations: readonly string[];
  readonly parts: CopyStream;
  readonly progress: CopyProgress;
  /** The function is called before the copy takes effect, and may throw an error that prevents it. */
  readonly lastCheck?: () => Promise<void>;
}

const NOT_EMPTY =
  'is not empty: name an empty database or another data directory, because nothing is ever replaced';

/** Returns what the copy has. Throws an Error with a sentence, and then the database is as it was. */
export function copyIntoPostgres(
  db: Kysely<Schema>,
  origin: CopyOrigin,
): Promise<readonly TableTotals[]> {
  return copyInto(db, 'postgres', origin);
}

/**
 * Makes the file of a SQLite database. It has its name only when it is complete. The caller holds the lock of the data
 * directory.
 */
export async function copyIntoSqlite(
  path: string,
  origin: CopyOrigin,
): Promise<readonly TableTotals[]> {
  await refuseFilledFile(path);
  const draft = `${path}.restoring`;
  await removeSqlite(draft);
  try {
    // The file is synchronized once at the end.
    const db = connect(draft, { durability: 'process' });
    let totals: readonly TableTotals[];
    try {
      totals = await copyInto(db, 'sqlite', origin);
      await intoMainFile(db, draft);
    } finally {
      await db.destroy();
    }
    const file = await open(draft);
    await file.sync();
    await file.close();
    await removeSqlite(path);
    await rename(draft, path);
    await syncFolder(dirname(path));
    return totals;
  } finally {
    await removeSqlite(draft);
  }
}

/** The rows are in the log beside the file at first. */
async function intoMainFile(db: Kysely<Schema>, path: string): Promise<void> {
  const isDone = await checkpoint(db);
  if (!isDone || statSync(`${path}-wal`, { throwIfNoEntry: false })?.size)
    throw new Error(`the rows could not be written into ${path}`);
}

async function refuseFilledFile(path: string): Promise<void> {
  if (!existsSync(path)) return;
  const db = connect(path);
  try {
    if (await hasData(db, 'sqlite')) throw new Error(`${path} ${NOT_EMPTY}`);
  } finally {
    await db.destroy();
  }
}

/** SQLite has two more files beside its own while it is open, and after the end of a killed process. */
async function removeSqlite(path: string): Promise<void> {
  for (const end of ['', '-wal', '-shm']) await rm(`${path}${end}`, { force: true });
}

const copyInto = (
  db: Kysely<Schema>,
  kind: DatabaseKind,
  { migrations, parts, progress, lastCheck }: CopyOrigin,
): Promise<readonly TableTotals[]> =>
  db.transaction().execute(async (tx) => {
    if (kind === 'postgres') await withoutLimits(tx);
    if (await hasData(tx, kind)) throw new Error(`the database ${NOT_EMPTY}`);
    await migrateTo(tx, kind, migrations);
    const loaded = await loadTables({ tx, kind }, parts, progress);
    const shapes = loaded.map(({ shape }) => shape);
    const given = loaded.map(({ totals }) => totals);
    const stored = await totalsOfTables(tx, kind, shapes);
    if (digestOfTables(stored) !== digestOfTables(given))
      throw new Error('the database does not hold what it was given, so nothing was kept');
    await migrate(tx, kind);
    // Every lease was held by a process that uses another database.
    await takeOverFromDead(tx);
    await lastCheck?.();
    return stored;
  });
