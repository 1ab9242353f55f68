/** Compares the indexes that may miss something with the exact one: they must miss little. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createExactIndex } from '../../engines/index/exact.ts';
import type { SearchIndex } from '../../engines/ports.ts';
import type { TestDatabase } from '../databases.ts';
import { random } from '../random/random.ts';
import { EXTENDED_KINDS } from './index-kind.ts';
import { type Connection, createWorld, DIMENSIONS, type World } from './world.ts';

const CHUNKS = 400;
const DEPTH = 50;

for (const kind of EXTENDED_KINDS)
  describe(`recall of the index on ${kind.name}`, () => {
    let database: TestDatabase;
    let index: SearchIndex;
    let exact: SearchIndex;
    let world: World;
    let collection: string;
    let docs: Connection;
    const chance = random(11);
    const words = (count: number) =>
      Array.from({ length: count }, () => `w${Math.floor(chance.next() ** 2 * 60)}`).join(' ');

    before(async () => {
      database = await kind.open();
      index = kind.create(database);
      exact = createExactIndex({ kind: database.kind, dimensions: DIMENSIONS });
      world = await createWorld(database, index);
      collection = await world.collection();
      docs = await world.connection(collection);
      const rest = await world.connection(collection);
      for (const to of [docs, rest])
        await world.save(
          to,
          Array.from({ length: CHUNKS / 4 }, (_, i) => ({
            id: `e${i}`,
            texts: [words(5 + chance.below(10)), words(5 + chance.below(10))],
            metadata: { k: i % 5 },
          })),
        );
      await world.remove(
        docs,
        Array.from({ length: 20 }, (_, i) => `e${i * 3}`),
      );
      await index.maintain(database.db, collection);
    });
    after(async () => {
      await database.close();
    });

    const asks = {
      everything: () => ({}),
      'one connection': () => ({ live: [docs.connectionId] }),
      'a filter': () => ({ filter: { path: ['metadata', 'k'], in: [2] } }),
    };
    for (const [what, ask] of Object.entries(asks))
      it(`is above 0.95 in both arms when asked for ${what}`, async () => {
        for (const arm of ['words', 'nearest'] as const) {
          let found = 0;
          let expected = 0;
          for (let question = 0; question < 25; question++) {
            const text = words(1 + chance.below(3));
            const options = { ...ask(), depth: DEPTH };
            const given = new Set(await world[arm](collection, text, options));
            const right = await world[arm](collection, text, options, exact);
            assert.ok(given.size <= DEPTH);
            expected += right.length;
            found += right.filter((id) => given.has(id)).length;
          }
          assert.ok(expected > 100);
          assert.ok(found / expected > 0.95, `${arm}: ${found} of ${expected}`);
        }
      });
  });
