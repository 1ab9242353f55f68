/** Tests records that are below others, such as the files below a message. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import {
  bookmark,
  checkpoint,
  fail,
  listed,
  remove,
  type SourceItem,
  skip,
  stub,
  upsert,
} from '../../sources/items.ts';
import { DATABASES } from '../databases.ts';
import { isSmokeEnough } from '../tier.ts';
import { openShop, type Shop } from '../transformers/shop.ts';
import { until } from '../until.ts';
import { page } from './source.ts';

for (const database of DATABASES)
  describe(`records below others, on ${database.name}`, () => {
    let shop: Shop;
    let collection: string;
    let connection: string;

    before(async () => {
      shop = await openShop(await database.open());
    });
    after(() => shop.close());
    beforeEach(async () => {
      Object.assign(shop.world, { items: [], below: {}, pulls: [] });
      collection = await shop.collection();
      connection = await shop.connect(collection, [], {
        schedule: { cron: null, continuous: true, cursor_field: 'at' },
      });
    });

    const message = (id: string, version = 'v1', hasBelow = true) =>
      stub(id, 'Page', { version, hasBelow });
    const file = (id: string, over = {}) =>
      upsert({ id, type: 'Page', name: id, text: `text of ${id}`, fields: {}, ...over });
    const ids = async () => Object.keys(await shop.texts(collection)).toSorted();
    /** Returns what was asked, and how many records were inserted, updated, kept and deleted. */
    async function sync(query: string, ...items: SourceItem[]) {
      shop.world.items = items;
      shop.world.asked = [];
      const job = await shop.sync(connection, query);
      assert.equal(job.status, 'completed', JSON.stringify(job.error));
      const { entities_inserted, entities_updated, entities_kept, entities_deleted } = job;
      return {
        asked: shop.world.asked.toSorted(),
        counts: [entities_inserted, entities_updated, entities_kept, entities_deleted],
        job,
      };
    }
    const full = (...items: SourceItem[]) =>
      sync('?force_full_sync=true', ...items, listed(''), checkpoint(1));
    const changes = (...items: SourceItem[]) => sync('', ...items, checkpoint(2));

    it('are asked for only below new and changed records, and count as seen below unchanged ones', async () => {
      const { below } = shop.world;
      below.a = [file('a/1'), stub('a/2', 'Page', { version: '1' })];
      below.b = [];
      const first = await full(message('a'), message('b'));
      assert.deepEqual(first.asked, ['a', 'b']);
      assert.deepEqual(first.counts, [4, 0, 0, 0]);
      const again = await full(message('a'), message('b'));
      assert.deepEqual([again.asked, again.counts], [[], [0, 0, 4, 0]]);
      below.a = [file('a/1', { text: 'other' }), file('a/3')];
      const changed = await full(message('a', 'v2'), message('b'));
      assert.deepEqual([changed.asked, changed.counts], [['a'], [1, 1, 2, 1]]);
      assert.deepEqual(await ids(), ['a', 'a/1', 'a/3', 'b']);
      below.a = [file('a/3')];
      const told = await changes(message('a', 'v3'));
      assert.deepEqual([told.asked, told.counts], [['a'], [0, 0, 2, 1]]);
      assert.deepEqual(await ids(), ['a', 'a/3', 'b']);
    });

    it('are deleted with the record above, which may itself not be stored', async () => {
      const { below } = shop.world;
      for (const id of ['a', 'b', 'c', 'd']) below[id] = [file(`${id}/1`), file(`${id}/2`)];
      const all = ['a', 'b', 'c', 'd'].map((id) => message(id));
      await full(...all);
      assert.deepEqual((await changes(remove('a'))).counts, [0, 0, 0, 3]);
      const swept = await full(message('c'), message('d'));
      assert.deepEqual([swept.asked, swept.counts], [[], [0, 0, 6, 3]]);
      const out = skip('c', 'Page', { reason: 'too large', removes: 'record' });
      assert.deepEqual((await changes(out)).counts, [0, 0, 0, 3]);
      // Nothing is below the record any more.
      assert.deepEqual((await changes(message('d', 'v1', false))).counts, [0, 0, 1, 2]);
      assert.deepEqual(await ids(), ['d']);
      assert.deepEqual((await full(message('d'))).asked, ['d']);
    });

    if (isSmokeEnough(database)) return;

    it('stay while they cannot be listed, and are asked for again', async () => {
      const { below } = shop.world;
      below.a = [file('a/1')];
      below.b = [file('b/1')];
      await full(message('a'), message('b'));
      below.a = new SourceError('skip', 'forbidden');
      below.b = [fail('b/1', 'Page', new SourceError('skip', 'the file is broken'))];
      const { asked, counts, job } = await full(message('a', 'v2'), message('b', 'v2'));
      assert.deepEqual([asked, counts, job.entities_failed], [['a', 'b'], [0, 0, 2, 0], 2]);
      const failures = await shop.failures(connection, job.id);
      assert.deepEqual(
        failures
          .map((one: { entity_id: string; stage: string }) => [one.entity_id, one.stage])
          .toSorted(),
        [
          ['a', 'below'],
          ['b/1', 'pull'],
        ],
      );
      assert.deepEqual(await ids(), ['a', 'a/1', 'b', 'b/1']);
      below.a = [];
      below.b = [file('b/1')];
      const later = await full(message('a', 'v2'), message('b', 'v2'));
      assert.deepEqual(
        [later.asked, later.counts],
        [
          ['a', 'b'],
          [0, 0, 3, 1],
        ],
      );
      // A record that fails keeps everything below it.
      assert.deepEqual(
        (await full(message('a', 'v2'), fail('b', 'Page', new SourceError('skip', 'broken'))))
          .counts,
        [0, 0, 1, 0],
      );
    });

    it('are stored as far as they were told when the source breaks, and are not asked for twice', async () => {
      const { below } = shop.world;
      for (const id of ['a', 'b', 'c']) below[id] = [file(`${id}/1`)];
      let isAway = true;
      Object.defineProperty(below, 'c', {
        get() {
          if (!isAway) return [file('c/1')];
          isAway = false;
          return new SourceError('transient', 'away');
        },
      });
      shop.world.items = [message('a'), message('b'), message('c'), bookmark(1), listed('')];
      shop.world.asked = [];
      await shop.sync(connection);
      assert.deepEqual(await ids(), ['a', 'a/1', 'b', 'b/1', 'c', 'c/1']);
      assert.deepEqual(shop.world.asked.toSorted(), ['a', 'b', 'c', 'c']);
    });

    it('are listed as skipped only by the sync that has asked for them', async () => {
      const { below } = shop.world;
      below.a = [skip('a/1', 'Page', { reason: 'too large' }), file('a/2', { text: '' })];
      assert.equal((await full(message('a'))).job.entities_skipped, 1);
      assert.equal((await full(message('a'))).job.entities_skipped, 0);
    });

    it('are not asked for again because a transformer has changed their type', async () => {
      const { below } = shop.world;
      below.a = [file('a/1'), file('a/2')];
      await shop.use(connection, [{ transformer_id: await shop.transformer('retyped') }]);
      assert.deepEqual((await full(message('a'))).asked, ['a']);
      const again = await full(message('a'));
      assert.deepEqual([again.asked, again.counts], [[], [0, 0, 3, 0]]);
    });

    it('wait for a confirmation when suspiciously many do not come up', async () => {
      const { below } = shop.world;
      const many = Array.from({ length: 80 }, (_, i) => file(`a/${i}`));
      below.a = many;
      await full(message('a'));
      below.a = [];
      for (const held of [await changes(message('a', 'v2')), await full(message('a', 'v2'))]) {
        assert.deepEqual(held.asked, ['a']);
        assert.equal(held.job.entities_deleted, 0);
        const [shown] = await shop.ok('GET', `/v1/source-connections/${connection}/jobs`);
        assert.equal(shown.error_details.code, 'deletions_need_confirmation');
        assert.match(shown.error_details.message, /^80 entities/);
      }
      shop.world.asked = [];
      const [{ id }] = await shop.ok('GET', `/v1/source-connections/${connection}/jobs`);
      await shop.ok('POST', `/v1/source-connections/${connection}/jobs/${id}/confirm-deletions`);
      const confirmed = await shop.settled(connection);
      assert.equal(confirmed.entities_deleted, 80);
      assert.deepEqual((await full(message('a', 'v2'))).asked, []);
    });

    it('count as listed when the doctor compares them with the source', async () => {
      const { below } = shop.world;
      below.a = [file('a/1')];
      below.b = new SourceError('skip', 'forbidden');
      await full(message('a'), message('b'), page('c'));
      shop.world.items = [message('a'), message('b'), page('c'), listed('')];
      const { run } = await shop.ok('POST', `/v1/collections/${collection}/doctor`, {
        source_connection_id: connection,
      });
      const done = await until(async () => {
        const url = `/v1/collections/${collection}/maintenance/${run.id}`;
        const shown = await shop.ok('GET', url);
        return shown.status === 'COMPLETED' ? shown : undefined;
      });
      assert.deepEqual(
        done.problems.map((one: { kind: string; examples: string[] }) => [one.kind, one.examples]),
        [['outdated', ['b']]],
      );
    });
  });
