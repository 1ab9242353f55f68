/** Tests the tables that the index has where pg_textsearch and pgvector are installed. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch';
import { vector } from '@electric-sql/pglite-pgvector';
import { sql } from 'kysely';
import { indexNumber } from '../../engines/index/index-rows.ts';
import { createPostgresIndex } from '../../engines/index/postgres.ts';
import type { SearchIndex } from '../../engines/ports.ts';
import { must } from '../../util.ts';
import { openPglite, type TestDatabase } from '../databases.ts';
import { createWorld, DIMENSIONS, type World } from './world.ts';

/** For askers with principals, words are found by the GIN lists, because pg_textsearch counts all chunks. */
const BY_LISTS = { principals: [] };

describe('tables of the index on PostgreSQL', () => {
  let database: TestDatabase;
  let index: SearchIndex;
  let world: World;

  before(async () => {
    database = await openPglite({ pg_textsearch, vector });
    index = createPostgresIndex({ dimensions: DIMENSIONS });
    world = await createWorld(database, index);
  });
  after(async () => {
    await database.close();
  });

  const relations = async () => {
    const { rows } = await sql<{ relname: string }>`
      select relname from pg_class where relname ~ '^(words|bm25|vectors)_'`.execute(database.db);
    return rows.map((row) => row.relname).sort();
  };

  it('drops the tables of a collection with it', async () => {
    const before = await relations();
    const collection = await world.collection();
    assert.ok((await relations()).length > before.length);
    await database.db.transaction().execute((tx) => index.drop(tx, collection));
    assert.deepEqual(await relations(), before);
    const forms = database.db.selectFrom('index_forms').select('number');
    const indexes = database.db.selectFrom('indexes').select('number');
    assert.deepEqual(await forms.execute(), await indexes.execute());
  });

  it('does not read the list of a term that most chunks have when others decide', async () => {
    const collection = await world.collection();
    const docs = await world.connection(collection);
    const texts = (count: number, text: string) => Array.from({ length: count }, () => text);
    await world.save(docs, [
      { id: 'few', texts: texts(1999, 'page melon') },
      { id: 'rest', texts: texts(2001, 'page') },
    ]);
    const ask = { ...BY_LISTS, depth: 5000 };
    assert.equal((await world.words(collection, 'page melon', ask)).length, 4000);
    await world.save(docs, [{ id: 'more', texts: ['melon'] }]);
    const found = await world.words(collection, 'page melon', ask);
    assert.equal(found.length, 2000);
    const few = await world.words(collection, 'page melon', { ...ask, depth: 7 });
    assert.deepEqual(few, found.slice(0, 7));
    assert.equal((await world.words(collection, 'page', ask)).length, 4000);
  });

  it('counts a term of a chunk up to 32 times', async () => {
    const collection = await world.collection();
    const docs = await world.connection(collection);
    const times = (count: number) => `${'kiwi '.repeat(count)}${'pear '.repeat(60 - count)}`;
    const counts = [1, 2, 3, 4, 5, 8, 13, 16, 17, 31, 32];
    await world.save(
      docs,
      counts.map((count) => ({ id: `e${count}`, texts: [times(count)] })),
    );
    assert.deepEqual(
      await world.words(collection, 'kiwi', BY_LISTS),
      counts.map((count) => `e${count}__chunk_0`).reverse(),
    );
  });

  it('leaves nothing waiting to be merged after its upkeep', async () => {
    const collection = await world.collection();
    const docs = await world.connection(collection);
    await world.save(docs, [{ id: 'a', texts: ['lemon tart'] }]);
    const number = must(await indexNumber(database.db, collection));
    assert.equal(await index.maintain(database.db, collection), false);
    const { rows } = await sql<{ pages: number }>`
      select gin_clean_pending_list(${`words_${number}_gin`}::regclass) as pages`.execute(
      database.db,
    );
    assert.equal(rows[0]?.pages, 0);
    assert.deepEqual(await world.words(collection, 'lemon', BY_LISTS), ['a__chunk_0']);
  });
});
