import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import pino from 'pino';
import { DATABASES } from '../test/databases.ts';
import { until } from '../test/until.ts';
import { showFacts } from './facts.ts';
import { createMetrics, merged } from './metrics.ts';

const HOUR_MS = 3_600_000;

for (const database of DATABASES)
  describe(`facts of the database as metrics (${database.name})`, () => {
    it('are missing while the database is away, and not 0', async () => {
      const test = await database.open();
      const metrics = createMetrics();
      let now = 0;
      let missing: string[] = [];
      showFacts(metrics, {
        ...test,
        log: pino({ level: 'silent' }),
        unready: async () => missing,
        now: () => now,
        patienceMs: HOUR_MS,
      });
      const sizes = async () => {
        now += 60_000;
        await metrics.snapshot();
        const { values } = await metrics.quarry_database_size_bytes.get();
        return values.map(({ value }) => value);
      };
      const [size = 0, ...others] = await sizes();
      assert.ok(size > 4096);
      assert.deepEqual(others, []);
      missing = ['the disk is full'];
      assert.deepEqual(await sizes(), []);
      assert.deepEqual((await metrics.quarry_database_up.get()).values[0]?.value, 0);
      missing = [];
      assert.equal((await sizes()).length, 1);
      await test.close();
    });

    it('are missing when the database does not answer, which is asked once and waited for a short time', async () => {
      const test = await database.open();
      const metrics = createMetrics();
      const answer = Promise.withResolvers<string[]>();
      let now = 0;
      let asked = 0;
      showFacts(metrics, {
        ...test,
        log: pino({ level: 'silent' }),
        unready: () => {
          asked++;
          return answer.promise;
        },
        now: () => now,
      });
      mock.timers.enable({ apis: ['setTimeout'] });
      for (const _ of [1, 2]) {
        now += 60_000;
        const snapshot = metrics.snapshot();
        mock.timers.tick(2000);
        await snapshot;
        assert.equal((await metrics.quarry_database_up.get()).values[0]?.value, 0);
        assert.deepEqual((await metrics.quarry_database_size_bytes.get()).values, []);
      }
      mock.timers.reset();
      assert.equal(asked, 1);
      now += 60_000;
      answer.resolve([]);
      // However busy the machine is, the one reading ends.
      await until(async () => {
        now += 60_000;
        await metrics.snapshot();
        return (await metrics.quarry_database_up.get()).values[0]?.value === 1;
      });
      await test.close();
    });

    it('are missing while they take too long, although the database answers', async () => {
      const test = await database.open();
      const metrics = createMetrics();
      const held = Promise.withResolvers<void>();
      let now = 0;
      const slow = test.db.withPlugin({
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          await held.promise;
          return result;
        },
      });
      showFacts(metrics, {
        ...test,
        db: slow,
        log: pino({ level: 'silent' }),
        unready: async () => [],
        now: () => now,
        patienceMs: 50,
      });
      const sizes = async () => {
        now += 60_000;
        await metrics.snapshot();
        return (await metrics.quarry_database_size_bytes.get()).values.length;
      };
      assert.equal(await sizes(), 0);
      assert.equal((await metrics.quarry_database_up.get()).values[0]?.value, 1);
      held.resolve();
      await until(async () => (await sizes()) === 1);
      await test.close();
    });

    it('of an absent database are missing also beside threads, which know none', async () => {
      const text = await merged([
        await createMetrics().snapshot(),
        await createMetrics().snapshot(),
      ]).metrics();
      assert.doesNotMatch(
        text,
        /^quarry_(database|index|webhook|searches)_(?!attempt|evictions)\w+ 0$/m,
      );
    });
  });
