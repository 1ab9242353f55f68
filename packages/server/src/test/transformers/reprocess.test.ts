/**
 * Tests when the next sync processes stored records again: after transformers that failed, and after interrupted work.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { bookmark, checkpoint, listed } from '../../sources/items.ts';
import { page, whole } from '../app/source.ts';
import { DATABASES } from '../databases.ts';
import { isLeftToSqlite } from '../tier.ts';
import { until } from '../until.ts';
import { counts, openShop, type Shop } from './shop.ts';

for (const database of DATABASES) {
  describe(`stored records and their transformers on ${database.name}`, () => {
    let shop: Shop;
    let collection: string;
    before(async () => {
      shop = await openShop(await database.open());
    });
    after(() => shop.close());
    beforeEach(async () => {
      collection = await shop.collection();
    });

    const connect = (transformer: object) =>
      shop.connect(collection, [transformer], { schedule: { cron: null, continuous: true } });
    const suffix = async (word: string) => ({
      transformer_id: await shop.transformer('suffix'),
      config: { word },
    });
    const failing = async () => ({
      transformer_id: await shop.transformer('model', { module_name: 'model.js' }),
      config: { word: 'so', fails: true },
    });
    /** Returns the counts of an incremental sync. */
    const syncChanges = async (connection: string) => {
      shop.world.items = [checkpoint(2)];
      const job = await shop.sync(connection);
      assert.deepEqual([job.status, job.sync_metadata.full], ['completed', false]);
      return counts(job);
    };

    it('[TRF-18] a failed record is tried again in every incremental sync', async () => {
      const step = await failing();
      const connection = await connect(step);
      shop.world.items = [...whole(page('a', { text: 'I fail' }), page('b')), checkpoint(1)];
      assert.deepEqual(counts(await shop.sync(connection)), [1, 0, 0, 0, 0, 1]);
      for (let i = 0; i < 2; i++)
        assert.deepEqual(await syncChanges(connection), [0, 0, 0, 0, 0, 1], `${i}`);
      await shop.use(connection, [{ ...step, config: { ...step.config, fails: false } }]);
      assert.deepEqual(await syncChanges(connection), [1, 0, 0, 0, 0, 0]);
      assert.deepEqual(await syncChanges(connection), [0, 0, 0, 0, 0, 0]);
    });

    if (isLeftToSqlite(database)) return;

    it('[TRF-18] a failed record is tried again after a full sync that ended before it reached the record', async () => {
      const connection = await connect(await failing());
      shop.world.items = [...whole(page('a', { text: 'I fail' }), page('b')), checkpoint(1)];
      await shop.sync(connection);
      shop.world.items = [
        () => {
          throw new SourceError('fatal', 'the world has broken');
        },
      ];
      assert.equal((await shop.sync(connection, '?force_full_sync=true')).status, 'failed');
      assert.deepEqual(await syncChanges(connection), [0, 0, 0, 0, 0, 1]);
    });

    it('[TRF-17] stored records are examined again only while some of them have failed', async () => {
      const transformed = async (connection: string) => {
        const row = shop.db.selectFrom('connections').select('transformed');
        return (await row.where('id', '=', connection).executeTakeFirstOrThrow()).transformed;
      };
      const good = await connect(await suffix('one'));
      shop.world.items = [...whole(page('a')), checkpoint(1)];
      await shop.sync(good);
      assert.match(await transformed(good), /^[0-9a-f]{32}$/);
      const bad = await connect(await failing());
      shop.world.items = [...whole(page('a', { text: 'I fail' }), page('b')), checkpoint(1)];
      await shop.sync(bad);
      assert.equal(await transformed(bad), 'incomplete');
      await syncChanges(bad);
      assert.equal(await transformed(bad), 'incomplete');
      // Only a full sync can repair a stored record that cannot be read.
      await shop.db
        .updateTable('entities')
        .set({ is_damaged: true })
        .where('connection_id', '=', bad)
        .where('entity_id', '=', 'a')
        .execute();
      await syncChanges(bad);
      assert.match(await transformed(bad), /^[0-9a-f]{32}$/);
    });

    it('[TRF-17] records that a cancelled job has transformed are transformed again with the old configuration', async () => {
      const some = Array.from({ length: 100 }, (_, i) => page(`a${i}`));
      shop.world.items = [...whole(...some, page('b', { text: 'wait here' })), checkpoint(1)];
      const first = await suffix('one');
      const connection = await connect(first);
      await shop.sync(connection);
      const waiting = {
        transformer_id: await shop.transformer('waiting'),
        config: { word: 'two', waitsAt: 'wait' },
      };
      await shop.use(connection, [waiting]);
      const { id } = await shop.ok('POST', `/v1/source-connections/${connection}/reprocess`);
      const found = () => shop.find(collection, 'two', { retrieval_strategy: 'keyword' });
      await until(async () => ((await found()).length > 0 ? true : undefined));
      await shop.ok('POST', `/v1/source-connections/${connection}/jobs/${id}/cancel`);
      assert.equal((await shop.settled(connection)).status, 'cancelled');
      assert.equal((await found()).length, 100);
      await shop.use(connection, [first]);
      await syncChanges(connection);
      assert.deepEqual(await found(), []);
      assert.equal((await shop.texts(collection)).a0, 'text of a0 one');
    });

    it('[TRF-17] a stored record that cannot be read fails once, and a full sync repairs it', async () => {
      const step = await suffix('one');
      const connection = await connect(step);
      const world = [...whole(page('a'), page('b')), checkpoint(1)];
      shop.world.items = world;
      await shop.sync(connection);
      await shop.db
        .updateTable('entities')
        .set({ raw: Buffer.from('nothing') })
        .where('connection_id', '=', connection)
        .where('entity_id', '=', 'a')
        .execute();
      await shop.use(connection, [{ ...step, config: { word: 'two' } }]);
      const job = await shop.reprocess(connection);
      assert.deepEqual([job.status, counts(job)], ['completed', [0, 1, 0, 0, 0, 1]]);
      const [failure] = await shop.failures(connection, job.id);
      assert.deepEqual([failure.entity_id, failure.stage], ['a', 'transform']);
      assert.match(failure.message, /cannot be read/);
      assert.match(failure.hint, /full sync/);
      assert.deepEqual(await syncChanges(connection), [0, 0, 0, 0, 0, 0]);
      assert.deepEqual(await shop.texts(collection), { a: 'text of a one', b: 'text of b two' });
      shop.world.items = world;
      const full = await shop.sync(connection, '?force_full_sync=true');
      assert.deepEqual(counts(full), [0, 1, 0, 1, 0, 0]);
      assert.deepEqual(await shop.texts(collection), { a: 'text of a two', b: 'text of b two' });
    });

    it('[TRF-17] after the transformers changed in the middle of a pull, the next sync transforms all records alike', async () => {
      const [one, two] = [await suffix('one'), await suffix('two')];
      const connection = await connect(one);
      shop.world.items = [...whole(page('a'), page('b')), checkpoint(1)];
      await shop.sync(connection);
      shop.world.items = [
        page('a'),
        bookmark(1),
        async () => {
          await shop.use(connection, [two]);
          shop.world.items = [page('b'), listed(''), checkpoint(1)];
          throw new SourceError('transient', 'the world went away');
        },
      ];
      const job = await shop.sync(connection, '?force_full_sync=true');
      assert.deepEqual([job.status, job.sync_metadata.attempt], ['completed', 2]);
      const texts = { a: 'text of a one', b: 'text of b two' };
      assert.deepEqual(await shop.texts(collection), texts);
      await shop.use(connection, [one]);
      await syncChanges(connection);
      assert.deepEqual(await shop.texts(collection), { ...texts, b: 'text of b one' });
    });
  });
}
