/** Tests as of when the records of a connection and of a collection are true, according to the API. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { push } from '../../sources/catalog/push.ts';
import { checkpoint } from '../../sources/items.ts';
import { DATABASES } from '../databases.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';
import { page, testWorld, type World, whole } from './source.ts';

for (const database of DATABASES) {
  describe(`true_as_of on ${database.name}`, () => {
    let quarry: TestQuarry;
    let world: World;
    let collection: string;
    let made = 0;

    before(async () => {
      const test = testWorld();
      world = test.world;
      quarry = await openTestQuarry(await database.open(), {
        sources: new Map([
          ['world', test.source],
          ['push', push],
        ]),
      });
    });
    after(() => quarry.close());
    beforeEach(async () => {
      Object.assign(world, { items: [], members: [], pulls: [], password: 'right' });
      collection = `times-${made++}`;
      await quarry.ok('POST', '/v1/collections', { name: 'Times', readable_id: collection });
    });

    async function connect(body: object = {}): Promise<string> {
      const { id } = await quarry.ok('POST', '/v1/source-connections', {
        name: 'The world',
        short_name: 'world',
        readable_collection_id: collection,
        authentication: { credentials: { password: 'right' } },
        sync_immediately: false,
        schedule: { cron: null },
        ...body,
      });
      return id;
    }
    const shown = (id: string) => quarry.ok('GET', `/v1/source-connections/${id}`);
    const asOf = async (id: string): Promise<string | null> => (await shown(id)).true_as_of;

    it('a completed sync is true as of its start, and a failed, cancelled or reprocessing one moves nothing', async () => {
      const connection = await connect();
      assert.equal(await asOf(connection), null);
      let readAt = '';
      world.items = [
        () => {
          readAt = new Date().toISOString();
        },
        ...whole(page('a')),
      ];
      const first = await quarry.sync(connection);
      assert.equal(await asOf(connection), first.started_at);
      assert.ok(first.started_at <= readAt, 'the source was read before the time');

      world.items = [
        () => {
          throw new SourceError('transient', 'the world went away');
        },
      ];
      assert.equal((await quarry.sync(connection)).status, 'failed');
      assert.equal(await asOf(connection), first.started_at);

      world.items = [
        async () => {
          const [running] = await quarry.ok('GET', `/v1/source-connections/${connection}/jobs`);
          await quarry.ok('POST', `/v1/sync/jobs/${running.id}/cancel`);
        },
        page('b'),
      ];
      assert.equal((await quarry.sync(connection)).status, 'cancelled');
      assert.equal(await asOf(connection), first.started_at);

      await quarry.ok('POST', `/v1/source-connections/${connection}/reprocess`);
      assert.equal((await quarry.settled(connection)).status, 'completed');
      assert.equal(await asOf(connection), first.started_at);
    });

    it('a sync that goes on after an interruption is true as of the start of its first attempt', async () => {
      const connection = await connect();
      let attempts = 0;
      world.items = [
        () => {
          attempts++;
          if (attempts === 1) throw new SourceError('rate_limited', 'later', { retryAfter: 1 });
        },
        ...whole(page('a')),
      ];
      const job = await quarry.sync(connection);
      assert.deepEqual([attempts, job.status], [2, 'completed']);
      assert.equal(await asOf(connection), job.started_at);
    });

    it('an incremental sync moves the time, and so does a sync that holds deletions back', async () => {
      const connection = await connect({
        schedule: { cron: null, continuous: true, cursor_field: 'at' },
      });
      const pages = Array.from({ length: 60 }, (_, i) => page(`p${i}`));
      world.items = [...whole(...pages), checkpoint(1)];
      const full = await quarry.sync(connection);
      world.items = [page('b'), checkpoint(2)];
      const incremental = await quarry.sync(connection);
      assert.equal(incremental.sync_metadata.full, false);
      assert.ok(incremental.started_at > full.started_at);
      assert.equal(await asOf(connection), incremental.started_at);
      assert.deepEqual((await shown(connection)).sync.last_full_job, {
        id: full.id,
        started_at: full.started_at,
        completed_at: full.completed_at,
        entities_encountered: { Page: 60 },
      });
      world.items = [...whole(page('b')), checkpoint(3)];
      const held = await quarry.sync(connection, '?force_full_sync=true');
      assert.equal(held.entities_deleted, 0);
      assert.equal(await asOf(connection), held.started_at);
    });

    it('a push is true as of its arrival', async () => {
      const id = await connect({
        short_name: 'push',
        authentication: undefined,
        schedule: undefined,
        sync_immediately: undefined,
      });
      const { id: jobId } = await quarry.ok('POST', `/v1/source-connections/${id}/entities`, {
        entities: [{ entity_id: 'a', name: 'a', text: 'a' }],
      });
      await quarry.settled(id);
      const { created_at } = await quarry.ok('GET', `/v1/sync/jobs/${jobId}`);
      assert.equal(await asOf(id), created_at);
    });

    it('a collection is true as of the oldest of its connections, and shows how many it has and their entities', async () => {
      const facts = async () => {
        const one = await quarry.ok('GET', `/v1/collections/${collection}`);
        const [listed] = await quarry.ok('GET', `/v1/collections?search=${collection}`);
        const { true_as_of, source_connections, entities } = one;
        assert.deepEqual([listed.true_as_of, listed.entities], [true_as_of, entities]);
        return [true_as_of, source_connections, entities] as const;
      };
      const none = { total_entities: 0, by_type: {}, by_source: {} };
      assert.deepEqual(await facts(), [null, 0, none]);
      const first = await connect();
      world.items = whole(page('a'), page('b', { type: 'Post' }));
      const older = await quarry.sync(first);
      assert.deepEqual(await facts(), [
        older.started_at,
        1,
        {
          total_entities: 2,
          by_type: { Page: { count: 1 }, Post: { count: 1 } },
          by_source: { world: { count: 2, source_connections: 1 } },
        },
      ]);
      const second = await connect();
      assert.deepEqual((await facts()).slice(0, 2), [null, 2], 'the second has no time yet');
      world.items = whole(page('c'));
      await quarry.sync(second);
      assert.deepEqual(await facts(), [
        older.started_at,
        2,
        {
          total_entities: 3,
          by_type: { Page: { count: 2 }, Post: { count: 1 } },
          by_source: { world: { count: 3, source_connections: 2 } },
        },
      ]);
      await quarry.ok('DELETE', `/v1/source-connections/${first}`);
      const newer = await asOf(second);
      assert.deepEqual((await facts()).slice(0, 2), [newer, 1]);
    });
  });
}
