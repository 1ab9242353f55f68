/** Tests what happens to changes: every index finds exactly what was committed. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { quantize } from '../../model/vector.ts';
import { describeIndexes, writesSlowly } from './index-kind.ts';
import { DIMENSIONS, embed, WHOLE } from './world.ts';

describeIndexes('changes of an index', (fresh, kind) => {
  it('finds a chunk by its words and by its meaning at once after the commit', async () => {
    const { collection, docs, world } = await fresh();
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
    const { collection, database, docs, world } = await fresh();
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
    const { collection, docs, world } = await fresh();
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
    const { collection, database, docs, world } = await fresh();
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
    const { collection, database, docs, world } = await fresh();
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
  });

  it('keeps collections apart', async () => {
    const { collection, docs, world } = await fresh();
    await world.save(docs, [{ id: 'a', texts: ['walnut'] }]);
    const elsewhere = await world.collection();
    const others = await world.connection(elsewhere);
    await world.save(others, [{ id: 'b', texts: ['walnut', 'walnut cake'] }]);
    assert.deepEqual(await world.words(collection, 'walnut'), ['a__chunk_0']);
    assert.deepEqual(await world.nearest(collection, 'walnut'), ['a__chunk_0']);
    assert.deepEqual(
      (await world.ask.statistics(collection, ['walnut'], WHOLE)).documentFrequencies,
      [1],
    );
    assert.deepEqual(
      (await world.ask.statistics(elsewhere, ['walnut'], WHOLE)).documentFrequencies,
      [2],
    );
  });

  it('notices a change of what filters read, once it is told', async () => {
    const { collection, database, docs, index, world } = await fresh();
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

  it('numbers chunks in the order of commits and never uses a number again', async () => {
    const { database, docs, world } = await fresh();
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

  if (!writesSlowly(kind))
    it('writes an entity of thousands of chunks in one transaction', async () => {
      const { collection, docs, world } = await fresh();
      const texts = Array.from({ length: 1203 }, (_, i) => `part${i} of it`);
      await world.save(docs, [{ id: 'big', texts }]);
      for (const i of [0, 499, 500, 501, 999, 1000, 1202]) {
        assert.deepEqual(await world.words(collection, `part${i}`), [`big__chunk_${i}`]);
        const [nearest] = await world.nearest(collection, texts[i]!, { depth: 1 });
        assert.equal(nearest, `big__chunk_${i}`);
      }
      await world.remove(docs, ['big']);
      assert.equal((await world.ask.statistics(collection, [], WHOLE)).chunks, 0);
    });

  it('stores what a text must not contain without it', async () => {
    const { database, docs, world } = await fresh();
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
    const { collection, database, docs, index, world } = await fresh();
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
    const { collection, database, docs, index, world } = await fresh();
    await world.save(docs, [{ id: 'a', texts: ['grape'] }]);
    assert.equal((await world.words(collection, 'grape')).length, 1);
    await world.remove(docs, ['a']);
    await database.db.transaction().execute((tx) => index.drop(tx, collection));
    assert.deepEqual(await world.words(collection, 'grape'), []);
    assert.deepEqual(await world.nearest(collection, 'grape'), []);
    assert.equal((await world.ask.statistics(collection, ['grape'], WHOLE)).chunks, 0);
    assert.equal(await index.maintain(database.db, collection), false);
    await database.db.transaction().execute((tx) => index.drop(tx, collection));
    await database.db.transaction().execute((tx) => index.create(tx, collection));
    await world.save(docs, [{ id: 'b', texts: ['grape juice'] }]);
    assert.deepEqual(await world.words(collection, 'grape'), ['b__chunk_0']);
  });

  it('tells a collection from the one that had its id before', async () => {
    const { collection, database, docs, index, world } = await fresh();
    const doc = (text: string) => world.save(docs, [{ id: 'a', texts: [text] }]);
    await doc('grape');
    await world.remove(docs, ['a']);
    assert.deepEqual(await world.nearest(collection, 'grape'), []);
    await database.db.transaction().execute((tx) => index.drop(tx, collection));
    await database.db.transaction().execute((tx) => index.create(tx, collection));
    await doc('pear');
    await doc('apple');
    assert.deepEqual(await world.nearest(collection, 'apple'), ['a__chunk_0']);
    assert.deepEqual(await world.words(collection, 'apple'), ['a__chunk_0']);
  });

  it('refuses to write to a collection that it does not know', async () => {
    const { database, index } = await fresh();
    await assert.rejects(
      database.db
        .transaction()
        .execute((tx) => index.write(tx, { collectionId: 'nope', connectionId: 'c' }, [], [])),
      /collection nope has no search index/,
    );
  });

  it('refuses a vector of another size', async () => {
    const { database, docs, index } = await fresh();
    const chunk = {
      entity: 'e',
      index: 0,
      text: '',
      heading: null,
      page: null,
      place: null,
      line: 1,
      textHash: '',
      isTitled: true,
      terms: [],
      vector: quantize(new Float32Array(DIMENSIONS + 1)),
    };
    await assert.rejects(
      database.db.transaction().execute((tx) => index.write(tx, docs, [], [chunk])),
      /a vector has 25 dimensions instead of 24/,
    );
  });
});
