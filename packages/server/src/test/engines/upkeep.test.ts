/** Tests how upkeep keeps the embedded index fast and small while it changes. */
import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { sql } from 'kysely';
import { databaseTime } from '../../db/clock.ts';
import { createExactIndex } from '../../engines/index/exact.ts';
import { GONE_KEPT_MS } from '../../engines/index/rows.ts';
import { createSqliteIndex } from '../../engines/index/sqlite.ts';
import type { SearchIndex } from '../../engines/ports.ts';
import { must } from '../../util.ts';
import { DATABASES, hasOwnClock, type TestDatabase } from '../databases.ts';
import { createWorld, DIMENSIONS, type World } from './world.ts';

describe('upkeep of the embedded index', () => {
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

  const numberOf = async (collectionId: string) =>
    (
      await database.db
        .selectFrom('indexes')
        .select('number')
        .where('collection_id', '=', collectionId)
        .executeTakeFirstOrThrow()
    ).number;
  /** The id of a block contains its segment and its page. https://sqlite.org/fts5.html#the_data_table */
  const blocks = async (collectionId: string) => {
    const data = sql.id(`fts_${await numberOf(collectionId)}_data`);
    const { rows } = await sql<{ segments: number; bytes: number }>`
      select count(distinct id >> 37) as segments, sum(length(block)) as bytes
      from ${data} where id > 10`.execute(database.db);
    return must(rows[0]);
  };
  const maintain = async (collectionId: string) => {
    let steps = 1;
    while (await index.maintain(database.db, collectionId)) steps++;
    return steps;
  };

  it('merges what a thousand small writes leave behind', async () => {
    const collection = await world.collection();
    const docs = await world.connection(collection);
    for (let i = 0; i < 990; i++) await world.save(docs, [{ id: `e${i}`, texts: [`note n${i}`] }]);
    assert.equal((await blocks(collection)).segments, 990);
    const before = await world.words(collection, 'note', { depth: 1000 });
    assert.ok((await maintain(collection)) > 1);
    const { segments } = await blocks(collection);
    assert.ok(segments < 16, `${segments} segments`);
    assert.equal(await index.maintain(database.db, collection), false);
    assert.deepEqual(await world.words(collection, 'note', { depth: 1000 }), before);
    assert.equal(before.length, 990);
  });

  it('gives the room of deleted words back', async () => {
    const collection = await world.collection();
    const docs = await world.connection(collection);
    const ids = Array.from({ length: 30 }, (_, i) => `e${i}`);
    await world.save(
      docs,
      ids.map((id, i) => ({
        id,
        texts: Array.from({ length: 40 }, (_, k) => `a${i}x${k} b${i}x${k} c${k}`),
      })),
    );
    await maintain(collection);
    const full = await blocks(collection);
    await world.remove(docs, ids.slice(0, 20));
    await maintain(collection);
    const after = await blocks(collection);
    assert.ok(after.bytes < full.bytes / 2, `${after.bytes} of ${full.bytes} bytes are left`);
    assert.equal((await world.words(collection, 'c7')).length, 10);
  });

  it('drops the words of a collection with it', async () => {
    const collection = await world.collection();
    const number = await numberOf(collection);
    const tables = async () => {
      const { rows } = await sql<{ name: string }>`
        select name from sqlite_schema where name like ${`fts_${number}%`}`.execute(database.db);
      return rows.length;
    };
    assert.ok((await tables()) > 0);
    await database.db.transaction().execute((tx) => index.drop(tx, collection));
    assert.equal(await tables(), 0);
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
