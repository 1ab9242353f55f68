/** The index measures how near the texts of a collection are to each other. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rangeOf } from '../../engines/index/cosines.ts';
import { adoptEmbedder } from '../../engines/index/embedding.ts';
import { quantize } from '../../model/vector.ts';
import { newId } from '../../util.ts';
import { insertCollection, insertOrganization } from '../api/rows.ts';
import { describeIndexes, INDEX_KINDS } from './index-kind.ts';
import { DIMENSIONS, type Doc, embed } from './world.ts';

/** Every third text has the same words, so that some pairs are near and others far. */
const doc = (i: number): Doc => ({
  id: `e${i}`,
  texts: [i % 3 === 0 ? 'heron weir' : `word${i} other${i} third${i}`],
});
const docs = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => doc(from + i));
const expected = (all: readonly Doc[]) =>
  rangeOf(all.flatMap(({ texts }) => texts.map((text) => quantize(embed(text)))));

describeIndexes('the cosines of a collection', (fresh, kind) => {
  it('are measured with eight texts, and again when there are twice as many', async () => {
    const { world, collection, docs: to } = await fresh();
    assert.equal(await world.ask.cosines(collection), null);
    await world.save(to, docs(0, 7));
    assert.equal(await world.ask.cosines(collection), null);
    await world.save(to, docs(7, 8));
    const first = await world.ask.cosines(collection);
    assert.deepEqual(first, expected(docs(0, 8)));
    await world.save(to, docs(8, 15));
    assert.deepEqual(await world.ask.cosines(collection), first);
    await world.save(to, docs(15, 16));
    assert.deepEqual(await world.ask.cosines(collection), expected(docs(0, 16)));
    assert.notDeepEqual(expected(docs(0, 16)), first);
  });

  it('are measured with what is left after texts were removed', async () => {
    const { world, collection, docs: to } = await fresh();
    await world.save(to, docs(0, 20));
    await world.remove(
      to,
      docs(0, 10).map(({ id }) => id),
    );
    await world.save(to, docs(20, 60));
    assert.deepEqual(await world.ask.cosines(collection), expected(docs(10, 60)));
  });

  it('are those of a sample over a large collection', async () => {
    const { world, collection, docs: to } = await fresh();
    const all = docs(0, 256);
    await world.save(to, all);
    assert.deepEqual(
      await world.ask.cosines(collection),
      expected(all.filter((_, i) => i % 2 === 0)),
    );
  });

  if (!INDEX_KINDS.includes(kind)) return;

  it('are forgotten with another embedder, and measured again with its vectors', async () => {
    const { database, index, world } = await fresh();
    const { db } = database;
    const collection = newId();
    await insertCollection(db, { id: collection, organization_id: await insertOrganization(db) });
    await db.transaction().execute((tx) => index.create(tx, collection));
    const to = await world.connection(collection);
    await world.save(to, docs(0, 20));
    assert.notEqual(await world.ask.cosines(collection), null);
    await adoptEmbedder(db, database.kind, { model: 'new', dimensions: DIMENSIONS });
    assert.equal(await world.ask.cosines(collection), null);
    await world.save(to, docs(0, 9));
    const part = await world.ask.cosines(collection);
    assert.notEqual(part, null, 'the zeros of texts that are not embedded yet do not count');
    assert.deepEqual(part, expected(docs(0, 9)));
    await world.save(to, docs(9, 20));
    assert.deepEqual(await world.ask.cosines(collection), expected(docs(0, 20)));
  });
});
