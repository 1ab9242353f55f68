/** Tests collections of an earlier version, and of a database that gains or loses an extension. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch';
import { vector } from '@electric-sql/pglite-pgvector';
import { sql } from 'kysely';
import { createExactIndex } from '../../engines/index/exact.ts';
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

/** Makes a collection as the first version wrote it: it has rows, but no words. */
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
    async isFound() {
      const expected = await found(exact);
      assert.equal(expected.words.length, 4);
      assert.deepEqual(await found(by), expected);
    },
  };
}

describe('preparing the index on PostgreSQL', () => {
  it('gives collections without words theirs, once', async () => {
    const database = await must(DATABASES[1]).open();
    const index = createPostgresIndex({ dimensions: DIMENSIONS });
    after(() => database.close());
    const first = await oldCollection(database, index);
    const second = await oldCollection(database, index);
    await assert.rejects(first.isFound(), /has no words: it must be prepared first/);
    const announced: number[] = [];
    const prepare = () =>
      preparePostgresIndex(database.db, DIMENSIONS, (collections) => announced.push(collections));
    assert.deepEqual(await prepare(), { words: 'gin', vectors: 'scan' });
    await first.isFound();
    await second.isFound();
    assert.deepEqual(await prepare(), { words: 'gin', vectors: 'scan' });
    assert.deepEqual(announced, [2]);
    await first.isFound();
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
      const steps = [
        ['select 1', { words: 'bm25', vectors: 'hnsw' }],
        ['drop extension vector cascade', { words: 'bm25', vectors: 'scan' }],
        ['drop extension pg_textsearch cascade', { words: 'gin', vectors: 'scan' }],
        ['create extension vector', { words: 'gin', vectors: 'hnsw' }],
      ] as const;
      for (const [change, expected] of steps) {
        await sql.raw(change).execute(db);
        const announced: number[] = [];
        const announce = (collections: number) => announced.push(collections);
        assert.deepEqual(await preparePostgresIndex(db, DIMENSIONS, announce), expected);
        assert.deepEqual(announced, [1]);
        await collection.isFound();
      }
    });
  });
});
