/** Tests the events of a collection, its connections and their jobs. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Schema } from '../../db/schema.ts';
import { enqueue, finish } from '../../jobs/queue.ts';
import { push as pushed } from '../../sources/catalog/push.ts';
import { checkpoint, skip } from '../../sources/items.ts';
import * as ending from '../../syncs/jobs/job-end-store.ts';
import { insertJob } from '../../syncs/jobs/new-job-store.ts';
import { newId } from '../../util.ts';
import { insertSyncJob } from '../api/rows.ts';
import { claimJob, stealLane } from '../claimed-job.ts';
import { DATABASES, somebodyWaits, type TestDatabase } from '../databases.ts';
import { until } from '../until.ts';
import { diskFull } from './disk-full.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';
import { page, testWorld, type World, whole } from './source.ts';

const MONTH_MS = 30 * 24 * 3600 * 1000;

for (const database of DATABASES) {
  describe(`events on ${database.name}`, () => {
    let test: TestDatabase;
    let quarry: TestQuarry;
    let world: World;
    const full = diskFull(database.name);
    let made = 0;
    let collection: { id: string; readable_id: string; organization_id: string };

    before(async () => {
      test = await database.open();
      const { source, world: made } = testWorld();
      world = made;
      quarry = await openTestQuarry(
        { ...test, db: test.db.withPlugin(full.plugin) },
        {
          sources: new Map([
            ['world', source],
            ['push', pushed],
          ]),
        },
      );
    });
    after(() => quarry.close());
    beforeEach(async () => {
      full.tables.clear();
      Object.assign(world, { items: [], members: [], pulls: [], password: 'right' });
      collection = await quarry.ok('POST', '/v1/collections', {
        name: 'Events',
        readable_id: `events-${made++}`,
      });
    });

    /** Returns the payloads of the collection's events in their order, and checks each against its row. */
    async function payloads(of = collection.id) {
      const rows = await test.db
        .selectFrom('events')
        .selectAll()
        .where('collection_id', '=', of)
        .orderBy('seq')
        .execute();
      return rows.map(({ payload, ...row }) => {
        const { event_type, timestamp, organization_id, ...fields } = JSON.parse(payload);
        assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        assert.deepEqual(
          [row.event_type, row.created_at, row.organization_id, row.connection_id],
          [event_type, Date.parse(timestamp), organization_id, fields.source_connection_id ?? null],
        );
        assert.equal(organization_id, collection.organization_id);
        assert.match(row.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
        return { event_type, ...fields };
      });
    }
    const types = async () => (await payloads()).map(({ event_type }) => event_type);

    async function connect(over: object = {}): Promise<string> {
      const { id } = await quarry.ok('POST', '/v1/source-connections', {
        name: 'The world',
        short_name: 'world',
        readable_collection_id: collection.readable_id,
        authentication: { credentials: { password: 'right' } },
        sync_immediately: false,
        schedule: { cron: null },
        ...over,
      });
      return id;
    }
    const connectPush = () =>
      connect({ short_name: 'push', authentication: undefined, schedule: undefined });
    const push = (id: string) =>
      quarry.ok('POST', `/v1/source-connections/${id}/entities`, {
        entities: [{ entity_id: 'a', name: 'a', text: 'a' }],
      });
    /** Makes the pushes of a lane wait until the caller frees the lane with the returned function. */
    async function blockLane(lane: string): Promise<() => Promise<void>> {
      // One transaction does both, because the worker must not find the job before it is put off.
      await test.db.transaction().execute(async (tx) => {
        await enqueue(tx, 'sync.push', { data: { jobId: newId() }, lane });
        await tx
          .updateTable('jobs')
          .set({ run_at: Date.now() + 3_600_000 })
          .where('lane', '=', lane)
          .execute();
      });
      return async () => {
        await test.db.updateTable('jobs').set({ run_at: 0 }).where('lane', '=', lane).execute();
      };
    }
    const laneIsEmpty = (lane: string) =>
      until(async () => {
        const left = await test.db
          .selectFrom('jobs')
          .select('id')
          .where('lane', '=', lane)
          .executeTakeFirst();
        return left ? undefined : true;
      });
    /** Makes a place at which a pull waits until the test lets it go on. */
    function gate() {
      const reached = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<void>();
      const wait = () => {
        reached.resolve();
        return goOn.promise;
      };
      return { wait, reached: reached.promise, goOn: () => goOn.resolve() };
    }

    it('[EVT-07] [EVT-08] [EVT-09] [EVT-16] a collection emits an event when it is made, changed or deleted, and none when a request changes nothing', async () => {
      const { id, readable_id } = collection;
      const path = `/v1/collections/${readable_id}`;
      const config = { enable_vector_handlers: false, enable_metadata_handlers: true };
      const turned = { enable_metadata_handlers: true, enable_vector_handlers: false };
      await quarry.ok('PATCH', path, { name: 'Events', sync_config: null });
      await quarry.ok('PATCH', path, {});
      await quarry.ok('PATCH', path, { name: 'Renamed' });
      await quarry.ok('PATCH', path, { sync_config: { handlers: config } });
      await quarry.ok('PATCH', path, { name: 'Renamed', sync_config: { handlers: turned } });
      const taken = { name: 'Taken', readable_id };
      assert.equal((await quarry.call('POST', '/v1/collections', taken)).status, 409);
      await quarry.ok('DELETE', path);
      const fields = { collection_id: id, collection_readable_id: readable_id };
      assert.deepEqual(await payloads(), [
        { event_type: 'collection.created', ...fields, collection_name: 'Events' },
        { event_type: 'collection.updated', ...fields, collection_name: 'Renamed' },
        { event_type: 'collection.updated', ...fields, collection_name: 'Renamed' },
        { event_type: 'collection.deleted', ...fields, collection_name: 'Renamed' },
      ]);
    });

    it('[EVT-01] [EVT-02] [EVT-05] [EVT-10] [EVT-11] [EVT-13] [EVT-14] [EVT-15] a connection emits an event when it is made, at each status of its jobs, and when it is deleted', async () => {
      world.items = whole(page('a'), page('b'), skip('c', 'Page', { reason: 'too large' }));
      const connection = await connect({ sync_immediately: true });
      // Everything can be found as soon as the event `sync.completed` exists.
      await until(async () => ((await types()).includes('sync.completed') ? true : undefined));
      assert.deepEqual((await quarry.find(collection.readable_id, 'text')).toSorted(), [
        'a__chunk_0',
        'b__chunk_0',
      ]);
      const first = await quarry.settled(connection);
      world.items = whole(page('a', { text: 'other words' }));
      const second = await quarry.sync(connection);
      await quarry.ok('DELETE', `/v1/source-connections/${connection}`);

      const ofConnection = {
        source_connection_id: connection,
        collection_readable_id: collection.readable_id,
        source_type: 'world',
        is_authenticated: true,
      };
      const ofJob = (
        event_type: string,
        job: typeof first,
        status: string,
        counters: number[],
      ) => ({
        event_type,
        sync_id: job.sync_id,
        sync_job_id: job.id,
        job_id: job.id,
        collection_id: collection.id,
        collection_readable_id: collection.readable_id,
        collection_name: 'Events',
        source_connection_id: connection,
        source_type: 'world',
        status,
        entities_inserted: counters[0],
        entities_updated: counters[1],
        entities_deleted: counters[2],
        entities_skipped: counters[3],
        chunks_written: counters[4],
        error: null,
      });
      const countersOf = (job: typeof first) => [
        job.entities_inserted,
        job.entities_updated,
        job.entities_deleted,
        job.entities_skipped,
        job.sync_metadata.chunks_written,
      ];
      assert.deepEqual(
        [countersOf(first), countersOf(second)],
        [
          [2, 0, 0, 1, 2],
          [0, 1, 1, 0, 1],
        ],
      );
      const none = [0, 0, 0, 0, 0];
      assert.deepEqual((await payloads()).slice(1), [
        { event_type: 'source_connection.created', ...ofConnection },
        ofJob('sync.pending', first, 'PENDING', none),
        ofJob('sync.running', first, 'RUNNING', none),
        ofJob('sync.completed', first, 'COMPLETED', countersOf(first)),
        ofJob('sync.pending', second, 'PENDING', none),
        ofJob('sync.running', second, 'RUNNING', none),
        ofJob('sync.completed', second, 'COMPLETED', countersOf(second)),
        { event_type: 'source_connection.deleted', ...ofConnection },
      ]);
    });

    it('[EVT-03] [EVT-12] [EVT-14] [EVT-15] a sync whose credentials are refused emits `sync.failed` with the error, and later events say that the connection is not authenticated', async () => {
      const connection = await connect();
      world.items = [
        page('a'),
        checkpoint(1),
        () => {
          world.password = 'another';
        },
      ];
      await quarry.sync(connection);
      const job = await quarry.sync(connection);
      await quarry.ok('DELETE', `/v1/source-connections/${connection}`);
      const events = (await payloads()).slice(-4);
      assert.deepEqual(
        events.map(({ event_type, status, error }) => [event_type, status, error]),
        [
          ['sync.pending', 'PENDING', null],
          ['sync.running', 'RUNNING', null],
          ['sync.failed', 'FAILED', 'the world answered: wrong password'],
          ['source_connection.deleted', undefined, undefined],
        ],
      );
      const [, , failed, deleted] = events;
      assert.deepEqual(
        [failed?.sync_job_id, failed?.job_id, failed?.sync_id, failed?.collection_id],
        [job.id, job.id, job.sync_id, collection.id],
      );
      assert.deepEqual(
        [failed?.collection_name, failed?.source_connection_id, failed?.source_type],
        ['Events', connection, 'world'],
      );
      assert.equal(deleted?.is_authenticated, false);
    });

    it('[EVT-04] [EVT-13] [EVT-14] a cancel emits `sync.cancelled` at once for a waiting job, and for a running job when it has stopped', async () => {
      const pushed = await connectPush();
      const free = await blockLane(pushed);
      const waiting = await push(pushed);
      const path = `/v1/source-connections/${pushed}/jobs/${waiting.id}/cancel`;
      await quarry.ok('POST', path);
      assert.equal((await quarry.call('POST', path)).status, 409);
      const [pending, cancelled] = (await payloads()).slice(-2);
      assert.deepEqual(
        [pending?.event_type, cancelled?.event_type, cancelled?.status, cancelled?.error],
        ['sync.pending', 'sync.cancelled', 'CANCELLED', null],
      );
      assert.deepEqual(
        { ...cancelled, event_type: 'sync.pending', status: 'PENDING' },
        { ...pending },
      );
      await free();
      await laneIsEmpty(pushed);

      const connection = await connect();
      const { wait, reached, goOn } = gate();
      world.items = [page('a'), checkpoint(1), wait, page('b'), checkpoint(2)];
      const { id } = await quarry.ok('POST', `/v1/source-connections/${connection}/run`);
      await reached;
      await quarry.ok('POST', `/v1/source-connections/${connection}/jobs/${id}/cancel`);
      await quarry.ok('POST', `/v1/source-connections/${connection}/jobs/${id}/cancel`);
      assert.equal((await types()).at(-1), 'sync.running');
      goOn();
      const job = await quarry.settled(connection);
      assert.deepEqual((await types()).slice(1), [
        'source_connection.created',
        'sync.pending',
        'sync.cancelled',
        'source_connection.created',
        'sync.pending',
        'sync.running',
        'sync.cancelled',
      ]);
      const last = (await payloads()).at(-1);
      assert.deepEqual([last?.job_id, last?.entities_inserted], [id, job.entities_inserted]);
    });

    it('[EVT-04] a job that was cancelled while no worker had it emits `sync.cancelled` once', async () => {
      const connection = await connect();
      const { organization_id } = collection;
      const id = await insertSyncJob(test.db, { id: connection, organization_id }, 'CANCELLING');
      for (let i = 0; i < 2; i++)
        await test.db
          .transaction()
          .execute((tx) => enqueue(tx, 'sync.run', { data: { jobId: id }, lane: connection }));
      await laneIsEmpty(connection);
      assert.deepEqual((await types()).slice(2), ['sync.cancelled']);
    });

    it('[EVT-04] [EVT-05] the deletion of a connection is its last event, after those of its jobs', async () => {
      const connection = await connect();
      const { wait, reached, goOn } = gate();
      world.items = [page('a'), checkpoint(1), wait, page('b'), checkpoint(2)];
      await quarry.ok('POST', `/v1/source-connections/${connection}/run`);
      await reached;
      const deleted = quarry.ok('DELETE', `/v1/source-connections/${connection}`);
      // The deletion waits for the job, which must not complete before it.
      await until(() =>
        test.db
          .selectFrom('sync_jobs')
          .where('status', '=', 'CANCELLING')
          .select('id')
          .executeTakeFirst(),
      );
      goOn();
      await deleted;
      await laneIsEmpty(connection);
      const one = ['source_connection.created', 'sync.pending', 'sync.running', 'sync.cancelled'];
      assert.deepEqual((await types()).slice(1), [...one, 'source_connection.deleted']);

      const pushed = await connectPush();
      const free = await blockLane(pushed);
      await push(pushed);
      await push(pushed);
      await quarry.ok('DELETE', `/v1/source-connections/${pushed}`);
      await free();
      await laneIsEmpty(pushed);
      assert.deepEqual((await types()).slice(6), [
        'source_connection.created',
        'sync.pending',
        'sync.pending',
        'sync.cancelled',
        'sync.cancelled',
        'source_connection.deleted',
      ]);
    });

    it('[EVT-04] [EVT-05] a job whose worker does not stop it emits `sync.cancelled` when its connection is deleted', async (t) => {
      const connection = await connect();
      const { organization_id } = collection;
      const id = await insertSyncJob(test.db, { id: connection, organization_id }, 'CANCELLING');
      const away = { jobId: id, connectionId: connection };
      const claim = await claimJob(test.db, test.kind, away);
      // The deletion waits for the worker, which does not react. The clock jumps, so that the
      // deletion gives up at its second look.
      const now = performance.now.bind(performance);
      let looks = 0;
      t.mock.method(performance, 'now', () => now() + 60_000 * looks++);
      await quarry.ok('DELETE', `/v1/source-connections/${connection}`);
      t.mock.restoreAll();
      const [cancelled, deleted] = (await payloads()).slice(2);
      assert.deepEqual([cancelled?.event_type, cancelled?.job_id], ['sync.cancelled', id]);
      assert.equal(deleted?.event_type, 'source_connection.deleted');
      const late = { id, kind: test.kind, claim, connectionId: connection };
      const end = { status: 'CANCELLED', error: null, details: null } as const;
      assert.equal(await test.db.transaction().execute((tx) => ending.end(tx, late, end)), false);
      assert.equal((await types()).length, 4);
      await finish(test.db, claim);
    });

    it('[EVT-08] the deletion of a collection emits one event, also when one of its jobs stops later', async () => {
      const connection = await connect();
      const pushed = await connectPush();
      const free = await blockLane(pushed);
      await push(pushed);
      const { wait, reached, goOn } = gate();
      world.items = [page('a'), checkpoint(1), wait, page('b'), checkpoint(2)];
      await quarry.ok('POST', `/v1/source-connections/${connection}/run`);
      await reached;
      const before = await types();
      await quarry.ok('DELETE', `/v1/collections/${collection.readable_id}`);
      goOn();
      await free();
      for (const lane of [connection, pushed, collection.id]) await laneIsEmpty(lane);
      assert.deepEqual(await types(), [...before, 'collection.deleted']);
      assert.deepEqual(before.slice(-3), ['sync.pending', 'sync.pending', 'sync.running']);
    });

    it('[EVT-01] [EVT-02] a job that needs a second attempt emits `sync.running` once and `sync.completed` once', async () => {
      const connection = await connect();
      let crashes = true;
      world.items = [
        page('a'),
        checkpoint(1),
        () => {
          if (crashes) full.tables.add('entities');
        },
        page('b'),
        checkpoint(2),
      ];
      await quarry.ok('POST', `/v1/source-connections/${connection}/run`);
      await until(async () => {
        const job = await test.db
          .selectFrom('jobs')
          .select(['attempts', 'lease_token'])
          .where('lane', '=', connection)
          .executeTakeFirst();
        return job?.attempts === 1 && job.lease_token === null ? true : undefined;
      });
      crashes = false;
      full.tables.clear();
      const job = await quarry.settled(connection, { hurry: true });
      assert.equal(job.sync_metadata.attempt, 2);
      assert.deepEqual((await types()).slice(2), [
        'sync.pending',
        'sync.running',
        'sync.completed',
      ]);
      assert.equal((await payloads()).at(-1)?.entities_inserted, 2);
    });

    it('[EVT-02] [EVT-03] a worker that has lost its lease emits no event', async () => {
      for (const ending of ['completes', 'fails', 'stops']) {
        const connection = await connect();
        const { wait, reached, goOn } = gate();
        world.items = [page('a'), checkpoint(1), wait];
        if (ending === 'fails')
          world.items.push(() => {
            throw new Error('broken');
          });
        await quarry.ok('POST', `/v1/source-connections/${connection}/run`);
        await reached;
        const status = ending === 'stops' ? 'CANCELLING' : 'RUNNING';
        await test.db
          .updateTable('sync_jobs')
          .set({ status })
          .where('connection_id', '=', connection)
          .execute();
        await stealLane(test.db, connection);
        goOn();
        await laneIsEmpty(connection);
        assert.equal((await types()).at(-1), 'sync.running', ending);
      }
    });

    it('[EVT-05] [EVT-07] [EVT-08] a change that is rolled back emits no event, and a change whose event cannot be written is rolled back', async () => {
      const connection = await connect();
      const before = await types();
      const path = `/v1/collections/${collection.readable_id}`;
      const fails = async (table: keyof Schema, attempt: () => Promise<{ status: number }>) => {
        full.tables.add(table);
        assert.equal((await attempt()).status, 503);
        full.tables.clear();
        assert.deepEqual(await types(), before);
      };
      const run = () => quarry.call('POST', `/v1/source-connections/${connection}/run`);
      // These calls write their events first. Then they queue a job, and that fails.
      await fails('jobs', run);
      await fails('jobs', () => quarry.call('DELETE', `/v1/source-connections/${connection}`));
      await fails('jobs', () => quarry.call('DELETE', path));
      // These calls fail when they write their events.
      await fails('events', run);
      await fails('events', () => quarry.call('PATCH', path, { name: 'Renamed' }));
      await fails('events', () => quarry.call('DELETE', `/v1/source-connections/${connection}`));
      await fails('events', () => quarry.call('DELETE', path));
      const other = { name: 'Other', readable_id: `other-${made}` };
      await fails('events', () => quarry.call('POST', '/v1/collections', other));
      assert.equal((await quarry.call('GET', `/v1/collections/${other.readable_id}`)).status, 404);
      assert.equal((await quarry.ok('GET', path)).name, 'Events');
      assert.deepEqual(await quarry.ok('GET', `/v1/source-connections/${connection}/jobs`), []);
    });

    // SQLite has one writer at a time, so no other order is possible.
    if (database.name === 'postgres')
      it('[EVT-01] the events of a connection are numbered in the order of their commits', async (t) => {
        if (!test.url)
          return t.skip('PGlite has a single connection, so it runs one transaction at a time');
        const connection = await connectPush();
        const free = await blockLane(connection);
        const waiting = await push(connection);
        const { sync_id: syncId } = await test.db
          .selectFrom('connections')
          .select('sync_id')
          .where('id', '=', connection)
          .executeTakeFirstOrThrow();
        let cancel: Promise<unknown> | undefined;
        const { id } = await test.db.transaction().execute(async (tx) => {
          const job = await insertJob(tx, {
            organizationId: collection.organization_id,
            connectionId: connection,
            syncId,
            trigger: 'push',
            full: false,
            acceptDeletions: false,
            syncConfig: null,
            email: null,
          });
          cancel = quarry.ok('POST', `/v1/sync/jobs/${waiting.id}/cancel`);
          // The cancel has not taken a number yet, because it waits for this transaction.
          await until(async () => ((await somebodyWaits(test.db)) ? true : undefined));
          return job;
        });
        await cancel;
        const [first, second] = (await payloads()).slice(-2);
        assert.deepEqual([first?.event_type, first?.job_id], ['sync.pending', id]);
        assert.deepEqual([second?.event_type, second?.job_id], ['sync.cancelled', waiting.id]);
        await quarry.ok('DELETE', `/v1/source-connections/${connection}`);
        await free();
      });

    it('[WHK-20] the worker removes events that are older than 30 days', async () => {
      const add = (created_at: number) => ({
        id: newId(),
        organization_id: collection.organization_id,
        collection_id: 'forgotten',
        connection_id: null,
        event_type: 'collection.deleted',
        payload: '{}',
        created_at,
      });
      const now = Date.now();
      const young = add(now - MONTH_MS + 3_600_000);
      await test.db
        .insertInto('events')
        .values([add(now - MONTH_MS - 1), young])
        .execute();
      await until(async () => {
        const rows = await test.db
          .selectFrom('events')
          .select('id')
          .where('collection_id', '=', 'forgotten')
          .execute();
        return rows.length === 1 && rows[0]?.id === young.id ? true : undefined;
      });
      assert.ok((await types()).includes('collection.created'));
    });
  });
}
