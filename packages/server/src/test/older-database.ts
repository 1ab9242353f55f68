/** Opens a database as an older version left it. */
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { connect } from '../db/connect.ts';
import { migrationsOf } from '../db/migrate.ts';
import { must } from '../util.ts';
import type { DATABASES, TestDatabase } from './databases.ts';

/** All migrations before the named one have run. The name may be cut after its first characters. */
export async function openBefore(
  database: (typeof DATABASES)[number],
  migration: string,
): Promise<TestDatabase> {
  const older = await emptied(await database.open());
  const before = Object.entries(migrationsOf(older.kind)).filter(([name]) => name < migration);
  const getMigrations = async () => Object.fromEntries(before);
  await new Migrator({ db: older.db, provider: { getMigrations } }).migrateToLatest();
  return older;
}

/**
 * Runs the present index on the tables of a version before 0064, which did not store the collections of chunks: they have
 * these columns meanwhile.
 */
export async function withCollectionIds(
  { db, kind }: TestDatabase,
  work: () => Promise<void>,
): Promise<void> {
  const tables = ['chunks', 'chunk_bodies', ...(kind === 'postgres' ? ['index_forms'] : [])];
  for (const name of tables)
    await db.schema.alterTable(name).addColumn('collection_id', 'text').execute();
  await work();
  for (const name of tables) await db.schema.alterTable(name).dropColumn('collection_id').execute();
}

/** Returns the same server without a schema, or a new file beside the open one. */
async function emptied(opened: TestDatabase): Promise<TestDatabase> {
  const { kind, db, url } = opened;
  if (kind === 'sqlite') {
    const path = join(dirname(must(url)), 'older.db');
    const older = connect(path);
    return {
      kind,
      db: older,
      url: path,
      async close() {
        await older.destroy();
        await opened.close();
      },
    };
  }
  await sql`drop schema public cascade`.execute(db);
  await sql`create schema public`.execute(db);
  return opened;
}
