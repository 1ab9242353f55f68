/** Tests questions to the index on PostgreSQL that come at the same time as changes. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
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
});
