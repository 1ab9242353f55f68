/** Tests how long an index remembers the chunks that went. */
import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { databaseTime } from '../../db/clock.ts';
import { createExactIndex } from '../../engines/index/exact.ts';
import { GONE_KEPT_MS } from '../../engines/index/rows.ts';
import { createSqliteIndex } from '../../engines/index/sqlite.ts';
import type { SearchIndex } from '../../engines/ports.ts';
import { must } from '../../util.ts';
import { DATABASES, hasOwnClock, type TestDatabase } from '../databases.ts';
import { createWorld, DIMENSIONS, type World } from './world.ts';

describe('what went, in the embedded index', () => {
  let database: TestDatabase;
  let index: SearchIndex;
  let world: World;

  before(async () => {
    database = await must(DATABASES[0]).open();
    index = createSqliteIndex({ dimensions: DIMENSIONS });
    world = await createWorld(database, index);
  });
  after(async () => {
    await database.close();
  });

  it('forgets what went an hour ago, and readers that slept through it start anew', async () => {
    const collection = await world.collection();
    const docs = await world.connection(collection);
    await world.save(docs, [
      { id: 'a', texts: ['melon'] },
      { id: 'b', texts: ['melon'] },
      { id: 'c', texts: ['melon'] },
    ]);
    const sleeper = createSqliteIndex({ dimensions: DIMENSIONS });
    const all = ['a__chunk_0', 'b__chunk_0', 'c__chunk_0'];
    assert.deepEqual(await world.nearest(collection, 'melon', {}, sleeper), all);
    const gone = async () => {
      const rows = await database.db
        .selectFrom('gone')
        .select('n')
        .where('collection_id', '=', collection)
        .execute();
      return rows.length;
    };
    await world.remove(docs, ['a']);
    assert.equal(await gone(), 1);
    mock.timers.enable({ apis: ['Date'], now: Date.now() + GONE_KEPT_MS + 1 });
    try {
      await world.remove(docs, ['b']);
      assert.equal(await gone(), 1);
      assert.deepEqual(await world.nearest(collection, 'melon', {}, sleeper), ['c__chunk_0']);
      assert.deepEqual(await world.nearest(collection, 'melon'), ['c__chunk_0']);
    } finally {
      mock.timers.reset();
    }
  });
});

for (const { name, open } of DATABASES)
  describe(`what went, on ${name}`, () => {
    it('is dated by the clock of the database, whatever that of the process says', async () => {
      const database = await open();
      const { db, kind } = database;
      const index = createExactIndex({ kind, dimensions: DIMENSIONS });
      try {
        const world = await createWorld(database, index);
        const docs = await world.connection(await world.collection());
        await world.save(docs, [
          { id: 'a', texts: ['melon'] },
          { id: 'b', texts: ['melon'] },
        ]);
        await world.remove(docs, ['a']);
        mock.timers.enable({ apis: ['Date'], now: Date.now() + 3 * GONE_KEPT_MS });
        await world.remove(docs, ['b']);
        const now = (await databaseTime(db, kind)).getTime();
        const gone = await db.selectFrom('gone').select('at').orderBy('seq').execute();
        assert.ok(gone.every(({ at }) => at <= now && at > now - GONE_KEPT_MS));
        assert.equal(gone.length, hasOwnClock(database) ? 2 : 1);
      } finally {
        mock.timers.reset();
        await database.close();
      }
    });
  });
