import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import pino from 'pino';
import { enqueue } from '../jobs/queue.ts';
import { DATABASES, type TestDatabase } from '../test/databases.ts';
import { newId } from '../util.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { type Problems, watchProblems } from './problems.ts';
import { collectThreads, reportMetrics } from './thread-metrics.ts';

const HOUR_MS = 3_600_000;

for (const database of DATABASES)
  describe(`problems of the service on ${database.name}`, () => {
    let test: TestDatabase;
    let metrics: Metrics;
    let problems: Problems;
    let now: number;
    before(async () => {
      test = await database.open();
    });
    after(() => test.close());
    beforeEach(async () => {
      now = 0;
      metrics = createMetrics();
      const threadMetrics = collectThreads(metrics);
      problems = watchProblems({
        ...{ ...test, metrics, threadMetrics },
        now: () => now,
        patienceMs: HOUR_MS,
      });
      await test.db.deleteFrom('jobs').execute();
    });

    const later = () => {
      now += HOUR_MS;
      return problems();
    };
    const add = (lane: string) =>
      test.db
        .transaction()
        .execute((tx) => enqueue(tx, 'sync.run', { data: { jobId: newId() }, lane }));

    it('are none at first, and none for work that has just come', async () => {
      await add('lane');
      assert.deepEqual(await later(), []);
    });

    it('are models whose last call failed, each with what to do and without its name', async () => {
      metrics.quarry_model_up.set({ role: 'llm', model: 'openai/secret-project' }, 0);
      metrics.quarry_model_up.set({ role: 'embedder', model: 'openai/other' }, 1);
      const [one, ...others] = await later();
      assert.match(`${one?.problem}`, /^no language model answers/);
      assert.match(`${one?.remedy}`, /see whether its server runs/);
      assert.deepEqual(others, []);
      assert.doesNotMatch(JSON.stringify(one), /secret-project/);
      metrics.quarry_model_up.set({ role: 'llm', model: 'openai/second' }, 1);
      assert.deepEqual(await later(), []);
      metrics.quarry_model_up.set({ role: 'llm', model: 'openai/second' }, 0);
      assert.equal((await later()).length, 1);
      metrics.quarry_model_up.set({ role: 'llm', model: 'openai/secret-project' }, 1);
      assert.deepEqual(await later(), []);
    });

    it('are work that no worker takes, unless other work of its lane comes first', async () => {
      await add('lane');
      await add('lane');
      const [first] = await test.db.selectFrom('jobs').select('id').orderBy('seq').execute();
      const old = (ago: number) =>
        (Date.now() - ago)
          .toString(16)
          .padStart(12, '0')
          .replace(/^(.{8})/, '$1-');
      await test.db
        .updateTable('jobs')
        .set({ id: `${old(6 * 60_000)}-7000-8000-000000000000` })
        .where('id', '=', `${first?.id}`)
        .execute();
      const [one] = await later();
      assert.match(`${one?.problem}`, /^work has waited for 6 minutes, and no worker takes it/);
      await test.db
        .updateTable('jobs')
        .set({ lease_token: 'taken', lease_until: Date.now() + 20_000 })
        .where('id', 'like', `${old(6 * 60_000).slice(0, 8)}%`)
        .where('id', 'like', '%-7000-8000-000000000000')
        .execute();
      assert.deepEqual(await later(), []);
    });

    it('are work that waits while all workers are busy, which does not say that there are none', async () => {
      await add('first');
      await add('second');
      const [first, second] = await test.db.selectFrom('jobs').selectAll().orderBy('seq').execute();
      await test.db
        .updateTable('jobs')
        .set({ lease_token: 'taken', lease_until: Date.now() + 20_000 })
        .where('id', '=', `${first?.id}`)
        .execute();
      await test.db
        .updateTable('jobs')
        .set({ run_at: Date.now() - 6 * 60_000 })
        .where('id', '=', `${second?.id}`)
        .execute();
      const [one, ...others] = await later();
      assert.match(`${one?.problem}`, /^work has waited for 6 minutes, and all workers are busy$/);
      assert.deepEqual(others, []);
    });

    it('are not asked of the threads as a scrape is', async () => {
      let steps = 0;
      const thread = createMetrics();
      thread.beforeSnapshot(() => void steps++);
      const threadMetrics = collectThreads(metrics);
      const port = threadMetrics.open('search');
      reportMetrics(port, thread, { log: pino({ level: 'silent' }) });
      thread.quarry_model_up.set({ role: 'reranker', model: 'openai/wise' }, 0);
      const found = await watchProblems({ ...test, metrics, threadMetrics, patienceMs: HOUR_MS })();
      port.close();
      assert.match(`${found[0]?.problem}`, /^the reranker does not answer/);
      assert.equal(steps, 0);
    });

    it('say that they are not known when the database is slow, which is not an error', async (t) => {
      if (test.kind === 'sqlite') return t.skip('readers of SQLite do not wait');
      const slow = watchProblems({
        ...{ ...test, metrics, threadMetrics: collectThreads(metrics) },
        patienceMs: 1,
      });
      await test.db.transaction().execute(async (tx) => {
        await sql`lock table jobs in access exclusive mode`.execute(tx);
        const [one, ...others] = await slow();
        assert.match(`${one?.problem}`, /^whether work waits .* is not known/);
        assert.deepEqual(others, []);
      });
    });

    it('are read once in a few seconds, however often somebody asks', async () => {
      assert.deepEqual(await later(), []);
      metrics.quarry_model_up.set({ role: 'llm', model: 'openai/wise' }, 0);
      assert.deepEqual(await problems(), []);
      assert.equal((await later()).length, 1);
    });
  });
