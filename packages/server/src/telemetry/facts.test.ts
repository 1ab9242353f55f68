import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pino from 'pino';
import { DATABASES } from '../test/databases.ts';
import { showFacts } from './facts.ts';
import { createMetrics } from './metrics.ts';

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
  });
