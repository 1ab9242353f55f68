/**
 * Every row of a collection has the id of the collection, which is a part of each key and of each unique constraint on
 * PostgreSQL (db/distributed.ts). SQLite keeps its keys: it is one file, and its keys are the numbers of its rows.
 *
 * The tables of chunks are written again. On PostgreSQL they are copied and the old ones dropped, because an update would
 * leave as many dead rows. Chunks of a collection that does not exist any more are left out.
 */
import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../connect.ts';

/** The number of a chunk begins with the number of the index of its collection (engines/index/numbers.ts). */
const INDEX_OF_CHUNK = sql`(n >> 32)`;

export const up = (kind: DatabaseKind) => (kind === 'sqlite' ? onSqlite : onPostgres);

async function onSqlite(db: Kysely<unknown>): Promise<void> {
  for (const name of ['chunks', 'chunk_bodies']) {
    const table = sql.table(name);
    await sql`delete from ${table} where ${INDEX_OF_CHUNK} not in (select number from indexes)`.execute(
      db,
    );
    await db.schema
      .alterTable(name)
      .addColumn('collection_id', 'text', (c) => c.notNull().defaultTo(''))
      .execute();
    await sql`update ${table} set collection_id =
      (select i.collection_id from indexes as i where i.number = ${INDEX_OF_CHUNK})`.execute(db);
  }
}

async function onPostgres(db: Kysely<unknown>): Promise<void> {
  // A reader is in the way before the copy, and not only when the old tables are dropped.
  await sql`lock table indexes, index_forms, entities, chunks, chunk_bodies, gone
    in access exclusive mode`.execute(db);
  await withCollection(db, 'chunks');
  await withCollection(db, 'chunk_bodies');
  await sql`create index chunks_entity on chunks (entity)`.execute(db);
  await sql`create index chunks_reuse on chunks (connection_id, text_hash)`.execute(db);

  await sql`alter table index_forms add column collection_id text`.execute(db);
  await sql`update index_forms set collection_id =
    (select i.collection_id from indexes as i where i.number = index_forms.number)`.execute(db);
  await sql`delete from index_forms where collection_id is null`.execute(db);
  await sql`alter table index_forms alter column collection_id set not null`.execute(db);

  await changeKey(db, 'index_forms', 'number');
  await changeKey(db, 'indexes', 'number');
  await changeKey(db, 'entities', 'id');
  await changeKey(db, 'gone', 'seq');
  await sql`alter table entities drop constraint entities_source_id`.execute(db);
  await sql`alter table entities add constraint entities_source_id
    unique (connection_id, entity_id, collection_id)`.execute(db);
}

/** The columns before `collection_id` keep their order, so what reads by them finds the same rows with the new key. */
const changeKey = async (db: Kysely<unknown>, table: string, column: string): Promise<void> => {
  const key = sql.id(`${table}_pkey`);
  await sql`alter table ${sql.table(table)} drop constraint ${key},
    add constraint ${key} primary key (${sql.id(column)}, collection_id)`.execute(db);
};

/** Puts a table in the place of this one that has the same rows with the ids of their collections, without other indexes. */
async function withCollection(db: Kysely<unknown>, name: string): Promise<void> {
  const [table, next, key] = [sql.table(name), sql.table(`${name}_next`), sql.id(`${name}_pkey`)];
  await sql`create table ${next} (like ${table} including defaults)`.execute(db);
  await sql`alter table ${next} add column collection_id text not null`.execute(db);
  await sql`insert into ${next} select c.*, i.collection_id from ${table} as c
    join indexes as i on i.number = (c.n >> 32) order by c.n`.execute(db);
  await sql`drop table ${table}`.execute(db);
  await sql`alter table ${next} rename to ${sql.id(name)}`.execute(db);
  await sql`alter table ${table} add constraint ${key} primary key (n, collection_id)`.execute(db);
  await sql`analyze ${table}`.execute(db);
}
