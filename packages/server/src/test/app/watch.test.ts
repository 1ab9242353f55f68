/** Tests the event stream of a job as a client receives it over HTTP. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { checkpoint, fail, listed, skip } from '../../sources/items.ts';
import { JobEvent } from '../../syncs/schema.ts';
import { newId } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { type EventStream, openStream } from '../event-stream.ts';
import { isSmokeEnough } from '../tier.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';
import { page, testWorld, type World } from './source.ts';

const NONE = { inserted: 0, updated: 0, deleted: 0, kept: 0, skipped: 0, failed: 0 };

for (const database of DATABASES) {
  describe(`a watched job on ${database.name}`, () => {
    let quarry: TestQuarry;
    let world: World;
    let connection: string;
    let address: string;
    let made = 0;

    before(async () => {
      const test = testWorld();
      world = test.world;
      quarry = await openTestQuarry(await database.open(), {
        sources: new Map([['world', test.source]]),
      });
      await quarry.api.listen({ host: '127.0.0.1', port: 0 });
      address = `http://127.0.0.1:${(quarry.api.server.address() as AddressInfo).port}`;
    });
    after(() => quarry.close());
    beforeEach(async () => {
      const collection = `watched-${made++}`;
      await quarry.ok('POST', '/v1/collections', { name: 'Watched', readable_id: collection });
      const { id } = await quarry.ok('POST', '/v1/source-connections', {
        name: 'The world',
        short_name: 'world',
        readable_collection_id: collection,
        authentication: { credentials: { password: 'right' } },
        sync_immediately: false,
        schedule: { cron: null },
      });
      connection = id;
    });

    const path = () => `/v1/source-connections/${connection}`;
    const run = async (items: World['items']): Promise<string> => {
      world.items = items;
      return (await quarry.ok('POST', `${path()}/run`)).id;
    };
    const watch = (job: string) => openStream(`${address}${path()}/jobs/${job}/stream`, quarry.key);
    async function first(stream: EventStream, is: (event: any) => boolean) {
      for (;;) {
        const event = await stream.next();
        assert.ok(event, 'the stream ended');
        if (is(event)) return event;
      }
    }
    const jobOf = (id: string) => quarry.ok('GET', `/v1/sync/jobs/${id}`);

    it('[JOB-40] [JOB-49] the stream of a running job sends the committed counters, and at the end the job as it ended', async () => {
      const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const id = await run([
        page('a'),
        page('b', { type: 'Post' }),
        skip('c', 'Page', { reason: 'too large' }),
        fail('d', 'Post', new SourceError('skip', 'odd')),
        checkpoint(1),
        () => reached.resolve(),
        () => go.promise,
        page('e'),
        listed(''),
      ]);
      await reached.promise;
      const stream = await watch(id);
      const middle = {
        entities_inserted: 2,
        entities_updated: 0,
        entities_deleted: 0,
        entities_kept: 0,
        entities_skipped: 1,
        entities_failed: 1,
        entities_encountered: { Page: 2, Post: 2 },
        entities_by_type: {
          Page: { ...NONE, inserted: 1, skipped: 1 },
          Post: { ...NONE, inserted: 1, failed: 1 },
        },
        skipped_by_reason: { 'too large': 1 },
        chunks_written: 2,
        bytes_fetched: 0,
        requests: 1,
      };
      const seen = await first(stream, (event) => event.entities_inserted === 2);
      const { rate, ...progress } = seen;
      assert.deepEqual(progress, {
        type: 'progress',
        status: 'RUNNING',
        ...middle,
        waits_for: null,
      });
      assert.equal(typeof rate, 'number');
      go.resolve();
      const rest = await stream.rest();
      for (const event of [seen, ...rest]) assert.deepEqual(JobEvent.parse(event), event);
      const { job, ...done } = rest.at(-1);
      assert.deepEqual(done, { type: 'done' });
      const [listedJob] = await quarry.ok('GET', `${path()}/jobs`);
      assert.deepEqual(job, {
        ...listedJob,
        ...middle,
        status: 'COMPLETED',
        entities_inserted: 3,
        entities_encountered: { Page: 3, Post: 2 },
        entities_by_type: {
          Page: { ...NONE, inserted: 2, skipped: 1 },
          Post: { ...NONE, inserted: 1, failed: 1 },
        },
        chunks_written: 3,
      });
      assert.deepEqual(
        rest.slice(0, -1).filter(({ type }) => type !== 'progress'),
        [],
      );
    });

    if (isSmokeEnough(database)) return;

    for (const [status, items] of [
      ['COMPLETED', [page('a'), listed('')]],
      [
        'FAILED',
        [
          page('a'),
          checkpoint(1),
          () => {
            throw new SourceError('fatal', 'the world is broken');
          },
        ],
      ],
    ] as const)
      it(`[JOB-40] the stream of a job that has ended as ${status} sends that job at once, with the counters of the history`, async () => {
        const id = await run([...items]);
        await quarry.settled(connection);
        const events = await (await watch(id)).rest();
        assert.deepEqual(
          events.map(({ type, job }) => [type, job.status, job.entities_inserted]),
          [['done', status, 1]],
        );
        const { job } = events[0];
        const kept = await jobOf(id);
        const { trigger, attempt, full, ...meter } = kept.sync_metadata;
        assert.deepEqual([trigger, attempt, full], ['manual', 1, true]);
        for (const [name, value] of Object.entries({ ...kept, ...meter }))
          if (/^(entities_|chunks_|bytes_|requests|started_at|completed_at|error$)/.test(name))
            assert.deepEqual(job[name], value, name);
        assert.equal(
          job.duration_seconds,
          (Date.parse(kept.completed_at) - Date.parse(kept.started_at)) / 1000,
        );
      });

    it('[JOB-40] the stream says for what and until when a job waits, and ends when the job is cancelled', async () => {
      const id = await run([
        () => {
          throw new SourceError('rate_limited', 'slow down', { retryAfter: 3600 });
        },
      ]);
      const stream = await watch(id);
      const { status, waits_for } = await first(stream, (event) => event.waits_for?.until);
      assert.deepEqual([status, waits_for.reason], ['RUNNING', 'slow down']);
      const row = await quarry.db
        .selectFrom('sync_jobs')
        .select('waits_until')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      assert.equal(Date.parse(waits_for.until), row.waits_until);
      await quarry.ok('POST', `${path()}/jobs/${id}/cancel`);
      assert.equal((await stream.rest()).at(-1).job.status, 'CANCELLED');
    });

    it('[JOB-40] the stream ends when the connection is deleted with its jobs', async () => {
      const go = Promise.withResolvers<void>();
      const id = await run([() => go.promise]);
      const stream = await watch(id);
      await stream.next();
      const removed = quarry.ok('DELETE', path());
      go.resolve();
      await removed;
      const end = (await stream.rest()).at(-1);
      assert.ok(
        end.job?.status === 'CANCELLED' || (end.type === 'error' && end.code === 'not_found'),
        JSON.stringify(end),
      );
    });

    it('[JOB-40] the stream of an id that is not a job of the connection answers 404', async () => {
      const id = await run([listed('')]);
      await quarry.settled(connection);
      for (const url of [
        `${path()}/jobs/${newId()}/stream`,
        `${path()}/jobs/nothing/stream`,
        `/v1/source-connections/${newId()}/jobs/${id}/stream`,
      ]) {
        const { status, body } = await quarry.call('GET', url);
        assert.deepEqual([status, body.code], [404, 'not_found'], url);
      }
    });
  });

  describe(`the streams of a service that stops on ${database.name}`, () => {
    it('[JOB-40] [GEN-33] a service that stops ends the streams of its jobs first', async () => {
      const { source, world } = testWorld();
      const quarry = await openTestQuarry(await database.open(), {
        sources: new Map([['world', source]]),
      });
      await quarry.api.listen({ host: '127.0.0.1', port: 0 });
      const { port } = quarry.api.server.address() as AddressInfo;
      await quarry.ok('POST', '/v1/collections', { name: 'Stopped', readable_id: 'stopped' });
      const go = Promise.withResolvers<void>();
      world.items = [() => go.promise, listed('')];
      const { id, sync } = await quarry.ok('POST', '/v1/source-connections', {
        name: 'The world',
        short_name: 'world',
        readable_collection_id: 'stopped',
        schedule: { cron: null },
        authentication: { credentials: { password: 'right' } },
      });
      const stream = await openStream(
        `http://127.0.0.1:${port}/v1/source-connections/${id}/jobs/${sync.last_job.id}/stream`,
        quarry.key,
      );
      assert.equal((await stream.next()).type, 'progress');
      const closed = quarry.close();
      const [end] = (await stream.rest()).slice(-1);
      assert.deepEqual([end.type, end.code], ['error', 'unavailable']);
      go.resolve();
      await closed;
    });
  });
}
