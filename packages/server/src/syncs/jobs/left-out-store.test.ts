import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { fail, skip } from '../../sources/items.ts';
import { DATABASES, type TestDatabase } from '../../test/databases.ts';
import { newId } from '../../util.ts';
import * as leftOut from './left-out-store.ts';

for (const database of DATABASES) {
  describe(`records that a job leaves out on ${database.name}`, () => {
    let test: TestDatabase;
    before(async () => {
      test = await database.open();
    });
    after(() => test.close());

    const some = (kind: leftOut.LeftOutKind, from: number, count: number) =>
      Array.from({ length: count }, (_, i) => {
        const id = `e${from + i}`;
        const broken = new SourceError('skip', 'broken', { hint: 'repair it' });
        const one =
          kind === 'fail'
            ? fail(id, 'Page', broken)
            : skip(id, 'Page', { reason: 'too large', detail: `${i} MB`, hint: 'split it' });
        return { ...one, stage: 'pull' };
      });

    /** Writes records like a job that has already counted `from` records of each kind. */
    function write(jobId: string, from: number, counts: { fail: number; skip: number }) {
      const records = [...some('skip', from, counts.skip), ...some('fail', from, counts.fail)];
      return test.db
        .transaction()
        .execute((tx) =>
          leftOut.write(tx, jobId, { before: { skipped: from, failed: from }, leftOut: records }),
        );
    }

    it('[JOB-22] [JOB-49] are stored in their order, the first 1,000 of each kind of a job', async () => {
      const [one, other] = [newId(), newId()];
      await write(one, 0, { fail: 700, skip: 700 });
      await write(other, 0, { fail: 5, skip: 7 });
      await write(one, 700, { fail: 700, skip: 301 });
      await write(one, 1400, { fail: 1, skip: 1 });
      for (const kind of ['fail', 'skip'] as const) {
        assert.equal(await leftOut.count(test.db, one, kind), 1000);
        const last = await leftOut.list(test.db, one, { kind, skip: 998, limit: 10 });
        assert.deepEqual(
          last.map(({ entity_id }) => entity_id),
          ['e998', 'e999'],
        );
      }
      assert.equal(await leftOut.count(test.db, other, 'fail'), 5);
      assert.equal(await leftOut.count(test.db, other, 'skip'), 7);
    });

    it('[JOB-49] are stored with the reason, the detail of the record, and a hint', async () => {
      const id = newId();
      await write(id, 0, { fail: 1, skip: 1 });
      const why = async (kind: leftOut.LeftOutKind) =>
        (await leftOut.list(test.db, id, { kind, skip: 0, limit: 10 })).map((row) => [
          row.message,
          row.detail,
          row.hint,
        ]);
      assert.deepEqual(await why('skip'), [['too large', '0 MB', 'split it']]);
      assert.deepEqual(await why('fail'), [['broken', null, 'repair it']]);
    });
  });
}
