/** Tests which changes of status a job may make, at the queries that make them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Tx } from '../../db/schema.ts';
import type { SyncStatus } from '../../model/sync-status.ts';
import { cancel, end, endAll, endIfCancelled } from '../../syncs/jobs/job-end-store.ts';
import { type SyncClaim, start } from '../../syncs/jobs/job-store.ts';
import { newId } from '../../util.ts';
import {
  insertCollection,
  insertConnection,
  insertOrganization,
  insertSyncJob,
} from '../api/rows.ts';
import { claimJob, stealJob } from '../claimed-job.ts';
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

    interface Claimed {
      readonly id: string;
      readonly connectionId: string;
      readonly claim: SyncClaim;
    }

    /**
     * Tries an action on a claimed job in each status. Returns the new status for each status that the action changes.
     */
    async function moves(act: (job: Claimed) => Promise<unknown>) {
      const after: Record<string, string> = {};
      for (const status of ALL) {
        const organization = await insertOrganization(test.db);
        const collection = { id: newId(), organization_id: organization };
        await insertCollection(test.db, collection);
        const connectionId = await insertConnection(test.db, collection);
        const connection = { id: connectionId, organization_id: organization };
        const id = await insertSyncJob(test.db, connection, status);
        const claim = await claimJob(test.db, test.kind, { jobId: id, connectionId });
        await act({ id, connectionId, claim });
        const row = await test.db
          .selectFrom('sync_jobs')
          .select('status')
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        if (row.status !== status) after[status] = row.status;
      }
      return after;
    }
    const inTx = <T>(act: (tx: Tx) => Promise<T>) => test.db.transaction().execute(act);
    type Ending = 'COMPLETED' | 'FAILED' | 'CANCELLED';
    const endAs = (status: Ending, job: Claimed) =>
      inTx((tx) => end(tx, { ...job, kind: test.kind }, { status, error: null, details: null }));
    const ending = (status: Ending) => moves((job) => endAs(status, job));
    const endingLate = (status: Ending) =>
      moves(async (job) => {
        await stealJob(test.db, job.claim);
        await endAs(status, job);
      });

    it('[JOB-15] only a waiting job starts', async () => {
      assert.deepEqual(await moves(({ claim }) => inTx((tx) => start(tx, test.kind, claim))), {
        PENDING: 'RUNNING',
      });
    });

    it('[JOB-15] [JOB-16] a cancel ends a waiting job, and asks a running job to stop', async () => {
      const cancelled = moves(({ id, connectionId }) =>
        inTx((tx) => cancel(tx, { jobId: id, connectionId }, null)),
      );
      assert.deepEqual(await cancelled, { PENDING: 'CANCELLED', RUNNING: 'CANCELLING' });
    });

    it('[CON-22] the deletion of a connection cancels every job that has not ended', async () => {
      const deleted = moves(({ connectionId }) => inTx((tx) => endAll(tx, { connectionId }, null)));
      const ended = { PENDING: 'CANCELLED', RUNNING: 'CANCELLED', CANCELLING: 'CANCELLED' };
      assert.deepEqual(await deleted, ended);
    });

    it('[JOB-15] only a running job completes or fails, and only a job that was asked to stop ends as cancelled', async () => {
      assert.deepEqual(await ending('COMPLETED'), { RUNNING: 'COMPLETED' });
      assert.deepEqual(await ending('FAILED'), { RUNNING: 'FAILED' });
      assert.deepEqual(await ending('CANCELLED'), { CANCELLING: 'CANCELLED' });
      assert.deepEqual(await moves(({ id }) => inTx((tx) => endIfCancelled(tx, id))), {
        CANCELLING: 'CANCELLED',
      });
    });

    it('[JOB-15] a worker that has lost the lease of a job cannot end the job', async () => {
      assert.deepEqual(await endingLate('COMPLETED'), {});
      assert.deepEqual(await endingLate('CANCELLED'), {});
    });
  });
}
