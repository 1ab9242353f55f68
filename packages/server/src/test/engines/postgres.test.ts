/** Tests what only the PostgreSQL index has: how it is created, how it is removed, and what it leaves out. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { createPostgresIndex } from '../../engines/index/postgres.ts';
import type { SearchIndex } from '../../engines/ports.ts';
import { everything } from '../../model/filter.ts';
import { must } from '../../util.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { createWorld, DIMENSIONS, embed, WHOLE, type World } from './world.ts';

describe('the index on PostgreSQL', () => {
  let database: TestDatabase;
  let index: SearchIndex;
  let world: World;

  before(async () => {
    database = await must(DATABASES[1]).open();
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

  it('answers while collections are dropped', async () => {
    for (let round = 0; round < 10; round++) {
      const collection = await world.collection();
      const docs = await world.connection(collection);
      await world.save(docs, [{ id: 'a', texts: ['grape'] }]);
      const [found] = await Promise.all([
        Promise.all(Array.from({ length: 6 }, () => world.words(collection, 'grape'))),
        world
          .remove(docs, ['a'])
          .then(() => database.db.transaction().execute((tx) => index.drop(tx, collection))),
      ]);
      assert.ok(found.every((ids) => ids.length <= 1));
      assert.deepEqual(await world.words(collection, 'grape'), []);
    }
  });

  it('answers many questions at once, each from one commit, while others write', async () => {
    const collection = await world.collection();
    const docs = await world.connection(collection);
    const pair = (i: number) => [
      { id: 'a', texts: [`plum v${i}`] },
      { id: 'b', texts: [`plum v${i}`, `fig v${i}`] },
    ];
    const ask = { filter: everything, live: [docs.connectionId], principals: null, depth: 9 };
    await world.save(docs, pair(0));
    const asking = Array.from({ length: 8 }, async () => {
      for (let round = 0; round < 10; round++) {
        const found = await world.ask.statistics(collection, ['plum', 'fig'], WHOLE);
        assert.deepEqual([found.chunks, ...found.documentFrequencies], [3, 2, 1]);
        const [words, vectors] = await Promise.all([
          world.ask.candidates(collection, { ...ask, arm: { terms: ['plum'] } }),
          world.ask.candidates(collection, { ...ask, arm: { vector: embed('plum') } }),
        ]);
        assert.equal(words.length, 2);
        assert.ok(vectors.length >= 2);
      }
    });
    for (let i = 1; i < 20; i++) await world.save(docs, pair(i));
    await Promise.all(asking);
    assert.deepEqual(await world.words(collection, 'v19 plum'), [
      'a__chunk_0',
      'b__chunk_0',
      'b__chunk_1',
    ]);
  });

  it('does not read the list of a term that most chunks have when others decide', async () => {
    const collection = await world.collection();
    const docs = await world.connection(collection);
    const texts = (count: number, text: string) => Array.from({ length: count }, () => text);
    await world.save(docs, [
      { id: 'few', texts: texts(1999, 'page melon') },
      { id: 'rest', texts: texts(2500, 'page') },
    ]);
    const ask = { depth: 5000 };
    assert.equal((await world.words(collection, 'page melon', ask)).length, 4499);
    await world.save(docs, [{ id: 'more', texts: ['melon'] }]);
    const found = await world.words(collection, 'page melon', ask);
    assert.equal(found.length, 2000);
    assert.deepEqual(await world.words(collection, 'page melon', { depth: 7 }), found.slice(0, 7));
    assert.equal((await world.words(collection, 'page', ask)).length, 4499);
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
      await world.words(collection, 'kiwi'),
      counts.map((count) => `e${count}__chunk_0`).reverse(),
    );
  });

  it('leaves nothing waiting to be merged after its upkeep', async () => {
    const collection = await world.collection();
    const docs = await world.connection(collection);
    await world.save(docs, [{ id: 'a', texts: ['lemon tart'] }]);
    const { number } = await database.db
      .selectFrom('indexes')
      .select('number')
      .where('collection_id', '=', collection)
      .executeTakeFirstOrThrow();
    assert.equal(await index.maintain(database.db, collection), false);
    const { rows } = await sql<{ pages: number }>`
      select gin_clean_pending_list(${`words_${number}_gin`}::regclass) as pages`.execute(
      database.db,
    );
    assert.equal(rows[0]?.pages, 0);
    assert.deepEqual(await world.words(collection, 'lemon'), ['a__chunk_0']);
  });
});
