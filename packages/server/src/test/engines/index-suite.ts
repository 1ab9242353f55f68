/** What every search index does, whatever it is made of. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { SearchIndex } from '../../engines/ports.ts';
import { AppError } from '../../errors.ts';
import { quantize } from '../../model/vector.ts';
import type { TestDatabase } from '../databases.ts';
import { random } from './random.ts';
import { type Connection, createWorld, DIMENSIONS, embed, type World } from './world.ts';

export interface IndexKind {
  readonly name: string;
  open(): Promise<TestDatabase>;
  create(database: TestDatabase, options?: { budget: number }): SearchIndex;
}

export function testIndex(kind: IndexKind): void {
  describe(`search index: ${kind.name}`, () => {
    let database: TestDatabase;
    let index: SearchIndex;
    let world: World;
    let collection: string;
    let docs: Connection;

    before(async () => {
      database = await kind.open();
      index = kind.create(database);
      world = await createWorld(database, index);
    });
    after(async () => {
      await index.close();
      await database.close();
    });
    const fresh = async () => {
      collection = await world.collection();
      docs = await world.connection(collection);
    };

    it('finds a chunk by its words and by its meaning at once after the commit', async () => {
      await fresh();
      assert.deepEqual(await world.words(collection, 'zebra'), []);
      await world.save(docs, [
        { id: 'a', texts: ['zebras and lions', 'giraffes'] },
        { id: 'b', name: 'About zebras', texts: ['striped animals'] },
      ]);
      assert.deepEqual(await world.words(collection, 'zebra'), ['b__chunk_0', 'a__chunk_0'].sort());
      assert.deepEqual(await world.words(collection, 'giraffe'), ['a__chunk_1']);
      assert.equal((await world.nearest(collection, 'giraffes'))[0], 'a__chunk_1');
    });

    it('finds nothing of a transaction that is rolled back', async () => {
      await fresh();
      await world.save(docs, [{ id: 'a', texts: ['kept'] }]);
      await world.words(collection, 'kept');
      await assert.rejects(
        database.db.transaction().execute(async (tx) => {
          await world.saveIn(tx, docs, [
            { id: 'a', texts: ['changed'] },
            { id: 'b', texts: ['lost'] },
          ]);
          throw new Error('no');
        }),
        /no/,
      );
      assert.deepEqual(await world.words(collection, 'lost changed'), []);
      assert.deepEqual(await world.words(collection, 'kept'), ['a__chunk_0']);
      assert.deepEqual(await world.nearest(collection, 'kept'), ['a__chunk_0']);
      await world.save(docs, [{ id: 'c', texts: ['later'] }]);
      assert.deepEqual(await world.words(collection, 'later'), ['c__chunk_0']);
    });

    it('replaces the chunks of an entity, and only its', async () => {
      await fresh();
      await world.save(docs, [
        { id: 'a', texts: ['first version', 'second part'] },
        { id: 'b', texts: ['another first'] },
      ]);
      assert.deepEqual(await world.words(collection, 'second'), ['a__chunk_1']);
      await world.save(docs, [{ id: 'a', texts: ['newer version'] }]);
      assert.deepEqual(await world.words(collection, 'second'), []);
      assert.deepEqual(await world.words(collection, 'first'), ['b__chunk_0']);
      assert.deepEqual(await world.words(collection, 'newer'), ['a__chunk_0']);
      assert.ok(!(await world.nearest(collection, 'second part')).includes('a__chunk_1'));
    });

    it('forgets the chunks of an entity that is written without any', async () => {
      await fresh();
      await world.save(docs, [
        { id: 'a', texts: ['apple'] },
        { id: 'b', texts: ['apple pie'] },
      ]);
      assert.equal((await world.words(collection, 'apple')).length, 2);
      await world.remove(docs, ['a']);
      assert.deepEqual(await world.words(collection, 'apple'), ['b__chunk_0']);
      assert.deepEqual(await world.nearest(collection, 'apple'), ['b__chunk_0']);
      const left = await database.db
        .selectFrom('chunk_bodies')
        .innerJoin('chunks', 'chunks.n', 'chunk_bodies.n')
        .select('text')
        .where('connection_id', '=', docs.connectionId)
        .execute();
      assert.deepEqual(
        left.map((row) => row.text),
        ['apple pie'],
      );
    });

    it('shows every reader the newest commit', async () => {
      await fresh();
      const other = kind.create(database);
      const seen = (text: string) =>
        Promise.all([
          world.words(collection, text),
          world.words(collection, text, {}, other),
          world.nearest(collection, text, {}, other),
        ]);
      assert.deepEqual(await seen('plum'), [[], [], []]);
      await world.save(docs, [{ id: 'a', texts: ['plum'] }]);
      assert.deepEqual(await seen('plum'), [['a__chunk_0'], ['a__chunk_0'], ['a__chunk_0']]);
      await world.remove(docs, ['a']);
      await world.save(docs, [{ id: 'b', texts: ['plum'] }]);
      assert.deepEqual(await seen('plum'), [['b__chunk_0'], ['b__chunk_0'], ['b__chunk_0']]);
      await other.close();
    });

    it('keeps collections apart', async () => {
      await fresh();
      await world.save(docs, [{ id: 'a', texts: ['walnut'] }]);
      const elsewhere = await world.collection();
      const others = await world.connection(elsewhere);
      await world.save(others, [{ id: 'b', texts: ['walnut', 'walnut cake'] }]);
      assert.deepEqual(await world.words(collection, 'walnut'), ['a__chunk_0']);
      assert.deepEqual(await world.nearest(collection, 'walnut'), ['a__chunk_0']);
      assert.deepEqual((await index.statistics(collection, ['walnut'])).documentFrequencies, [1]);
      assert.deepEqual((await index.statistics(elsewhere, ['walnut'])).documentFrequencies, [2]);
    });

    it('[SRH-18] gives for a depth the beginning of what it gives for a greater one', async () => {
      await fresh();
      await world.save(docs, manyDocs(150, 5));
      for (const arm of ['words', 'nearest'] as const) {
        const all = await world[arm](collection, 'w1 w2 w3', { depth: 150 });
        assert.ok(all.length > 60, `only ${all.length} candidates`);
        for (const depth of [1, 2, 7, 59])
          assert.deepEqual(
            await world[arm](collection, 'w1 w2 w3', { depth }),
            all.slice(0, depth),
          );
      }
    });

    it('breaks ties by number, oldest first', async () => {
      await fresh();
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
      await fresh();
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
      await fresh();
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
      await fresh();
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

    it('notices a change of what filters read, once it is told', async () => {
      await fresh();
      await world.save(docs, [{ id: 'a', texts: ['fig'], viewers: ['user:ann'] }]);
      const ask = { principals: ['user:bob'], filter: { path: ['metadata', 'x'], in: [1] } };
      assert.deepEqual(await world.words(collection, 'fig', ask), []);
      await database.db.transaction().execute(async (tx) => {
        await tx
          .updateTable('entities')
          .set({ viewers: '["user:bob"]', metadata: '{"x":1}' })
          .where('id', '=', world.rowId(docs, 'a'))
          .execute();
        await index.touch(tx, collection);
      });
      assert.deepEqual(await world.words(collection, 'fig', ask), ['a__chunk_0']);
      assert.deepEqual(await world.nearest(collection, 'fig', ask), ['a__chunk_0']);
    });

    it('takes a filter and gives the best that satisfy it', async () => {
      await fresh();
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

    it('takes any word as a word', async () => {
      await fresh();
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
        assert.deepEqual(await index.candidates(collection, { ...ask, arm }), [], word);
        const both = { terms: [word, 'plain', word] };
        assert.equal((await index.candidates(collection, { ...ask, arm: both })).length, 1, word);
        const statistics = await index.statistics(collection, [word, 'plain']);
        assert.deepEqual(statistics.documentFrequencies, [0, 1], word);
      }
      const arm = { terms: Array.from({ length: 3000 }, (_, i) => `w${i}`).concat('plain') };
      assert.equal((await index.candidates(collection, { ...ask, arm })).length, 1);
      assert.deepEqual(await index.candidates(collection, { ...ask, arm: { terms: [] } }), []);
    });

    it('counts chunks, terms and frequencies as they come and go', async () => {
      await fresh();
      assert.deepEqual(await index.statistics(collection, ['x']), {
        chunks: 0,
        averageLength: 0,
        documentFrequencies: [0],
      });
      await world.save(docs, [
        { id: 'a', texts: ['red red green', 'green'] },
        { id: 'b', texts: ['red blue'] },
      ]);
      assert.deepEqual(await index.statistics(collection, ['red', 'blue', 'pink', 'red']), {
        chunks: 3,
        averageLength: 2,
        documentFrequencies: [2, 1, 0, 2],
      });
      await world.save(docs, [{ id: 'a', texts: ['blue'] }]);
      assert.deepEqual(await index.statistics(collection, ['red', 'blue', 'green']), {
        chunks: 2,
        averageLength: 1.5,
        documentFrequencies: [1, 2, 0],
      });
    });

    it('numbers chunks in the order of commits and never uses a number again', async () => {
      await fresh();
      const numbers = async () => {
        const rows = await database.db
          .selectFrom('chunks')
          .select('n')
          .where('connection_id', '=', docs.connectionId)
          .orderBy('n')
          .execute();
        return rows.map((row) => row.n);
      };
      await world.save(docs, [{ id: 'a', texts: ['one', 'two'] }]);
      const first = await numbers();
      await world.save(docs, [{ id: 'a', texts: ['one', 'two', 'three'] }]);
      const second = await numbers();
      assert.equal(first.length, 2);
      assert.equal(first[1], first[0]! + 1);
      assert.deepEqual(
        second,
        [2, 3, 4].map((k) => first[0]! + k),
      );
      assert.equal(first[0]! % 2 ** 32, 0);
    });

    it('writes an entity of thousands of chunks in one transaction', async () => {
      await fresh();
      const texts = Array.from({ length: 1203 }, (_, i) => `part${i} of it`);
      await world.save(docs, [{ id: 'big', texts }]);
      for (const i of [0, 499, 500, 501, 999, 1000, 1202]) {
        assert.deepEqual(await world.words(collection, `part${i}`), [`big__chunk_${i}`]);
        const [nearest] = await world.nearest(collection, texts[i]!, { depth: 1 });
        assert.equal(nearest, `big__chunk_${i}`);
      }
      await world.remove(docs, ['big']);
      assert.equal((await index.statistics(collection, [])).chunks, 0);
    });

    it('stores what a text must not contain without it', async () => {
      await fresh();
      await world.save(docs, [{ id: 'a', texts: ['odd\0 \ud800text'] }]);
      const { text } = await database.db
        .selectFrom('chunk_bodies as b')
        .innerJoin('chunks as c', 'c.n', 'b.n')
        .select('b.text')
        .where('c.connection_id', '=', docs.connectionId)
        .executeTakeFirstOrThrow();
      assert.equal(text, 'odd \ufffdtext');
    });

    it('gives the vectors that a connection has, by the hash of the text', async () => {
      await fresh();
      const others = await world.connection(collection);
      await world.save(docs, [{ id: 'a', texts: ['one', 'two', 'one'] }]);
      await world.save(others, [{ id: 'b', texts: ['three'] }]);
      const rows = await database.db
        .selectFrom('chunks')
        .select(['text_hash', 'position', 'connection_id'])
        .where('connection_id', 'in', [docs.connectionId, others.connectionId])
        .execute();
      const hashes = rows.map((row) => row.text_hash);
      const known = await index.vectors(database.db, docs, [...hashes, 'none']);
      const hashOf = (position: number) =>
        rows.find((row) => row.position === position && row.connection_id === docs.connectionId)!
          .text_hash;
      assert.deepEqual([...known.keys()].sort(), [hashOf(0), hashOf(1)].sort());
      assert.deepEqual(known.get(hashOf(0)), quantize(embed('one')));
      assert.deepEqual(known.get(hashOf(1)), quantize(embed('two')));
      assert.deepEqual(await index.vectors(database.db, docs, []), new Map());
    });

    it('forgets a collection that is dropped', async () => {
      await fresh();
      await world.save(docs, [{ id: 'a', texts: ['grape'] }]);
      assert.equal((await world.words(collection, 'grape')).length, 1);
      await world.remove(docs, ['a']);
      await database.db.transaction().execute((tx) => index.drop(tx, collection));
      assert.deepEqual(await world.words(collection, 'grape'), []);
      assert.deepEqual(await world.nearest(collection, 'grape'), []);
      assert.equal((await index.statistics(collection, ['grape'])).chunks, 0);
      assert.equal(await index.maintain(database.db, collection), false);
      await database.db.transaction().execute((tx) => index.drop(tx, collection));
      await database.db.transaction().execute((tx) => index.create(tx, collection));
      await world.save(docs, [{ id: 'b', texts: ['grape juice'] }]);
      assert.deepEqual(await world.words(collection, 'grape'), ['b__chunk_0']);
    });

    it('refuses to write to a collection that it does not know', async () => {
      await assert.rejects(
        database.db
          .transaction()
          .execute((tx) => index.write(tx, { collectionId: 'nope', connectionId: 'c' }, [], [])),
        /collection nope has no search index/,
      );
    });

    it('refuses a vector of another size', async () => {
      await fresh();
      const chunk = {
        entity: 'e',
        index: 0,
        text: '',
        heading: null,
        page: null,
        textHash: '',
        terms: [],
        vector: quantize(new Float32Array(DIMENSIONS + 1)),
      };
      await assert.rejects(
        database.db.transaction().execute((tx) => index.write(tx, docs, [], [chunk])),
        /a vector has 25 dimensions instead of 24/,
      );
    });

    it('refuses a collection above the memory budget with a sentence', async () => {
      await fresh();
      const small = kind.create(database, { budget: 200_000 });
      await world.save(docs, [{ id: 'a', texts: ['quince'] }]);
      assert.deepEqual(await world.words(collection, 'quince', {}, small), ['a__chunk_0']);
      await world.save(docs, [
        { id: 'b', texts: Array.from({ length: 4000 }, (_, i) => `word${i}`) },
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
      await small.close();
    });

    it('goes on after another collection has taken its place in memory', async () => {
      await fresh();
      const small = kind.create(database, { budget: 400_000 });
      const many = Array.from({ length: 500 }, (_, i) => `word${i}`);
      await world.save(docs, [{ id: 'a', texts: many }]);
      const elsewhere = await world.collection();
      await world.save(await world.connection(elsewhere), [{ id: 'b', texts: many }]);
      for (let round = 0; round < 3; round++) {
        assert.deepEqual(await world.words(collection, 'word9', {}, small), ['a__chunk_9']);
        assert.deepEqual(await world.words(elsewhere, 'word8', {}, small), ['b__chunk_8']);
      }
      await small.close();
    });
  });
}

/** Documents of one chunk with some of few words. */
export function manyDocs(count: number, seed: number) {
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
