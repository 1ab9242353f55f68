import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { insertConnection, insertOrganization, insertSyncJob } from '../../test/api/rows.ts';
import { DATABASES, type TestDatabase } from '../../test/databases.ts';
import { newId } from '../../util.ts';
import { forgetPartitions, listingOf, writeBookmark } from './bookmark-store.ts';
import { write } from './left-out-store.ts';
import { emptyListing } from './listing.ts';
import { noTally } from './tally.ts';

for (const database of DATABASES) {
  describe(`bookmarks on ${database.name}`, () => {
    let test: TestDatabase;
    const collection = { id: newId(), organization_id: newId() };
    before(async () => {
      test = await database.open();
      await insertOrganization(test.db, collection.organization_id);
    });
    after(() => test.close());

    async function begin() {
      const connectionId = await insertConnection(test.db, collection);
      const jobId = await insertSyncJob(
        test.db,
        { id: connectionId, organization_id: collection.organization_id },
        'RUNNING',
      );
      return { jobId, configuredAt: 1, cursorField: null };
    }
    const say = (
      job: Awaited<ReturnType<typeof begin>>,
      listed: string[],
      lost: string[],
      met: string[] = [],
    ) => {
      const additions = { listed: new Set(listed), lost: new Set(lost), met: new Set(met) };
      return test.db
        .transaction()
        .execute((tx) => writeBookmark(tx, job, { position: 1, additions, tally: noTally }));
    };

    it('[JOB-43] store the listed, lost and seen partitions of a job, separately from other jobs', async () => {
      const [one, other] = [await begin(), await begin()];
      await say(one, ['a'], ['c'], ['a', 'm']);
      await say(one, ['b', 'm'], [], ['c']);
      await say(other, ['c', 'd'], ['a'], ['d']);
      const listed = new Set(['a', 'b', 'm']);
      const lost = new Set(['c']);
      const met = new Set(['a', 'b', 'c', 'm']);
      assert.deepEqual(await listingOf(test.db, one.jobId), { listed, lost, met });
      await test.db.transaction().execute((tx) => forgetPartitions(tx, other.jobId));
      assert.deepEqual(await listingOf(test.db, one.jobId), { listed, lost, met });
      assert.equal((await listingOf(test.db, other.jobId)).listed.size, 0);
    });

    it('[JOB-43] forget the earlier network errors only when their position is new', async () => {
      const job = await begin();
      async function retriesAfter(position: unknown): Promise<number> {
        await test.db
          .updateTable('sync_jobs')
          .set({ retries: 2 })
          .where('id', '=', job.jobId)
          .execute();
        await test.db
          .transaction()
          .execute((tx) =>
            writeBookmark(tx, job, { position, additions: emptyListing(), tally: noTally }),
          );
        const row = await test.db
          .selectFrom('sync_jobs')
          .select('retries')
          .where('id', '=', job.jobId)
          .executeTakeFirstOrThrow();
        return row.retries;
      }
      assert.equal(await retriesAfter({ page: 1 }), 0);
      assert.equal(await retriesAfter({ page: 1 }), 2);
      assert.equal(await retriesAfter({ page: 2 }), 0);
      assert.equal(await retriesAfter({ page: 2, at: 0 }), 0);
      assert.equal(await retriesAfter({ page: 2, at: 0 }), 2);
    });

    it('[JOB-43] keep a position exactly as the source wrote it', async () => {
      const job = await begin();
      const position = { table: 'keys', after: ['a\0b', '\ud800'], at: 1.5 };
      await test.db
        .transaction()
        .execute((tx) =>
          writeBookmark(tx, job, { position, additions: emptyListing(), tally: noTally }),
        );
      const { bookmark } = await test.db
        .selectFrom('sync_jobs')
        .select('bookmark')
        .where('id', '=', job.jobId)
        .executeTakeFirstOrThrow();
      assert.equal(JSON.stringify(bookmark?.position), JSON.stringify(position));
    });

    it('[JOB-43] settle the earlier failures of their own job', async () => {
      const [one, other] = [await begin(), await begin()];
      const failure = {
        kind: 'fail',
        id: 'x',
        type: 'Page',
        reason: 'odd',
        detail: null,
        hint: null,
      } as const;
      for (const { jobId } of [one, other])
        await test.db
          .transaction()
          .execute((tx) =>
            write(tx, jobId, { before: noTally, leftOut: [{ ...failure, stage: 'pull' }] }),
          );
      await say(one, [], []);
      const settled = await test.db
        .selectFrom('left_out_records')
        .select('job_id')
        .where('settled', '=', true)
        .execute();
      assert.deepEqual(
        settled.map((row) => row.job_id),
        [one.jobId],
      );
    });
  });
}
