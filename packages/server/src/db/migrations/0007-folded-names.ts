/**
 * This migration stores the names of collections as a search for a part of a name compares them. They are folded
 * here because not every database folds letters beyond ASCII. It also indexes the jobs of a connection in the order
 * of their ids.
 */
import { type Kysely, sql } from 'kysely';

interface Collections {
  collections: { id: string; name: string; folded_name: string };
}

export async function up(db: Kysely<unknown>): Promise<void> {
  await addFoldedNames(db as Kysely<Collections>);
  await db.schema.dropIndex('sync_jobs_connection').execute();
  await db.schema
    .createIndex('sync_jobs_connection')
    .on('sync_jobs')
    .columns(['connection_id', 'id'])
    .execute();
}

async function addFoldedNames(db: Kysely<Collections>): Promise<void> {
  const tables = await db.introspection.getTables();
  const collections = tables.find(({ name }) => name === 'collections');
  // Development versions between two releases have already made the column.
  if (collections?.columns.some(({ name }) => name === 'folded_name')) return;
  await db.schema
    .alterTable('collections')
    .addColumn('folded_name', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  const rows = await db.selectFrom('collections').select(['id', 'name']).execute();
  for (const { id, name } of rows)
    await sql`update collections set folded_name = ${name.toLowerCase()} where id = ${id}`.execute(
      db,
    );
}
