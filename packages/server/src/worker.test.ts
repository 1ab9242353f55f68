/** In these tests the test moves the clock of the worker role, and everything else is real. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it, mock } from 'node:test';
import pino from 'pino';
import { watchRefusal } from './db/refused-writes.ts';
import { createBuiltinEmbedder } from './engines/embedder/builtin.ts';
import { createExactIndex } from './engines/index/exact.ts';
import type { SearchIndex } from './engines/ports.ts';
import { SourceError } from './errors.ts';
import { claim, enqueue, takeOverAll } from './jobs/queue.ts';
import { createVault } from './secrets.ts';
import { push } from './sources/catalog/push.ts';
import type { Source } from './sources/define.ts';
import { checkpoint } from './sources/items.ts';
import { type RunDeps, runSyncJob } from './syncs/pipeline/run.ts';
import { connectionOf } from './syncs/pipeline/run-store.ts';
import { createPushIntake } from './syncs/pushes/intake.ts';
import { createSyncs } from './syncs/service.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { NO_TRACER } from './telemetry/trace.ts';
import { insertCollection, insertConnection, insertOrganization } from './test/api/rows.ts';
import { page, testWorld, whole } from './test/app/source.ts';
import { DATABASES, type TestDatabase } from './test/databases.ts';
import { anywhere, noModules, unlimited } from './test/environment.ts';
import { contextOf } from './test/identity.ts';
import { noTokens } from './test/keeper.ts';
import { until } from './test/until.ts';
import { must, newId } from './util.ts';
import { runWorker } from './worker.ts';

const TICK_MS = 1000;
const embedder = createBuiltinEmbedder();
const vault = createVault('a secret of the tests, long enough');

for (const database of DATABASES) {
  describe(`the worker role on ${database.name}`, () => {
    const { source, world } = testWorld();
    let test: TestDatabase;
    let collections: string[];
    let connection: string;
    let worker: Awaited<ReturnType<typeof runWorker>>;
    /** The list has the collection of each maintenance step of the index that has begun. */
    let tidied: string[];
    /** Each such step waits for this promise. */
    let step: () => Promise<void>;
    let logged: string[];

    before(async () => {
      test = await database.open();
    });
    after(() => test.close());
    beforeEach(async () => {
      mock.timers.enable({ apis: ['setInterval'] });
      for (const table of ['jobs', 'sync_jobs', 'connections', 'indexes', 'collections'] as const)
        await test.db.deleteFrom(table).execute();
      Object.assign(world, { items: whole(page('a')), pulls: [] });
      [tidied, step, logged] = [[], async () => {}, []];
      const organization = newId();
      await insertOrganization(test.db, organization);
      collections = [newId(), newId()];
      for (const id of collections) {
        const model = { vector_size: embedder.dimensions, embedding_model_name: embedder.model };
        await insertCollection(test.db, { id, organization_id: organization }, model);
        await test.db.transaction().execute((tx) => indexOf().create(tx, id));
      }
      connection = newId();
      await insertConnection(
        test.db,
        { id: collections[0] ?? '', organization_id: organization },
        {
          id: connection,
          short_name: 'world',
          config: '{"part":"all"}',
          credentials: vault.seal({ password: 'right' }, connection),
          credentials_key: vault.keyId,
          cron: '0 0 1 1 *',
        },
      );
    });
    afterEach(async () => {
      await worker.stop();
      mock.timers.reset();
    });

    const indexOf = () => createExactIndex({ kind: test.kind, dimensions: embedder.dimensions });
    async function start(level: 'warn' | 'error' = 'error'): Promise<void> {
      worker = await open(level);
    }
    function open(level: 'warn' | 'error', db = test.db) {
      const index: SearchIndex = {
        ...indexOf(),
        async maintain(_, collectionId) {
          tidied.push(collectionId);
          await step();
          return false;
        },
      };
      return runWorker({
        db,
        kind: test.kind,
        index,
        embedder,
        vault,
        sources: new Map<string, Source>([
          ['world', source],
          ['push', push],
        ]),
        environment: anywhere,
        keeper: noTokens,
        rateLimiter: unlimited,
        isWatching: false,
        allowLoopback: false,
        historyDays: 90,
        transformerRuntime: noModules,
        metrics: createMetrics(),
        tracer: NO_TRACER,
        log: pino({ level }, { write: (line) => logged.push(JSON.parse(line).msg) }),
      });
    }
    const tick = () => mock.timers.tick(TICK_MS);
    const setDue = (at: number) =>
      test.db.updateTable('connections').set({ next_run_at: at }).execute();
    const statuses = async () =>
      (await test.db.selectFrom('sync_jobs').select('status').execute()).map((job) => job.status);
    const run = () =>
      test.db.transaction().execute(async (tx) => {
        const row = await connectionOf(tx, connection);
        await createSyncs({ db: test.db, wake: () => {}, whyRefused: watchRefusal(test.db) }).start(
          tx,
          row,
          {
            trigger: 'manual',
            email: null,
          },
        );
      });
    const nextRun = async () => {
      const rows = await test.db.selectFrom('connections').select('next_run_at').execute();
      return rows[0]?.next_run_at ?? 0;
    };
    /** Waits until the worker has begun to look for due schedules. The look before has then ended. */
    async function look(): Promise<void> {
      await setDue(1);
      await until(async () => {
        tick();
        return (await nextRun()) > Date.now() ? true : undefined;
      });
    }

    it('maintains the index of every collection after the start', async () => {
      await start();
      tick();
      await until(async () => (tidied.length === 2 ? true : undefined));
      assert.deepEqual(tidied.toSorted(), collections.toSorted());
    });

    it('[WHK-20] removes old history of syncs and of webhooks', async () => {
      const ofNoJob = { job_id: newId(), body: new Uint8Array([1]) };
      await test.db.insertInto('pushes').values(ofNoJob).execute();
      await test.db
        .insertInto('webhook_recoveries')
        .values({
          id: newId(),
          subscription_id: newId(),
          since: 0,
          status: 'completed',
          after_seq: 0,
          messages: 0,
          created_at: 0,
          completed_at: 1,
        })
        .execute();
      const left = async () => [
        ...(await test.db.selectFrom('pushes').select('job_id').execute()),
        ...(await test.db.selectFrom('webhook_recoveries').select('id').execute()),
      ];
      await start();
      tick();
      await until(async () => ((await left()).length === 0 ? true : undefined));
    });

    it('maintains the index after a push, which itself makes no maintenance step', async () => {
      await start();
      tick();
      await until(async () => (tidied.length === 2 ? true : undefined));
      const { organization_id, collection_id } = await connectionOf(test.db, connection);
      const pushed = await insertConnection(
        test.db,
        { id: collection_id, organization_id },
        { short_name: 'push' },
      );
      const syncs = createSyncs({
        db: test.db,
        wake: () => worker.wake(),
        whyRefused: watchRefusal(test.db),
      });
      const entities = [{ entity_id: 'a', name: 'a', text: 'text of a' }];
      await createPushIntake(
        test.db,
        test.kind,
      )({
        connection: await connectionOf(test.db, pushed),
        caller: contextOf(organization_id),
        cause: { requestId: 'a request', trace: null },
        sent: { json: Buffer.from(JSON.stringify({ entities })), file: null },
        key: null,
      });
      syncs.wake();
      await until(async () => {
        tick();
        return tidied.length > 2 ? true : undefined;
      });
      assert.deepEqual(tidied.slice(2), [collection_id]);
      assert.deepEqual(await statuses(), ['COMPLETED']);
    });

    it('does not maintain the index while a job runs', async () => {
      const goOn = Promise.withResolvers<void>();
      world.items = [() => goOn.promise, ...whole(page('a'))];
      await run();
      await start();
      await until(async () => (world.pulls.length > 0 ? true : undefined));
      await look();
      await look();
      assert.deepEqual(tidied, []);
      goOn.resolve();
      await until(async () => {
        tick();
        return tidied.length >= 2 ? true : undefined;
      });
      assert.deepEqual(await statuses(), ['COMPLETED']);
    });

    it('continues after a failed look, and logs the failure', async (t) => {
      const now = performance.now.bind(performance);
      let later = 0;
      t.mock.method(performance, 'now', () => now() + later);
      let broken = true;
      const busy = { code: 'ERR_SQLITE_ERROR', errcode: 5 };
      step = async () => {
        if (broken) throw Object.assign(new Error('database is locked'), busy);
      };
      await start();
      tick();
      await until(async () => (logged.length > 0 ? true : undefined));
      broken = false;
      // The worker pauses for a few seconds after a failure.
      later = 60_000;
      await until(async () => {
        tick();
        return tidied.length >= 3 ? true : undefined;
      });
      assert.deepEqual([...new Set(logged)], ['a periodic task of the worker failed']);
    });

    it('starts due schedules while the index is maintained', async () => {
      const goOn = Promise.withResolvers<void>();
      step = () => goOn.promise;
      await start();
      tick();
      await until(async () => (tidied.length > 0 ? true : undefined));
      await look();
      await until(async () => ((await statuses()).length > 0 ? true : undefined));
      assert.equal(tidied.length, 1);
      goOn.resolve();
    });

    const letLeasesRunOut = () => test.db.updateTable('jobs').set({ lease_until: 1 }).execute();
    const entities = async () => {
      const rows = await test.db
        .selectFrom('entities')
        .select('entity_id')
        .where('connection_id', '=', connection)
        .orderBy('entity_id')
        .execute();
      return rows.map((row) => row.entity_id);
    };

    it('[JOB-23] [JOB-43] a worker that slept continues a job that nobody has taken over', async () => {
      const goOn = Promise.withResolvers<void>();
      world.items = [page('a'), checkpoint(1), () => goOn.promise, ...whole(page('b'))];
      await run();
      await start();
      await until(async () => ((await entities()).length > 0 ? true : undefined));
      await letLeasesRunOut();
      await enqueueAnother();
      const queued = () => test.db.selectFrom('jobs').selectAll().execute();
      const [job] = await queued();
      assert.equal(job?.attempts, 1);
      goOn.resolve();
      await until(async () => ((await queued()).length === 0 ? true : undefined));
      assert.deepEqual([world.pulls.length, await entities()], [1, ['a', 'b']]);
      assert.deepEqual(await statuses(), ['COMPLETED']);
    });

    it('[JOB-38] [CON-19] a sync goes on from its cursor even if the configuration changes as the sync begins', async () => {
      const change = (values: object) =>
        test.db.updateTable('connections').set(values).where('id', '=', connection).execute();
      await change({ continuous: true, cursor_field: 'at', cursor: '7' });
      await run();
      let hasChanged = false;
      const db = new Proxy(test.db, {
        get(whole, name) {
          const value = Reflect.get(whole, name);
          if (name !== 'transaction')
            return typeof value === 'function' ? value.bind(whole) : value;
          return () => ({
            async execute(work: Parameters<ReturnType<typeof whole.transaction>['execute']>[0]) {
              const result = await whole.transaction().execute(work);
              if (!hasChanged && (await statuses()).includes('RUNNING')) {
                hasChanged = true;
                await change({ cursor: null, configured_at: 5 });
              }
              return result;
            },
          });
        },
      });
      world.pulls = [];
      worker = await open('error', db);
      await until(async () => ((await statuses())[0] === 'COMPLETED' ? true : undefined));
      assert.ok(hasChanged);
      assert.deepEqual(
        world.pulls.map(({ cursor }) => cursor),
        [7],
      );
      const { cursor } = await connectionOf(test.db, connection);
      assert.equal(cursor, null);
    });

    it('[JOB-23] a worker that slept before it began the job does not take the job back', async () => {
      await run();
      const slept = must(await claim(test.db, test.kind));
      await test.db.updateTable('jobs').set({ lease_until: 1 }).execute();
      const taken = must(await claim(test.db, test.kind));
      assert.equal(taken.id, slept.id);
      assert.ok(slept.name === 'sync.run');
      await test.db.updateTable('sync_jobs').set({ status: 'RUNNING', attempt: 1 }).execute();
      const jobs = () => test.db.selectFrom('sync_jobs').selectAll().execute();
      const before = await jobs();
      const { signal } = new AbortController();
      await runSyncJob({ db: test.db, kind: test.kind } as RunDeps, slept, signal);
      assert.deepEqual(await jobs(), before);
      await start();
    });

    it('[JOB-23] [JOB-43] a worker that slept writes nothing more to a job that another worker has taken over', async () => {
      const [asleep, busy] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      world.items = [page('a'), checkpoint(1), () => asleep.promise, ...whole(page('late'))];
      await run();
      await start('warn');
      await until(async () => ((await entities()).length > 0 ? true : undefined));
      world.items = [page('a'), () => busy.promise, ...whole(page('b'))];
      const other = await open('error');
      await letLeasesRunOut();
      await until(async () => (world.pulls.length === 2 ? true : undefined));
      asleep.resolve();
      await until(async () => (logged.includes('a sync stopped') ? true : undefined));
      assert.deepEqual([await entities(), await statuses()], [['a'], ['RUNNING']]);
      busy.resolve();
      await until(async () => ((await statuses())[0] === 'COMPLETED' ? true : undefined));
      await other.stop();
      assert.deepEqual(await entities(), ['a', 'b']);
      const [job] = await test.db.selectFrom('sync_jobs').selectAll().execute();
      assert.deepEqual([job?.attempt, job?.entities_inserted, job?.entities_kept], [2, 2, 0]);
    });

    it('[JOB-23] a job that waits for its source keeps waiting when the service starts again', async () => {
      world.items = [
        () => {
          throw new SourceError('rate_limited', 'not so fast', { retryAfter: 3600 });
        },
      ];
      await run();
      await start();
      const parked = () =>
        test.db.selectFrom('jobs').selectAll().where('run_at', '>', 0).executeTakeFirst();
      const before = await until(parked);
      await worker.stop();
      await takeOverAll(test.db);
      await start();
      await enqueueAnother();
      assert.deepEqual(await parked(), before);
      assert.equal(world.pulls.length, 1);
    });

    /** Waits until this worker has run a new job. It has then seen all earlier jobs. */
    async function enqueueAnother(): Promise<void> {
      const data = { connectionId: newId(), collectionId: newId() };
      const { id } = await test.db.transaction().execute(async (tx) => {
        await enqueue(tx, 'connection.cleanup', { data, lane: 'another' });
        return tx
          .selectFrom('jobs')
          .select('id')
          .where('lane', '=', 'another')
          .executeTakeFirstOrThrow();
      });
      await until(async () => {
        const job = await test.db.selectFrom('jobs').select('id').where('id', '=', id).execute();
        return job.length === 0 ? true : undefined;
      });
    }

    it('[GEN-33] looks for work one look at a time, and a stop waits for the end of the current look', async () => {
      const goOn = Promise.withResolvers<void>();
      step = () => goOn.promise;
      await start();
      tick();
      await until(async () => (tidied.length > 0 ? true : undefined));
      tick();
      let stopped = false;
      const stopping = worker.stop().then(() => {
        stopped = true;
      });
      // A stop that waits only for the database would have ended by now.
      for (let i = 0; i < 20; i++) await statuses();
      assert.deepEqual([tidied.length, stopped], [1, false]);
      goOn.resolve();
      await stopping;
      assert.equal(tidied.length, 1);
      await setDue(1);
      tick();
      for (let i = 0; i < 20; i++) await statuses();
      assert.deepEqual([await statuses(), await nextRun()], [[], 1]);
    });
  });
}
