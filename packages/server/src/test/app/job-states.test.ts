/** Tests the moves between states that a job may make, at the queries that make them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { SyncStatus } from '../../model/sync-status.ts';
import { cancel, end, endAll, settle } from '../../syncs/jobs/job-end-store.ts';
import { start } from '../../syncs/jobs/job-store.ts';
import { newId } from '../../util.ts';
import { insertCollection, insertConnection, insertSyncJob } from '../api/rows.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';

const ALL: readonly SyncStatus[] = [
  'PENDING',
  'RUNNING',
  'COMPLETED',
  'FAILED',
  'CANCELLING',
  'CANCELLED',
];

for (const database of DATABASES) {
  describe(`states of a job on ${database.name}`, () => {
    let test: TestDatabase;
    before(async () => {
      test = await database.open();
    });
    after(() => test.close());

    /** Tries an action on a job in each state, and returns the state to which it leads. */
    async function moves(act: (job: { id: string; connectionId: string }) => Promise<unknown>) {
      const after: Record<string, string> = {};
      for (const status of ALL) {
        const organization = await organizationIn();
        const collection = { id: newId(), organization_id: organization };
        await insertCollection(test.db, collection);
        const connectionId = await insertConnection(test.db, collection);
        const connection = { id: connectionId, organization_id: organization };
        const id = await insertSyncJob(test.db, connection, status, { lease_token: 'mine' });
        await act({ id, connectionId });
        const row = await test.db
          .selectFrom('sync_jobs')
          .select('status')
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        if (row.status !== status) after[status] = row.status;
      }
      return after;
    }
    const inTx = <T>(act: (tx: Parameters<typeof start>[0]) => Promise<T>) =>
      test.db.transaction().execute(act);
    const ending = (status: 'COMPLETED' | 'FAILED' | 'CANCELLED', leaseToken = 'mine') =>
      moves((job) =>
        inTx((tx) => end(tx, { ...job, leaseToken }, { status, error: null, details: null })),
      );

    it('[JOB-15] only a waiting job starts', async () => {
      assert.deepEqual(await moves(({ id }) => inTx((tx) => start(tx, id, 'new'))), {
        PENDING: 'RUNNING',
      });
    });

    it('[JOB-15] [JOB-16] a cancel ends what waits and asks what runs', async () => {
      const cancelled = moves(({ id, connectionId }) =>
        inTx((tx) => cancel(tx, { jobId: id, connectionId }, null)),
      );
      assert.deepEqual(await cancelled, { PENDING: 'CANCELLED', RUNNING: 'CANCELLING' });
    });

    it('[CON-22] a deletion ends what has not ended', async () => {
      const deleted = moves(({ connectionId }) => inTx((tx) => endAll(tx, { connectionId }, null)));
      const ended = { PENDING: 'CANCELLED', RUNNING: 'CANCELLED', CANCELLING: 'CANCELLED' };
      assert.deepEqual(await deleted, ended);
    });

    it('[JOB-15] only what runs completes or fails, only what is asked to stop is cancelled', async () => {
      assert.deepEqual(await ending('COMPLETED'), { RUNNING: 'COMPLETED' });
      assert.deepEqual(await ending('FAILED'), { RUNNING: 'FAILED' });
      assert.deepEqual(await ending('CANCELLED'), { CANCELLING: 'CANCELLED' });
      assert.deepEqual(await moves(({ id }) => inTx((tx) => settle(tx, id))), {
        CANCELLING: 'CANCELLED',
      });
    });

    it('[JOB-15] who lost the lease ends nothing', async () => {
      assert.deepEqual(await ending('COMPLETED', 'theirs'), {});
      assert.deepEqual(await ending('CANCELLED', 'theirs'), {});
    });

    async function organizationIn(): Promise<string> {
      const id = newId();
      await test.db
        .insertInto('organizations')
        .values({
          id,
          name: 'Any',
          feature_flags: '[]',
          quotas: '{}',
          created_at: 0,
          modified_at: 0,
        })
        .execute();
      return id;
    }
  });
}
