/** Tests what every index answers, and what it must not answer. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { IndexScope } from '../../engines/ports.ts';
import { AppError } from '../../errors.ts';
import { quantize } from '../../model/vector.ts';
import { newId } from '../../util.ts';
import { random } from '../random/random.ts';
import { describeIndexes, writesSlowly } from './index-kind.ts';
import { embed, WHOLE } from './world.ts';

describeIndexes('questions to an index', (fresh, kind) => {
  it('[SRH-18] gives for a depth the beginning of what it gives for a greater one', async () => {
    const { collection, docs, world } = await fresh();
    await world.save(docs, manyDocs(150, 5));
    for (const arm of ['words', 'nearest'] as const) {
      const all = await world[arm](collection, 'w1 w2 w3', { depth: 150 });
      assert.ok(all.length > 60, `only ${all.length} candidates`);
      for (const depth of [1, 2, 7, 59])
        assert.deepEqual(await world[arm](collection, 'w1 w2 w3', { depth }), all.slice(0, depth));
    }
  });

  it('breaks ties by number, oldest first', async () => {
    const { collection, docs, world } = await fresh();
    const ids = Array.from({ length: 30 }, (_, i) => `e${i}`);
    await world.save(
      docs,
      ids.map((id) => ({ id, texts: ['equal text'] })),
    );
    const expected = ids.map((id) => `${id}__chunk_0`);
    assert.deepEqual(await world.words(collection, 'equal'), expected);
    assert.deepEqual(await world.nearest(collection, 'equal text'), expected);
    assert.deepEqual(
      await world.nearest(collection, 'equal text', { depth: 7 }),
      expected.slice(0, 7),
    );
  });

  it('gives only vectors with a cosine above 0', async () => {
    const { collection, docs, world } = await fresh();
    await world.save(docs, [...manyDocs(40, 9), { id: 'empty', texts: ['...'] }]);
    const found = await world.nearest(collection, 'w4', { depth: 100 });
    const query = quantize(embed('w4'));
    const expected = manyDocs(40, 9).filter(({ texts: [text] }) => {
      const { values } = quantize(embed(text!));
      return values.reduce((sum, x, i) => sum + x * query.values[i]!, 0) > 0;
    });
    assert.ok(expected.length > 0 && expected.length < 40);
    assert.deepEqual(new Set(found), new Set(expected.map(({ id }) => `${id}__chunk_0`)));
    assert.deepEqual(await world.nearest(collection, '...'), []);
  });

  it('[CON-24] gives nothing of a connection that is not live', async () => {
    const { collection, docs, world } = await fresh();
    const others = await world.connection(collection);
    await world.save(docs, [{ id: 'a', texts: ['cherry'] }]);
    await world.save(others, [{ id: 'b', texts: ['cherry'] }]);
    const live = [others.connectionId];
    for (const arm of ['words', 'nearest'] as const) {
      assert.deepEqual(await world[arm](collection, 'cherry'), ['a__chunk_0', 'b__chunk_0']);
      assert.deepEqual(await world[arm](collection, 'cherry', { live }), ['b__chunk_0']);
      assert.deepEqual(await world[arm](collection, 'cherry', { live: [] }), []);
    }
  });

  it('[ENT-16] [ENT-19] gives what names the asker, is public or has no access data', async () => {
    const { collection, docs, world } = await fresh();
    await world.save(docs, [
      { id: 'open', texts: ['secret'] },
      { id: 'ann', texts: ['secret'], viewers: ['user:ann@b.c'] },
      { id: 'group', texts: ['secret'], viewers: ['group:x', 'group:y'] },
      { id: 'nobody', texts: ['secret'], viewers: [] },
      { id: 'public', texts: ['secret'], viewers: ['user:bob@b.c'], isPublic: true },
    ]);
    const visible = async (principals: readonly string[] | null) => {
      const [words, nearest] = await Promise.all([
        world.words(collection, 'secret', { principals }),
        world.nearest(collection, 'secret', { principals }),
      ]);
      assert.deepEqual(words, nearest);
      return words.map((id) => id.replace('__chunk_0', ''));
    };
    assert.deepEqual(await visible(null), ['open', 'ann', 'group', 'nobody', 'public']);
    assert.deepEqual(await visible([]), ['open', 'public']);
    assert.deepEqual(await visible(['user:ann@b.c']), ['open', 'ann', 'public']);
    assert.deepEqual(await visible(['user:z', 'group:y']), ['open', 'group', 'public']);
    assert.deepEqual(await visible(['user:ann']), ['open', 'public']);
    assert.deepEqual(await visible(["' or 1=1 --", '"', '\0']), ['open', 'public']);
  });

  it('[ENT-25] what an asker may not see moves neither their statistics nor their lists', async () => {
    const { docs, world } = await fresh();
    const hidden = {
      ...{ id: 'hidden', viewers: ['user:bob'] },
      // Rare words, frequent words and long texts: each would change a frequency or the average length.
      texts: ['w9 w9 w10 zebra', ...Array.from({ length: 60 }, () => `w0 ${'w11 '.repeat(200)}`)],
    };
    const shown = manyDocs(150, 5).map((doc, i) => ({
      ...doc,
      ...(i % 3 === 0 && { viewers: ['user:ann'] }),
      metadata: { k: i % 4 },
    }));
    const { collectionId: collection } = docs;
    const sight = { live: [docs.connectionId], principals: ['user:ann'] };
    const answers = async () => {
      const { version, ...counted } = await world.ask.statistics(
        collection,
        ['w0', 'w3', 'w9', 'w11', 'zebra'],
        sight,
      );
      const lists = [];
      for (const arm of ['words', 'nearest'] as const)
        for (const text of ['w9 w3 w0', 'w11 w10', 'zebra w5', 'w1 w2 w3 w4'])
          for (const depth of [5, 200])
            for (const filter of [undefined, { path: ['metadata', 'k'], in: [2, 3] }])
              lists.push(
                await world[arm](collection, text, { ...sight, depth, ...(filter && { filter }) }),
              );
      return { counted, lists };
    };
    await world.save(docs, shown);
    const before = await answers();
    assert.ok(before.lists.every((list) => list.length > 0));
    assert.deepEqual(before.counted.chunks, 150);
    await world.save(docs, [hidden]);
    assert.deepEqual(await answers(), before);
    const { documentFrequencies } = await world.ask.statistics(collection, ['zebra'], {
      ...sight,
      principals: ['user:bob'],
    });
    assert.deepEqual(documentFrequencies, [1]);
  });

  it('[ENT-25] a connection that is not live counts for nobody with principals', async () => {
    const { collection, docs, world } = await fresh();
    const others = await world.connection(collection);
    await world.save(docs, [{ id: 'a', texts: ['plum pie'] }]);
    await world.save(others, [{ id: 'b', texts: ['plum', 'plum tree'] }]);
    const both = [docs.connectionId, others.connectionId];
    for (const [live, chunks] of [
      [both, 3],
      [[docs.connectionId], 1],
    ] as const) {
      const counted = await world.ask.statistics(collection, ['plum'], { live, principals: [] });
      assert.deepEqual(counted.documentFrequencies, [chunks]);
      assert.equal(counted.chunks, chunks);
    }
  });

  it('takes a filter and gives the best that satisfy it', async () => {
    const { collection, docs, world } = await fresh();
    await world.save(
      docs,
      manyDocs(120, 3).map((doc, i) => ({ ...doc, metadata: { rare: i % 40 === 7 } })),
    );
    const rare = new Set([7, 47, 87].map((i) => `d${i}__chunk_0`));
    const filter = { path: ['metadata', 'rare'], in: [true] };
    for (const arm of ['words', 'nearest'] as const) {
      const all = await world[arm](collection, 'w0 w1 w2 w3 w4 w5', { depth: 200 });
      const expected = all.filter((id) => rare.has(id));
      assert.ok(expected.length > 1);
      assert.deepEqual(
        await world[arm](collection, 'w0 w1 w2 w3 w4 w5', { filter, depth: 5 }),
        expected,
      );
    }
  });

  it('counts what a question may give', async () => {
    const { collection, docs, world } = await fresh();
    const others = await world.connection(collection);
    const both = [docs.connectionId, others.connectionId];
    const count = (scope: Partial<IndexScope> = {}) =>
      world.ask.count(collection, { filter: { all: [] }, live: both, principals: null, ...scope });
    assert.equal(await count(), 0);
    await world.save(docs, [
      { id: 'a', texts: ['one', 'two', '...'], metadata: { kind: 'x' } },
      { id: 'b', texts: ['three'], viewers: ['user:ann'] },
    ]);
    await world.save(others, [{ id: 'c', texts: ['four'], metadata: { kind: 'x' } }]);
    const filter = { path: ['metadata', 'kind'], in: ['x'] };
    assert.deepEqual(
      [
        await count(),
        await count({ live: [others.connectionId] }),
        await count({ live: [] }),
        await count({ filter }),
        await count({ principals: [] }),
        await count({ principals: ['user:ann'] }),
        await count({ filter, principals: ['user:ann'], live: [docs.connectionId] }),
      ],
      [5, 1, 0, 4, 4, 5, 3],
    );
    await world.remove(docs, ['a']);
    assert.deepEqual([await count(), await count({ filter })], [2, 1]);
    assert.equal(await world.ask.count(newId(), { filter, live: both, principals: null }), 0);
  });

  it('takes any word as a word', async () => {
    const { collection, docs, world } = await fresh();
    await world.save(docs, [{ id: 'a', texts: ['plain and near words, not others'] }]);
    const hostile = [
      '"',
      '*',
      'AND',
      'OR',
      'NEAR(',
      '-',
      'a"b',
      'text:',
      '^',
      '(',
      '日本',
      '',
      '\0',
    ];
    const ask = { filter: { all: [] }, live: [docs.connectionId], principals: null, depth: 10 };
    for (const word of hostile) {
      const arm = { terms: [word] };
      assert.deepEqual(await world.ask.candidates(collection, { ...ask, arm }), [], word);
      const both = { terms: [word, 'plain', word] };
      assert.equal((await world.ask.candidates(collection, { ...ask, arm: both })).length, 1, word);
      const statistics = await world.ask.statistics(collection, [word, 'plain'], WHOLE);
      assert.deepEqual(statistics.documentFrequencies, [0, 1], word);
    }
    const arm = { terms: Array.from({ length: 3000 }, (_, i) => `w${i}`).concat('plain') };
    assert.equal((await world.ask.candidates(collection, { ...ask, arm })).length, 1);
    assert.deepEqual(await world.ask.candidates(collection, { ...ask, arm: { terms: [] } }), []);
  });

  it('counts chunks, terms and frequencies as they come and go, each time at a later version', async () => {
    const { collection, docs, world } = await fresh();
    let before = -1;
    const counted = async (...terms: string[]) => {
      const { version, ...counts } = await world.ask.statistics(collection, terms, WHOLE);
      assert.ok(version > before);
      before = version;
      return counts;
    };
    assert.deepEqual(await counted('x'), {
      chunks: 0,
      averageLength: 0,
      documentFrequencies: [0],
    });
    await world.save(docs, [
      { id: 'a', texts: ['red red green', 'green'] },
      { id: 'b', texts: ['red blue'] },
    ]);
    assert.deepEqual(await counted('red', 'blue', 'pink', 'red'), {
      chunks: 3,
      averageLength: 2,
      documentFrequencies: [2, 1, 0, 2],
    });
    await world.save(docs, [{ id: 'a', texts: ['blue'] }]);
    assert.deepEqual(await counted('red', 'blue', 'green'), {
      chunks: 2,
      averageLength: 1.5,
      documentFrequencies: [1, 2, 0],
    });
  });

  if (writesSlowly(kind)) return;

  it('refuses a collection above the memory budget with a sentence', async () => {
    const { collection, database, docs, world } = await fresh();
    const small = kind.create(database, { budget: 45_000 });
    await world.save(docs, [{ id: 'a', texts: ['quince'] }]);
    assert.deepEqual(await world.words(collection, 'quince', {}, small), ['a__chunk_0']);
    await world.save(docs, [
      { id: 'b', texts: Array.from({ length: 1500 }, (_, i) => `word${i}`) },
    ]);
    await assert.rejects(world.words(collection, 'quince', {}, small), (error: AppError) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.status, 503);
      assert.equal(error.code, 'index_too_large');
      assert.match(error.message, /takes \d+ MB of memory, and 1 MB is the most/);
      return true;
    });
    await world.remove(docs, ['b']);
    assert.deepEqual(await world.words(collection, 'quince', {}, small), ['a__chunk_0']);
  });

  it('goes on after another collection has taken its place in memory', async () => {
    const { collection, database, docs, world } = await fresh();
    const small = kind.create(database, { budget: 400_000 });
    const many = Array.from({ length: 500 }, (_, i) => `word${i}`);
    await world.save(docs, [{ id: 'a', texts: many }]);
    const elsewhere = await world.collection();
    await world.save(await world.connection(elsewhere), [{ id: 'b', texts: many }]);
    for (let round = 0; round < 3; round++) {
      assert.deepEqual(await world.words(collection, 'word9', {}, small), ['a__chunk_9']);
      assert.deepEqual(await world.words(elsewhere, 'word8', {}, small), ['b__chunk_8']);
    }
  });
});

/** Makes documents of one chunk each, with words out of a small set. */
function manyDocs(count: number, seed: number) {
  const chance = random(seed);
  return Array.from({ length: count }, (_, i) => ({
    id: `d${i}`,
    texts: [
      Array.from(
        { length: 2 + chance.below(9) },
        () => `w${Math.floor(chance.next() ** 2 * 12)}`,
      ).join(' '),
    ],
  }));
}
