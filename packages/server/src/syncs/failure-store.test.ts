import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DATABASES, type TestDatabase } from '../test/databases.ts';
import { newId } from '../util.ts';
import * as failures from './failure-store.ts';

for (const database of DATABASES) {
  describe(`failures of a job on ${database.name}`, () => {
    let test: TestDatabase;
    before(async () => {
      test = await database.open();
    });
    after(() => test.close());

    const failed = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => ({
        kind: 'fail' as const,
        id: `e${from + i}`,
        type: 'Page',
        reason: 'broken',
        hint: null,
        stage: 'pull',
      }));
    const write = (jobId: string, from: number, count: number) =>
      test.db.transaction().execute((tx) => failures.write(tx, jobId, failed(from, count)));

    it('[JOB-22] the first 1,000 of a job are kept, in their order', async () => {
      const [one, other] = [newId(), newId()];
      await write(one, 0, 700);
      await write(other, 0, 5);
      await write(one, 700, 700);
      await write(one, 1400, 1);
      assert.deepEqual(
        [await failures.count(test.db, one), await failures.count(test.db, other)],
        [1000, 5],
      );
      const last = await failures.list(test.db, one, { skip: 998, limit: 10 });
      assert.deepEqual(
        last.map(({ entity_id }) => entity_id),
        ['e998', 'e999'],
      );
    });
  });
}
