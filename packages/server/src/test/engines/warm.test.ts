/** Tests which collections the index reads before a search asks for them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { residentBytes } from '../../engines/index/residents.ts';
import { describeIndexes } from './index-kind.ts';
import { DIMENSIONS } from './world.ts';

describeIndexes('an index that is warmed', (fresh, kind) => {
  /** The exact index reads when it is asked, and with both extensions nothing is held in memory. */
  const holds = !/exact|both/.test(kind.name);

  it('has read its collections, and answers as ever', async () => {
    const { database, collection, docs, world } = await fresh();
    await world.save(docs, [{ id: 'a', texts: ['plum', 'fig'] }]);
    const index = kind.create(database);
    const compared = async (id: string) =>
      (await index.doctor.examineMemory(database.db, id, null)).compared;
    assert.equal(await compared(collection), 0);
    await index.warm(database.db);
    assert.equal(await compared(collection), holds ? 2 : 0);
    await world.save(docs, [{ id: 'b', texts: ['plum'] }]);
    const found = await world.words(collection, 'plum', {}, index);
    assert.deepEqual(found.toSorted(), ['a__chunk_0', 'b__chunk_0']);
    const empty = await world.collection();
    await index.warm(database.db);
    assert.equal(await compared(empty), 0);
  });

  if (kind.name === 'sqlite')
    it('reads the largest ones first, and no more than half of the memory has room for', async () => {
      const { database, world } = await fresh();
      const filled = async (chunks: number) => {
        const collection = await world.collection();
        const docs = await world.connection(collection);
        const texts = Array.from({ length: chunks }, (_, i) => `plum ${i % 9}`);
        await world.save(docs, [{ id: 'a', texts }]);
        return collection;
      };
      const [small, large, medium] = [await filled(300), await filled(2000), await filled(500)];
      const parts = { dimensions: DIMENSIONS, holdsWords: true };
      const bytesOf = (chunks: number) =>
        residentBytes(parts, { number: 0, version: 0, chunks, terms: 2 * chunks });
      const read = async (half: number) => {
        const index = kind.create(database, { budget: 2 * half });
        await index.warm(database.db);
        const held = async (id: string) =>
          (await index.doctor.examineMemory(database.db, id, null)).compared > 0;
        return [await held(small), await held(medium), await held(large)];
      };
      assert.deepEqual(await read(bytesOf(2000) + bytesOf(500)), [false, true, true]);
      assert.deepEqual(await read(bytesOf(2000) - 1), [true, true, false], 'it is too large');
    });
});
