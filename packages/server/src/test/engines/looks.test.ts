/** A look sees one commit, whatever is written and whoever looks meanwhile. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { indexNumber } from '../../engines/index/index-rows.ts';
import { firstNumber } from '../../engines/index/numbers.ts';
import type { IndexLook } from '../../engines/ports.ts';
import { everything } from '../../model/filter.ts';
import { must } from '../../util.ts';
import { describeIndexes } from './index-kind.ts';
import { embed, WHOLE } from './world.ts';

describeIndexes('looks at an index', (fresh) => {
  it('see one commit, while others write and look at the next one', async (t) => {
    const { collection, database, docs, index, world } = await fresh();
    // Its only connection is held by a look, so nobody can write meanwhile.
    if (database.url === null) return t.skip('PGlite has one connection');
    await world.save(docs, [
      { id: 'a', texts: ['plum'] },
      { id: 'b', texts: ['plum fig'] },
    ]);
    const sight = { live: [docs.connectionId], principals: ['user:ann'] };
    const ask = { ...sight, filter: everything, depth: 9 };
    const numberOf = async () => must(await indexNumber(database.db, collection));
    const answersOf = async (look: IndexLook) => ({
      version: look.versionOf(firstNumber(await numberOf())),
      words: await look.candidates({ ...ask, arm: { terms: ['plum'] } }),
      vectors: await look.candidates({ ...ask, arm: { vector: embed('plum') } }),
      count: await look.count(ask),
      mine: await look.statistics(['plum', 'fig'], sight),
      all: await look.statistics(['plum', 'fig'], WHOLE),
    });
    const others: Promise<string[]>[] = [];
    const change = async (i: number) => {
      await world.save(docs, [{ id: `c${i}`, texts: ['plum fig'] }]);
      await world.remove(docs, i === 0 ? ['a'] : [`c${i - 1}`]);
      others.push(world.words(collection, 'plum'));
      // The other look would now bring the memory to this commit, if it did not wait for its turn.
      await sleep(20);
    };
    await index.look(database.db, [collection], {
      async find(look) {
        const first = await answersOf(look);
        assert.deepEqual([first.count, first.words.length, first.vectors.length], [2, 2, 2]);
        assert.deepEqual(first.mine.documentFrequencies, [2, 1]);
        await change(0);
        assert.deepEqual(await answersOf(look), first);
        return first;
      },
      async read(found, tx) {
        await change(1);
        for (const found of await Promise.all(others)) assert.ok(found.includes('b__chunk_0'));
        const rows = await tx
          .selectFrom('chunks')
          .select('n')
          .where('n', 'in', found.words)
          .execute();
        assert.equal(rows.length, 2);
      },
    });
    assert.deepEqual(await world.words(collection, 'plum'), ['b__chunk_0', 'c1__chunk_0']);
  });

  it('that fail leave the turn to the next one', async () => {
    const { collection, database, docs, index, world } = await fresh();
    await world.save(docs, [{ id: 'a', texts: ['plum'] }]);
    const failing = (at: 'find' | 'read') => {
      const step = (name: string) => async () => {
        if (name === at) throw new Error(`${at} fails`);
      };
      const work = { find: step('find'), read: step('read') };
      return assert.rejects(index.look(database.db, [collection], work), {
        message: `${at} fails`,
      });
    };
    const looks = [failing('find'), failing('read'), world.words(collection, 'plum')];
    await Promise.all(looks);
    assert.deepEqual(await looks[2], ['a__chunk_0']);
  });
});
