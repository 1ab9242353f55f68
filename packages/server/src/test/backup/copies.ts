/** Copies contents between databases and files, for tests. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { withContents } from '../../backup/contents.ts';
import { type CopyOrigin, copyIntoPostgres, copyIntoSqlite } from '../../backup/copy-into.ts';
import { type BackupHeader, FORMAT, FORMAT_VERSION } from '../../backup/format.ts';
import {
  type CopiedRow,
  type CopyStream,
  digestOfTables,
  type TableTotals,
} from '../../backup/parts.ts';
import { readBackup } from '../../backup/read-file.ts';
import { type WrittenBackup, writeBackup } from '../../backup/write-file.ts';
import { tableNames } from '../../db/catalog.ts';
import { connect, type DatabaseKind } from '../../db/connect.ts';
import { migrationsOf } from '../../db/migrate.ts';
import type { Schema } from '../../db/schema.ts';
import { must } from '../../util.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';

export const MIGRATIONS: readonly string[] = Object.keys(migrationsOf('sqlite'));
const quiet = () => undefined;

/** A database that may be absent, and has no tables at the beginning. */
export interface EmptyDatabase {
  readonly kind: DatabaseKind;
  readonly fill: (origin: Omit<CopyOrigin, 'progress'>) => Promise<readonly TableTotals[]>;
  /** Opens the database that was filled. */
  readonly db: () => Kysely<Schema>;
  /** Lists what an attempt has left, which is nothing at the beginning. */
  readonly remains: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

export const EMPTY_DATABASES = [
  { name: 'sqlite', open: openEmptySqlite },
  { name: 'postgres', open: openEmptyPostgres },
] as const;

export async function openEmptySqlite(): Promise<EmptyDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-copy-'));
  const path = join(folder, 'quarry.db');
  let db: Kysely<Schema> | undefined;
  return {
    kind: 'sqlite',
    fill: (origin) => copyIntoSqlite(path, { ...origin, progress: quiet }),
    db: () => {
      db ??= connect(path);
      return db;
    },
    remains: async () => readdirSync(folder),
    async close() {
      await db?.destroy();
      rmSync(folder, { recursive: true });
    },
  };
}

export async function openEmptyPostgres(): Promise<EmptyDatabase> {
  const test: TestDatabase = await must(DATABASES[1]).open();
  await sql`drop schema public cascade`.execute(test.db);
  await sql`create schema public`.execute(test.db);
  return {
    kind: 'postgres',
    fill: (origin) => copyIntoPostgres(test.db, { ...origin, progress: quiet }),
    db: () => test.db,
    remains: () => tableNames(test.db, 'postgres'),
    close: test.close,
  };
}

const headerOf = (kind: DatabaseKind): BackupHeader => ({
  format: FORMAT,
  formatVersion: FORMAT_VERSION,
  quarry: '0.0.0',
  database: kind,
  createdAt: '2026-01-02T03:04:05.000Z',
  migrations: MIGRATIONS,
});

interface BackedUp {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
}

/** Writes a backup as the command does. */
export const backUpInto = (
  path: string,
  { db, kind }: BackedUp,
  header: Partial<BackupHeader> = {},
): Promise<WrittenBackup> =>
  writeBackup(path, { replace: false }, (write) =>
    withContents({ db, kind }, ({ parts }) =>
      write({ header: { ...headerOf(kind), ...header }, parts, progress: quiet }),
    ),
  );

/** Restores a backup as the command does. Returns the digest of what the database has. */
export async function restoreFrom(path: string, target: EmptyDatabase): Promise<string> {
  const { header, parts } = await readBackup(path);
  return digestOfTables(await target.fill({ migrations: header.migrations, parts }));
}

/** Returns the rows of all tables, in an order that does not depend on the database. */
export async function rowsOf(
  parts: CopyStream,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const rows: Record<string, string[]> = {};
  let table = '';
  for await (const part of parts) {
    if ('table' in part) {
      table = part.table.name;
      rows[table] = [];
    } else if ('rows' in part)
      rows[table]?.push(...part.rows.map((row: CopiedRow) => JSON.stringify(row)));
  }
  return Object.fromEntries(Object.entries(rows).map(([name, of]) => [name, of.toSorted()]));
}
