/** Compares each index with the exact one: the same database and the same questions must give the same lists. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createExactIndex } from '../../engines/index/exact.ts';
import type { SearchIndex } from '../../engines/ports.ts';
import type { TestDatabase } from '../databases.ts';
import { type Random, random } from '../random/random.ts';
import { isFull } from '../tier.ts';
import { asking } from './asking.ts';
import { INDEX_KINDS } from './index-kind.ts';
import {
  type Ask,
  type Connection,
  createWorld,
  DIMENSIONS,
  type Doc,
  WHOLE,
  type World,
} from './world.ts';

const VIEWERS = ['user:ann', 'user:bob', 'group:x'];

for (const kind of INDEX_KINDS)
  describe(`the index on ${kind.name} and the exact one`, () => {
    let database: TestDatabase;
    let index: SearchIndex;
    let exact: SearchIndex;
    let world: World;

    before(async () => {
      database = await kind.open();
      index = kind.create(database);
      exact = createExactIndex({ kind: database.kind, dimensions: DIMENSIONS });
      world = await createWorld(database, index);
    });
    after(async () => {
      await database.close();
    });

    for (const seed of isFull ? [1, 2] : [1])
      it(`give the same candidates and statistics after every commit (seed ${seed})`, async () => {
        const chance = random(seed);
        const collection = await world.collection();
        const connections = [
          await world.connection(collection, 'files'),
          await world.connection(collection, 'notes'),
        ];
        for (let commit = 0; commit < 25; commit++) {
          await change(chance, chance.pick(connections));
          if (chance.below(3) === 0) await index.maintain(database.db, collection);
          for (let question = 0; question < 4; question++) {
            const text = words(chance, 1 + chance.below(4));
            const ask = randomAsk(chance, connections);
            const where = `commit ${commit}: ${text} ${JSON.stringify(ask)}`;
            assert.deepEqual(
              await world.words(collection, text, ask),
              await world.words(collection, text, ask, exact),
              where,
            );
            assert.deepEqual(
              await world.nearest(collection, text, ask),
              await world.nearest(collection, text, ask, exact),
              where,
            );
          }
          const terms = ['w0', 'w3', 'w11', 'none', 'w3'];
          const { live = [], principals = null } = randomAsk(chance, connections);
          for (const sight of [WHOLE, { live, principals }])
            assert.deepEqual(
              await world.ask.statistics(collection, terms, sight),
              await asking(exact, database.db).statistics(collection, terms, sight),
              JSON.stringify(sight),
            );
        }
        assert.ok((await world.words(collection, 'w0 w1')).length > 50);
      });

    it('still agree when a third and more of the chunks have gone', async () => {
      const collection = await world.collection();
      const docs = await world.connection(collection);
      const chance = random(7);
      const ids = Array.from({ length: 40 }, (_, i) => `e${i}`);
      const save = (some: readonly string[]) =>
        world.save(
          docs,
          some.map((id) => ({ id, texts: Array.from({ length: 90 }, () => words(chance, 6)) })),
        );
      await save(ids);
      for (const gone of [ids.slice(0, 17), ids.slice(20, 31), ids.slice(5, 9)]) {
        assert.equal((await world.nearest(collection, 'w1 w2')).length, 200);
        await world.remove(docs, gone);
        for (const text of ['w1 w2', 'w5', 'w0 w9 w11']) {
          assert.deepEqual(
            await world.nearest(collection, text),
            await world.nearest(collection, text, {}, exact),
          );
          assert.deepEqual(
            await world.words(collection, text),
            await world.words(collection, text, {}, exact),
          );
        }
        await save(gone.slice(0, 3));
      }
    });

    async function change(chance: Random, to: Connection): Promise<void> {
      const ids = Array.from({ length: 1 + chance.below(8) }, () => `e${chance.below(60)}`);
      const some = [...new Set(ids)];
      if (chance.below(5) === 0) return world.remove(to, some);
      await world.save(
        to,
        some.map((id) => randomDoc(chance, id)),
      );
    }
  });

function randomDoc(chance: Random, id: string): Doc {
  const viewers = VIEWERS.filter(() => chance.below(3) === 0);
  return {
    id,
    name: words(chance, chance.below(3)),
    texts: Array.from({ length: chance.below(5) }, () => words(chance, 1 + chance.below(12))),
    viewers: chance.below(2) === 0 ? null : viewers,
    isPublic: chance.below(6) === 0,
    metadata: { k: chance.below(4) },
  };
}

function randomAsk(chance: Random, connections: readonly Connection[]): Ask {
  const live = connections.map((one) => one.connectionId).filter(() => chance.below(4) > 0);
  return {
    live,
    depth: chance.pick([1, 3, 10, 200]),
    ...(chance.below(2) === 0 && {
      filter: { path: ['metadata', 'k'], in: [chance.below(5), chance.below(5)] },
    }),
    ...(chance.below(2) === 0 && { principals: VIEWERS.filter(() => chance.below(2) === 0) }),
  };
}

/** Returns a text of few different words, some of them much more often than others. */
const words = (chance: Random, count: number): string =>
  Array.from({ length: count }, () => `w${Math.floor(chance.next() ** 2 * 12)}`).join(' ');
