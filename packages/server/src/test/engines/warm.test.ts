/** Tests which collections the index reads before a search asks for them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { indexNumber } from '../../engines/index/index-rows.ts';
import { endNumber, firstNumber } from '../../engines/index/numbers.ts';
import { residentBytes } from '../../engines/index/residents.ts';
import { describeIndexes } from './index-kind.ts';
import { DIMENSIONS } from './world.ts';

const { signal } = new AbortController();

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
    await index.warm(database.db, signal);
    assert.equal(await compared(collection), holds ? 2 : 0);
    await world.save(docs, [{ id: 'b', texts: ['plum'] }]);
    const found = await world.words(collection, 'plum', {}, index);
    assert.deepEqual(found.toSorted(), ['a__chunk_0', 'b__chunk_0']);
    const empty = await world.collection();
    await index.warm(database.db, signal);
    assert.equal(await compared(empty), 0);
  });

  it('reads nothing when the database is closed, or has no collections', async () => {
    const { database, collection, docs, world } = await fresh();
    await world.save(docs, [{ id: 'a', texts: ['plum'] }]);
    const index = kind.create(database);
    await index.warm(database.db, AbortSignal.abort());
    const { compared } = await index.doctor.examineMemory(database.db, collection, null);
    assert.equal(compared, 0);
    await database.db.updateTable('indexes').set({ chunks: 0 }).execute();
    await kind.create(database).warm(database.db, signal);
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
      const bytesOf = (chunks: number) => residentBytes(parts, { chunks, terms: 2 * chunks });
      const read = async (half: number) => {
        const index = kind.create(database, { budget: 2 * half });
        await index.warm(database.db, signal);
        const held = async (id: string) =>
          (await index.doctor.examineMemory(database.db, id, null)).compared > 0;
        return [await held(small), await held(medium), await held(large)];
      };
      assert.deepEqual(await read(bytesOf(2000) + bytesOf(500)), [false, true, true]);
      assert.deepEqual(await read(bytesOf(2000) - 1), [true, true, false], 'it is too large');
    });

  if (kind.name === 'sqlite')
    it('reads the others when one cannot be read, and says so', async () => {
      const { database, world } = await fresh();
      await database.db.updateTable('indexes').set({ chunks: 0 }).execute();
      const ids: string[] = [];
      for (const texts of [['plum', 'fig'], ['pear']]) {
        const collection = await world.collection();
        await world.save(await world.connection(collection), [{ id: 'a', texts }]);
        ids.push(collection);
      }
      const [broken = '', whole = ''] = ids;
      const number = await indexNumber(database.db, broken);
      await database.db
        .updateTable('chunk_bodies')
        .set({ vector: new Uint8Array(3) })
        .where('n', '>=', firstNumber(number ?? 0))
        .where('n', '<', endNumber(number ?? 0))
        .execute();
      const index = kind.create(database);
      await assert.rejects(index.warm(database.db, signal), (error: AggregateError) => {
        assert.match(String(error.errors), /a vector of 3 dimensions/);
        return /1 collections could not be read/.test(error.message);
      });
      const held = await index.doctor.examineMemory(database.db, whole, null);
      assert.equal(held.compared, 1);
    });
});
