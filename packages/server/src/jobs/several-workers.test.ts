/** Several workers share the queue of one PostgreSQL, as on several machines: each has a pool of its own. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import pino from 'pino';
import { connect } from '../db/connect.ts';
import { listenForWork } from '../db/listen.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { NO_TRACER } from '../telemetry/trace.ts';
import { openOnOwnServer, type TestDatabase } from '../test/databases.ts';
import { until } from '../test/until.ts';
import { must } from '../util.ts';
import { claim, enqueueAll } from './queue.ts';
import { startWorker } from './work.ts';

const WORKERS = 3;
/** Each worker runs this many pushes at once. */
const PARALLEL = 6;
const silent = pino({ level: 'silent' });

describe('several workers on one PostgreSQL', () => {
  let test: TestDatabase;
  before(async () => {
    test = await openOnOwnServer();
  });
  after(() => test.close());

  const add = (ids: readonly number[]) =>
    test.db.transaction().execute((tx) =>
      enqueueAll(
        tx,
        'sync.push',
        ids.map((id) => ({ data: { jobId: String(id) }, lane: String(id) })),
      ),
    );
  const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

  /** Starts workers that poll at once, and notes which of them ran which job. */
  function startWorkers(handle: () => Promise<void>) {
    const runs: { readonly worker: number; readonly job: string }[] = [];
    const workers = numbers(WORKERS).map((worker) => {
      const db = connect(must(test.url));
      const running = startWorker({
        db,
        kind: 'postgres',
        metrics: createMetrics(),
        tracer: NO_TRACER,
        log: silent,
        pollMs: () => 1,
        handle: async (job) => {
          runs.push({ worker, job: (job.data as { jobId: string }).jobId });
          await handle();
        },
      });
      return { stop: () => running.stop().then(() => db.destroy()) };
    });
    return { runs, stop: () => Promise.all(workers.map((worker) => worker.stop())) };
  }

  it('[JOB-33] run no entry twice, and all of them run entries', async () => {
    const all = WORKERS * PARALLEL;
    await add(numbers(all));
    // A worker is full with its entries until all have begun, so that others must take the rest.
    const begun = Promise.withResolvers<void>();
    let count = 0;
    const { runs, stop } = startWorkers(() => {
      if (++count === all) begun.resolve();
      return begun.promise;
    });
    await begun.promise;
    assert.deepEqual([...new Set(runs.map(({ worker }) => worker))].toSorted(), numbers(WORKERS));
    await add(numbers(300).map((i) => all + i));
    await until(async () => {
      const { left } = await test.db
        .selectFrom('jobs')
        .select((eb) => eb.fn.countAll<number>().as('left'))
        .executeTakeFirstOrThrow();
      return left === 0;
    });
    await stop();
    assert.deepEqual(
      runs.map(({ job }) => Number(job)).toSorted((a, b) => a - b),
      numbers(all + 300),
    );
  });

  it('[JOB-33] skip an entry that another claim has locked, instead of waiting for it', async () => {
    await add([1, 2]);
    await test.db.transaction().execute(async (tx) => {
      const first = must(await claim(tx, 'postgres'));
      const second = must(await claim(test.db, 'postgres'));
      assert.notEqual(first.id, second.id);
    });
    await test.db.deleteFrom('jobs').execute();
  });

  it('hear of an entry when its transaction is committed, also after their connection was lost', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line).msg) });
    let heard = 0;
    const listener = listenForWork({ url: must(test.url), onWork: () => heard++, log });
    await until(() => listener.isListening());
    const hears = async (act: () => Promise<unknown>) => {
      const before = heard;
      await act();
      await until(() => heard > before);
    };
    await hears(() => add([1]));
    await hears(() =>
      test.db.transaction().execute(async (tx) => {
        const before = heard;
        await enqueueAll(tx, 'sync.push', [{ data: { jobId: '2' }, lane: '2' }]);
        await test.db.selectFrom('jobs').select('id').execute();
        assert.equal(heard, before);
      }),
    );
    const { rows } = await breakListeners();
    assert.ok(rows.length > 0);
    await until(() => !listener.isListening());
    await until(() => listener.isListening());
    await hears(() => add([3]));
    assert.deepEqual(lines, [
      'the worker hears of new work later, because it only polls',
      'the worker hears of new work at once again',
    ]);
    await listener.stop();
    await test.db.deleteFrom('jobs').execute();
  });

  const breakListeners = () =>
    sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query = 'listen quarry_work'`.execute(test.db);
});
