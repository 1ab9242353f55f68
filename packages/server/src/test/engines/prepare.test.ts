/** Tests collections of an earlier version, and of a database that gains or loses an extension. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch';
import { vector } from '@electric-sql/pglite-pgvector';
import { sql } from 'kysely';
import { createExactIndex } from '../../engines/index/exact.ts';
import { indexNumber } from '../../engines/index/index-rows.ts';
import { createPostgresIndex } from '../../engines/index/postgres.ts';
import { preparePostgresIndex } from '../../engines/index/postgres-prepare.ts';
import type { SearchIndex } from '../../engines/ports.ts';
import { must } from '../../util.ts';
import { DATABASES, openPglite, type TestDatabase } from '../databases.ts';
import { asking } from './asking.ts';
import { createWorld, DIMENSIONS, WHOLE } from './world.ts';

const DOCS = [
  { id: 'a', name: 'Fruit', texts: ['apple pie', 'apple and pear', 'a plum'] },
  { id: 'b', texts: ['pear', '...'] },
];

/** Makes a collection as the first version wrote it: it has rows, but no form. */
async function oldCollection(database: TestDatabase, by: SearchIndex) {
  const { db, kind } = database;
  const exact = createExactIndex({ kind, dimensions: DIMENSIONS });
  const world = await createWorld(database, exact);
  const collection = await world.collection();
  const docs = await world.connection(collection);
  await world.save(docs, [...DOCS, { id: 'gone', texts: ['apple'] }]);
  await world.remove(docs, ['gone']);
  await world.save(docs, [{ id: 'c', texts: ['fruit salad'] }]);

  const found = async (index: SearchIndex) => ({
    words: await world.words(collection, 'apple fruit', {}, index),
    nearest: await world.nearest(collection, 'pear', {}, index),
    statistics: await asking(index, db).statistics(collection, ['apple', 'pear', 'fruit'], WHOLE),
  });
  return {
    collection,
    async isFound() {
      const expected = await found(exact);
      assert.equal(expected.words.length, 4);
      assert.deepEqual(await found(by), expected);
    },
  };
}

async function tablesOf({ db }: TestDatabase): Promise<string[]> {
  const { rows } = await sql<{ relname: string }>`
    select relname from pg_class where relkind = 'r' and relname ~ '^(words|bm25|vectors)_'
    order by relname`.execute(db);
  return rows.map(({ relname }) => relname);
}

/** An earlier version stored the words of a collection in a table of its own, under a GIN index. */
async function addGinTable({ db }: TestDatabase, collectionId: string): Promise<void> {
  const number = must(await indexNumber(db, collectionId));
  await sql`create table ${sql.id(`words_${number}`)} (n bigint primary key, words tsvector)`.execute(
    db,
  );
  await sql`insert into index_forms (number, collection_id, words, vectors)
    values (${number}, ${collectionId}, 'gin', 'scan')`.execute(db);
}

describe('preparing the index on PostgreSQL', () => {
  it('gives collections without a form theirs, once, and drops tables that no form has now', async () => {
    const database = await must(DATABASES[1]).open();
    const index = createPostgresIndex({ dimensions: DIMENSIONS });
    after(() => database.close());
    const first = await oldCollection(database, index);
    const second = await oldCollection(database, index);
    await addGinTable(database, second.collection);
    await assert.rejects(first.isFound(), /has no form: it must be prepared first/);
    assert.equal((await tablesOf(database)).length, 1);
    const announced: number[] = [];
    const prepare = () =>
      preparePostgresIndex(database.db, DIMENSIONS, (collections) => announced.push(collections));
    assert.deepEqual(await prepare(), { words: 'memory', vectors: 'scan' });
    await first.isFound();
    await second.isFound();
    assert.deepEqual(await prepare(), { words: 'memory', vectors: 'scan' });
    assert.deepEqual(announced, [2]);
    await first.isFound();
    assert.deepEqual(await tablesOf(database), []);
  });

  describe('with extensions that come and go', () => {
    let database: TestDatabase;
    before(async () => {
      database = await openPglite({ vector, pg_textsearch });
    });
    after(() => database.close());

    it('follows them, and every process with it', async () => {
      const { db } = database;
      const index = createPostgresIndex({ dimensions: DIMENSIONS });
      const collection = await oldCollection(database, index);
      const number = must(await indexNumber(db, collection.collection));
      const steps = [
        ['select 1', { words: 'bm25', vectors: 'hnsw' }, ['bm25', 'vectors', 'words']],
        ['drop extension vector cascade', { words: 'bm25', vectors: 'scan' }, ['bm25', 'words']],
        ['drop extension pg_textsearch cascade', { words: 'memory', vectors: 'scan' }, []],
        ['create extension vector', { words: 'memory', vectors: 'hnsw' }, ['vectors']],
      ] as const;
      for (const [change, expected, tables] of steps) {
        await sql.raw(change).execute(db);
        const announced: number[] = [];
        const announce = (collections: number) => announced.push(collections);
        assert.deepEqual(await preparePostgresIndex(db, DIMENSIONS, announce), expected);
        assert.deepEqual(announced, [1]);
        assert.deepEqual(
          await tablesOf(database),
          tables.map((table) => `${table}_${number}`),
        );
        await collection.isFound();
      }
    });
  });
});
