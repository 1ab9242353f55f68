import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import pino from 'pino';
import { createMetrics } from '../telemetry/metrics.ts';
import { NO_TRACER } from '../telemetry/trace.ts';
import { DATABASES, type TestDatabase } from '../test/databases.ts';
import { until } from '../test/until.ts';
import { type ClaimedJob, enqueue } from './queue.ts';
import { type Handler, PostponeJob, startWorker, type Worker } from './work.ts';

const pollMs = () => 250;

for (const database of DATABASES) {
  describe(`worker on ${database.name}`, () => {
    let test: TestDatabase;
    let workers: Worker[] = [];
    before(async () => {
      test = await database.open();
    });
    after(() => test.close());
    afterEach(async () => {
      for (const worker of workers) await worker.stop();
      workers = [];
      await test.db.deleteFrom('jobs').execute();
    });

    const add = (jobId: string, lane = jobId, name: 'sync.run' | 'sync.push' = 'sync.run') =>
      test.db.transaction().execute((tx) => enqueue(tx, name, { data: { jobId }, lane }));
    const metrics = createMetrics();
    const start = (handle: Handler, log = pino({ level: 'silent' })) => {
      const worker = startWorker({
        ...{ db: test.db, kind: test.kind },
        ...{ handle, metrics, tracer: NO_TRACER, log, pollMs },
      });
      workers.push(worker);
      return worker;
    };
    const rows = () => test.db.selectFrom('jobs').selectAll().orderBy('seq').execute();
    const nameOf = (job: ClaimedJob) => (job.data as { jobId: string }).jobId;
    /** Runs until its signal is aborted. */
    const untilAborted = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener('abort', () => reject(signal.reason));
      });

    it('runs at most four pulls at a time, and starts the next pull when one has ended', async () => {
      const running = new Map<string, () => void>();
      let most = 0;
      for (let i = 0; i < 6; i++) await add(`job ${i}`);
      start(async (job) => {
        const done = Promise.withResolvers<void>();
        running.set(nameOf(job), done.resolve);
        most = Math.max(most, running.size);
        await done.promise;
        running.delete(nameOf(job));
      });
      await until(async () => (running.size === 4 ? true : undefined));
      assert.deepEqual([...running.keys()], ['job 0', 'job 1', 'job 2', 'job 3']);
      running.get('job 1')?.();
      await until(async () => (running.has('job 4') ? true : undefined));
      assert.equal(running.size, 4);
      for (const name of ['job 0', 'job 2', 'job 3', 'job 4']) running.get(name)?.();
      await until(async () => (running.has('job 5') ? true : undefined));
      running.get('job 5')?.();
      await until(async () => ((await rows()).length === 0 ? true : undefined));
      assert.equal(most, 4);
    });

    it('keeps two of its places for jobs other than pulls', async () => {
      const running: string[] = [];
      const goOn = Promise.withResolvers<void>();
      for (let i = 0; i < 5; i++) await add(`pull ${i}`);
      for (let i = 0; i < 3; i++) await add(`push ${i}`, `push ${i}`, 'sync.push');
      start(async (job) => {
        running.push(nameOf(job));
        await goOn.promise;
      });
      await until(async () => (running.length === 6 ? true : undefined));
      const first = ['pull 0', 'pull 1', 'pull 2', 'pull 3', 'push 0', 'push 1'];
      assert.deepEqual(running, first);
      goOn.resolve();
      await until(async () => ((await rows()).length === 0 ? true : undefined));
      assert.deepEqual(running.slice(6).toSorted(), ['pull 4', 'push 2']);
    });

    it('keeps these places free from maintenance too', async () => {
      const running: string[] = [];
      const goOn = Promise.withResolvers<void>();
      await test.db.transaction().execute(async (tx) => {
        for (let i = 0; i < 5; i++)
          await enqueue(tx, 'maintenance.task', {
            data: { taskId: `task ${i}` },
            lane: `task ${i}`,
          });
      });
      await add('push', 'push', 'sync.push');
      start(async ({ name }) => {
        running.push(name);
        await goOn.promise;
      });
      await until(async () => (running.includes('sync.push') ? true : undefined));
      assert.deepEqual(running, [...Array<string>(4).fill('maintenance.task'), 'sync.push']);
      goOn.resolve();
      await until(async () => ((await rows()).length === 0 ? true : undefined));
    });

    it('keeps a place free from syncs, for a cleanup', async () => {
      const running: string[] = [];
      const goOn = Promise.withResolvers<void>();
      for (let i = 0; i < 6; i++) await add(`pull ${i}`);
      await test.db.transaction().execute(async (tx) => {
        for (const collectionId of ['a', 'b'])
          await enqueue(tx, 'collection.cleanup', { data: { collectionId }, lane: collectionId });
      });
      await add('push', 'push', 'sync.push');
      start(async ({ name }) => {
        running.push(name);
        await goOn.promise;
      });
      await until(async () => (running.length === 6 ? true : undefined));
      assert.deepEqual(running, [
        ...Array(4).fill('sync.run'),
        ...['collection.cleanup', 'sync.push'],
      ]);
      goOn.resolve();
      await until(async () => ((await rows()).length === 0 ? true : undefined));
    });

    it('keeps places free from cleanups, for pushes and for syncs', async () => {
      const running: string[] = [];
      const goOn = Promise.withResolvers<void>();
      await test.db.transaction().execute(async (tx) => {
        for (let i = 0; i < 3; i++) {
          const [connectionId, collectionId] = [`connection ${i}`, `collection ${i}`];
          const both = { connectionId, collectionId };
          await enqueue(tx, 'connection.cleanup', { data: both, lane: connectionId });
          await enqueue(tx, 'collection.cleanup', { data: { collectionId }, lane: collectionId });
        }
      });
      for (let i = 0; i < 3; i++) await add(`pull ${i}`);
      for (let i = 0; i < 3; i++) await add(`push ${i}`, `push ${i}`, 'sync.push');
      start(async ({ name }) => {
        running.push(name);
        await goOn.promise;
      });
      await until(async () => (running.length === 6 ? true : undefined));
      assert.deepEqual(running, [
        ...['connection.cleanup', 'collection.cleanup'],
        ...['sync.run', 'sync.run', 'sync.run'],
        'sync.push',
      ]);
      goOn.resolve();
      await until(async () => ((await rows()).length === 0 ? true : undefined));
    });

    it('is idle only while no job runs, and not after it was stopped', async () => {
      const goOn = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const worker = start(async () => {
        begun.resolve();
        await goOn.promise;
      });
      assert.equal(worker.isIdle(), true);
      await add('job');
      worker.wake();
      await begun.promise;
      assert.equal(worker.isIdle(), false);
      goOn.resolve();
      await until(async () => (worker.isIdle() ? true : undefined));
      assert.deepEqual(await rows(), []);
      await worker.stop();
      assert.equal(worker.isIdle(), false);
    });

    it('delays a failed job, twice as long each time and at most a minute', async () => {
      const delays: number[] = [];
      for (const attempts of [0, 1, 2, 5, 6, 20]) {
        await add('job');
        await test.db.updateTable('jobs').set({ attempts }).execute();
        const from = Date.now();
        const worker = start(async () => {
          throw new Error('broken');
        });
        const [row] = await until(async () => {
          const now = await rows();
          return now[0]?.lease_token === null && now[0].attempts > attempts ? now : undefined;
        });
        const passed = Date.now() - from;
        await worker.stop();
        const delay = (row?.run_at ?? 0) - from;
        delays.push(Math.floor(delay / 1000) * 1000);
        assert.ok(passed < 1000, 'too slow to tell');
        await test.db.deleteFrom('jobs').execute();
      }
      assert.deepEqual(delays, [1000, 2000, 4000, 32_000, 60_000, 60_000]);
    });

    it('delays a job until the time that its handler gives', async () => {
      const at = Date.now() + 3_600_000;
      await add('job');
      start(async ({ attempt }, { signal }) => {
        if (attempt > 1) await untilAborted(signal);
        throw new PostponeJob(3_600_000, 'the source asks for patience');
      });
      const row = await until(async () => {
        const [now] = await rows();
        return now && now.attempts > (now.lease_token === null ? 0 : 1) ? now : undefined;
      });
      const off = row.run_at - at;
      assert.ok(Math.abs(off) < 60_000, `${off} ms off`);
    });

    it('[GEN-33] a stop aborts the running jobs, waits for them, and releases them at once', async () => {
      const begun = Promise.withResolvers<void>();
      let stopped = false;
      const complaints: string[] = [];
      const log = pino({ level: 'warn' }, { write: (line) => void complaints.push(line) });
      await add('job');
      const worker = start(async (_, { signal }) => {
        begun.resolve();
        try {
          await untilAborted(signal);
        } finally {
          // The job needs some time to end after it was told to stop.
          await rows();
          stopped = true;
        }
      }, log);
      await begun.promise;
      await add('behind it', 'job');
      await worker.stop();
      assert.equal(stopped, true);
      assert.deepEqual(complaints, []);
      const left = await rows();
      assert.deepEqual(
        left.map(({ lease_token, lease_until, attempts }) => [lease_token, lease_until, attempts]),
        [
          [null, null, 1],
          [null, null, 0],
        ],
      );
      assert.equal(left[0]?.run_at, 0);
    });

    for (const [name, most] of [
      ['sync.run', 4],
      ['sync.push', 6],
    ] as const)
      it(`[GEN-33] a stop does not wait for a free place when all places are taken: ${name}`, async () => {
        for (let i = 0; i < most + 1; i++) await add(`job ${i}`, `job ${i}`, name);
        let begun = 0;
        const worker = start(async (_, { signal }) => {
          begun++;
          await untilAborted(signal);
        });
        await until(async () => (begun === most ? true : undefined));
        await worker.stop();
        const left = await rows();
        assert.deepEqual(
          left.map((row) => [row.lease_token, row.attempts]),
          [...Array.from({ length: most }, () => [null, 1]), [null, 0]],
        );
      });

    it('renews the lease while a job runs, and aborts a job whose lease is lost', async (t) => {
      t.mock.timers.enable({ apis: ['setInterval'] });
      const begun = Promise.withResolvers<void>();
      const aborted = Promise.withResolvers<void>();
      await add('job');
      const told: string[] = [];
      const log = pino({ level: 'warn' }, { write: (line) => told.push(JSON.parse(line).msg) });
      start(async (_, { signal }) => {
        begun.resolve();
        await untilAborted(signal).catch((error) => {
          aborted.resolve();
          throw error;
        });
      }, log);
      await begun.promise;
      await test.db.updateTable('jobs').set({ lease_until: 1 }).execute();
      t.mock.timers.tick(5000);
      await until(async () => (((await rows())[0]?.lease_until ?? 0) > 1 ? true : undefined));
      await test.db.updateTable('jobs').set({ lease_token: 'another' }).execute();
      t.mock.timers.tick(5000);
      await aborted.promise;
      await until(async () => (workers[0]?.isIdle() ? true : undefined));
      const [row] = await rows();
      assert.equal(row?.lease_token, 'another');
      assert.deepEqual(told, ['a lease was lost']);
    });

    it('goes on after the database has refused a claim', async () => {
      const refused = Promise.withResolvers<void>();
      const done = Promise.withResolvers<string>();
      const log = pino(
        { level: 'error' },
        { write: (line) => void (line.includes('cannot claim a job') && refused.resolve()) },
      );
      await test.db.schema.alterTable('jobs').renameTo('jobs_away').execute();
      start(async (job) => {
        done.resolve(nameOf(job));
        return undefined;
      }, log);
      await refused.promise;
      await test.db.schema.alterTable('jobs_away').renameTo('jobs').execute();
      await add('job');
      assert.equal(await done.promise, 'job');
    });

    it('a stop does not wait for a database that refuses to release a job', async () => {
      const refused = Promise.withResolvers<void>();
      const log = pino(
        { level: 'error' },
        { write: (line) => void (line.includes('cannot give a job back') && refused.resolve()) },
      );
      await add('job');
      const worker = start(async () => {
        await test.db.schema.alterTable('jobs').renameTo('jobs_away').execute();
        throw new Error('the disk is full');
      }, log);
      await refused.promise;
      await worker.stop();
      await test.db.schema.alterTable('jobs_away').renameTo('jobs').execute();
      assert.notEqual((await rows())[0]?.lease_token, null);
    });

    it('releases a job as soon as the database allows it', async () => {
      const refused = Promise.withResolvers<void>();
      const log = pino(
        { level: 'error' },
        { write: (line) => void (line.includes('cannot give a job back') && refused.resolve()) },
      );
      await add('job');
      start(async ({ attempt }, { signal }) => {
        if (attempt > 1) await untilAborted(signal);
        await test.db.schema.alterTable('jobs').renameTo('jobs_away').execute();
        throw new Error('the disk is full');
      }, log);
      await refused.promise;
      await test.db.schema.alterTable('jobs_away').renameTo('jobs').execute();
      // This happens long before the lease would have run out.
      await until(async () => ((await rows())[0]?.lease_token === null ? true : undefined));
    });
  });
}
