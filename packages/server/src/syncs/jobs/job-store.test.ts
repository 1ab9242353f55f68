import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { lockCollection } from '../../connections/store.ts';
import { databaseTime } from '../../db/clock.ts';
import type { SyncConfig, Tx } from '../../db/schema.ts';
import { claim as claimNext, enqueue, release } from '../../jobs/queue.ts';
import { PostponeJob } from '../../jobs/work.ts';
import type { SyncStatus } from '../../model/sync-status.ts';
import {
  insertCollection,
  insertConnection,
  insertOrganization,
  insertSyncJob,
} from '../../test/api/rows.ts';
import { claimJob, stealJob } from '../../test/claimed-job.ts';
import { DATABASES, hasOwnClock, somebodyWaits, type TestDatabase } from '../../test/databases.ts';
import { until } from '../../test/until.ts';
import { must, newId } from '../../util.ts';
import * as runs from '../pipeline/run-store.ts';
import { writeTally } from '../pipeline/store.ts';
import { beginAgain } from './begin-again-store.ts';
import { listingOf } from './bookmark-store.ts';
import { lockConnection } from './connection-store.ts';
import { Fenced } from './fence.ts';
import * as ending from './job-end-store.ts';
import * as jobs from './job-store.ts';
import * as failed from './left-out-store.ts';
import * as list from './list-store.ts';
import { insertJob } from './new-job-store.ts';
import { keepPushes, storedPush } from './push-store.ts';
import { noCounts, noTally } from './tally.ts';

const CONFIG = (vectors: boolean): SyncConfig => ({
  handlers: { enable_vector_handlers: vectors, enable_metadata_handlers: true },
});

for (const database of DATABASES) {
  describe(`rows of a job on ${database.name}`, () => {
    let test: TestDatabase;
    let owner: { id: string; organization_id: string };
    let connectionId: string;

    before(async () => {
      test = await database.open();
    });
    after(() => test.close());
    beforeEach(async () => {
      owner = { id: newId(), organization_id: newId() };
      await insertOrganization(test.db, owner.organization_id);
      await insertCollection(test.db, owner);
      connectionId = await insertConnection(test.db, owner, { generation: 5 });
    });

    const add = (status: SyncStatus, changes: Parameters<typeof insertSyncJob>[3] = {}) =>
      insertSyncJob(
        test.db,
        { id: connectionId, organization_id: owner.organization_id },
        status,
        changes,
      );
    const inTx = <T>(act: (tx: Tx) => Promise<T>) => test.db.transaction().execute(act);
    const jobRow = (id: string) =>
      test.db.selectFrom('sync_jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const connectionRow = () => runs.connectionOf(test.db, connectionId);
    const ended = { status: 'COMPLETED', error: null, details: null } as const;
    /** Adds a job that a worker has claimed. */
    const addClaimed = async (
      status: SyncStatus,
      changes: Parameters<typeof insertSyncJob>[3] = {},
    ) => {
      const id = await add(status, changes);
      const claim = await claimJob(test.db, test.kind, { jobId: id, connectionId });
      return { id, kind: test.kind, claim, connectionId, startedAt: 1000 };
    };
    const start = (claim: jobs.SyncClaim) => inTx((tx) => jobs.start(tx, test.kind, claim));

    it('[JOB-43] a waiting job keeps waiting after its worker has died, and may start after the wait', async () => {
      const until = Date.now() + 60_000;
      const { id, claim } = await addClaimed('RUNNING', { attempt: 1, waits_for: 'rate_limit' });
      const next = await stealJob(test.db, claim);
      const wait = (at: number) =>
        test.db
          .updateTable('sync_jobs')
          .set({ waits_for: 'rate_limit', waits_until: at })
          .where('id', '=', id)
          .execute();
      await wait(until);
      await assert.rejects(
        start(next),
        (error) => error instanceof PostponeJob && error.waitMs > 0 && error.waitMs <= 60_000,
      );
      const { attempt, waits_until } = await jobRow(id);
      assert.deepEqual([attempt, waits_until], [1, until]);
      await wait(Date.now() - 1);
      const started = await start(next);
      assert.deepEqual([started?.attempt, started?.waits_until], [2, null]);
      const day = 24 * 3_600_000;
      await wait(Date.now() + day);
      await assert.rejects(start(next), PostponeJob);
      // The clock was years ahead when this time was written.
      await wait(Date.now() + 1000 * day);
      assert.equal((await start(next))?.attempt, 3);
    });

    it('[JOB-17] a waiting job has released its claim, so a cancel makes it due', async () => {
      const { id, claim } = await addClaimed('RUNNING');
      const queued = async () =>
        test.db
          .selectFrom('jobs')
          .select(['lease_token', 'run_at'])
          .where('id', '=', claim.id)
          .executeTakeFirst();
      const park = (by: jobs.SyncClaim) => {
        const wait = { ms: 60_000, reason: 'slow down', retries: 1 };
        return inTx((tx) => jobs.park(tx, test.kind, { claim: by, wait }));
      };
      const other = await stealJob(test.db, claim);
      assert.equal(await park(claim), false);
      assert.equal((await jobRow(id)).waits_until, null);
      assert.equal((await queued())?.lease_token, other.leaseToken);
      assert.equal(await park(other), true);
      const put = must(await queued());
      assert.equal(put.lease_token, null);
      assert.ok(put.run_at > Date.now());
      await inTx((tx) => ending.cancel(tx, { connectionId, jobId: id }, null));
      assert.equal((await queued())?.run_at, 0);
      await test.db.deleteFrom('jobs').execute();
    });

    it('a wait ends by the clock of the database, however wrong the clock of its worker is', async (t) => {
      const { id, claim } = await addClaimed('RUNNING', {
        full: true,
        bookmark: JSON.stringify({ position: 'p', configuredAt: 0, leftOut: {} }),
      });
      const millis = async () => (await databaseTime(test.db, test.kind)).getTime();
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 11 * 60_000 });
      const before = await millis();
      const wait = { ms: 60_000, reason: 'slow down', retries: 1 };
      assert.equal(await inTx((tx) => jobs.park(tx, test.kind, { claim, wait })), true);
      const { waits_until } = await jobRow(id);
      const most = (await millis()) + 60_000;
      assert.ok(Number(waits_until) >= before + 60_000 && Number(waits_until) <= most);
      const again = await stealJob(test.db, claim);
      await assert.rejects(start(again), PostponeJob);
      const begins = { claim: again, reason: 'the bookmark is too old' };
      assert.equal(await inTx((tx) => beginAgain(tx, test.kind, begins)), true);
      assert.ok(Number((await jobRow(id)).waits_until) <= (await millis()));
      await test.db.deleteFrom('jobs').execute();
    });

    it('[CON-25] a task that waits in the lane of a deleted connection does not delay the cleanup', async () => {
      await inTx((tx) =>
        enqueue(tx, 'maintenance.task', { data: { taskId: newId() }, lane: connectionId }),
      );
      await release(test.db, test.kind, {
        job: must(await claimNext(test.db, test.kind)),
        afterMs: 60_000,
      });
      assert.equal(await claimNext(test.db, test.kind), undefined);
      await inTx((tx) => ending.endAll(tx, { connectionId }, null));
      assert.equal((await claimNext(test.db, test.kind))?.name, 'maintenance.task');
      await test.db.deleteFrom('jobs').execute();
    });

    it('[COL-17] a job that waits for its source becomes due when its collection is deleted', async () => {
      const id = await add('RUNNING');
      await inTx((tx) => enqueue(tx, 'sync.run', { data: { jobId: id }, lane: connectionId }));
      await release(test.db, test.kind, {
        job: must(await claimNext(test.db, test.kind)),
        afterMs: 60_000,
      });
      await inTx((tx) => ending.endAll(tx, { collectionId: owner.id }, null));
      assert.deepEqual((await claimNext(test.db, test.kind))?.data, { jobId: id });
      await test.db.deleteFrom('jobs').execute();
    });

    it('[JOB-43] a pull that starts from the beginning gets a new generation, and resets the counts of left-out records', async () => {
      const { id, claim } = await addClaimed('PENDING');
      const first = await start(claim);
      assert.deepEqual([first?.attempt, first?.generation, first?.status], [1, 6, 'RUNNING']);
      await test.db
        .updateTable('sync_jobs')
        .set({
          started_at: 1000,
          entities_inserted: 3,
          entities_skipped: 1,
          entities_failed: 2,
          encountered: '{"Page":3}',
          left_out: '{"Page":3}',
          by_type: JSON.stringify({ ...noCounts, inserted: { Page: 3 }, failed: { Page: 2 } }),
          skipped_by_reason: '{"too large":1}',
        })
        .where('id', '=', id)
        .execute();
      await test.db
        .insertInto('left_out_records')
        .values({
          id: newId(),
          job_id: id,
          entity_id: 'a',
          entity_type: 'Page',
          stage: 'pull',
          kind: 'fail' as const,
          message: 'broken',
          hint: null,
          created_at: 0,
        })
        .execute();
      await test.db
        .updateTable('connections')
        .set({ generation: 9 })
        .where('id', '=', connectionId)
        .execute();
      const other = await stealJob(test.db, claim);
      await assert.rejects(start(claim), Fenced);
      const second = await start(other);
      assert.deepEqual([second?.attempt, second?.generation, second?.started_at], [2, 10, 1000]);
      assert.deepEqual([first?.first_generation, second?.first_generation], [6, 6]);
      assert.deepEqual(
        [second?.entities_inserted, second?.entities_skipped, second?.entities_failed],
        [3, 0, 0],
      );
      assert.deepEqual(
        [second?.encountered, second?.left_out, second?.skipped_by_reason],
        [{ Page: 3 }, {}, {}],
      );
      assert.deepEqual(second?.by_type, { ...noCounts, inserted: { Page: 3 } });
      assert.equal((await connectionRow()).generation, 10);
      assert.equal(await failed.count(test.db, id, 'fail'), 0);
    });

    it('[JOB-43] a pull that goes on at its bookmark keeps its generation, if the configuration is the same', async () => {
      const bookmark = {
        position: 'p',
        configuredAt: 7,
        skipped: 1,
        failed: 2,
        leftOut: { Page: 3 },
        skippedBy: { 'too large': 1 },
        failedBy: { Page: 2 },
      };
      const { id, claim } = await addClaimed('RUNNING', {
        attempt: 3,
        generation: 4,
        first_generation: 2,
        bookmark: JSON.stringify(bookmark),
        by_type: JSON.stringify({ ...noCounts, failed: { Page: 5 } }),
      });
      const configure = (at: number) =>
        test.db
          .updateTable('connections')
          .set({ configured_at: at })
          .where('id', '=', connectionId)
          .execute();
      const failure = {
        job_id: id,
        entity_type: 'Page',
        stage: 'pull',
        kind: 'fail' as const,
        message: '',
        created_at: 0,
      };
      await test.db
        .insertInto('left_out_records')
        .values([
          { ...failure, id: newId(), entity_id: 'before', settled: true },
          { ...failure, id: newId(), entity_id: 'after', settled: false },
        ])
        .execute();
      await test.db
        .insertInto('job_partitions')
        .values({ job_id: id, partition: 'part', is_listed: true, lost: false })
        .execute();
      const said = async () => [
        (await failed.list(test.db, id, { kind: 'fail', skip: 0, limit: 10 })).map(
          (one) => one.entity_id,
        ),
        [...(await listingOf(test.db, id)).listed],
      ];
      await configure(7);
      const resumed = await start(claim);
      assert.deepEqual(
        [resumed?.generation, resumed?.first_generation, resumed?.entities_failed],
        [4, 2, 2],
      );
      assert.deepEqual(resumed?.bookmark, bookmark);
      assert.deepEqual(resumed?.skipped_by_reason, { 'too large': 1 });
      assert.deepEqual(resumed?.by_type, { ...noCounts, failed: { Page: 2 } });
      assert.deepEqual(await said(), [['before'], ['part']]);
      await configure(8);
      const begun = await start(claim);
      assert.deepEqual(
        [begun?.generation, begun?.first_generation, begun?.entities_failed, begun?.bookmark],
        [6, 2, 0, null],
      );
      assert.deepEqual(await said(), [[], []]);
    });

    it('[JOB-38] a pull goes on at its bookmark only if the cursor field is the same', async () => {
      const { configured_at } = await connectionRow();
      const { claim } = await addClaimed('RUNNING', {
        bookmark: JSON.stringify({
          position: 'p',
          configuredAt: configured_at,
          cursorField: 'at',
          skipped: 0,
          failed: 0,
          leftOut: {},
        }),
      });
      const positionBy = async (cursor_field: string | null) => {
        const connection = test.db.updateTable('connections').where('id', '=', connectionId);
        await connection.set({ cursor_field }).execute();
        return (await start(claim))?.bookmark?.position;
      };
      assert.deepEqual([await positionBy('at'), await positionBy('other')], ['p', undefined]);
    });

    it('[CON-22] a job of a deleted connection does not start', async () => {
      const { id, claim } = await addClaimed('PENDING');
      await test.db
        .updateTable('connections')
        .set({ deleted_at: 1 })
        .where('id', '=', connectionId)
        .execute();
      assert.equal(await start(claim), undefined);
      assert.deepEqual(
        [(await jobRow(id)).status, (await connectionRow()).generation],
        ['PENDING', 5],
      );
    });

    it('[JOB-13] the end of a job is stored in the job and in the counter of its connection, and deletes its push', async () => {
      const details = { code: 'auth', stage: 'pull', message: 'no', retryable: false };
      const cases = [
        [{ status: 'COMPLETED', error: null, details: null }, 'RUNNING', [1, 0]],
        [{ status: 'FAILED', error: 'no', details }, 'RUNNING', [1, 1]],
        [{ status: 'CANCELLED', error: null, details: null }, 'CANCELLING', [1, 1]],
      ] as const;
      for (const [end, from, counters] of cases) {
        const job = await addClaimed(from, { modified_at: 1000 });
        const { id } = job;
        await inTx((tx) => keepPushes(tx, [{ jobId: id, body: new Uint8Array([1]), file: null }]));
        assert.equal(await inTx((tx) => ending.end(tx, job, end)), true);
        const row = await jobRow(id);
        assert.deepEqual(
          [row.status, row.error, row.error_details],
          [end.status, end.error, end.details],
        );
        assert.ok(row.completed_at !== null && row.modified_at === row.completed_at);
        assert.equal(row.failed_at, end.status === 'FAILED' ? row.completed_at : null);
        const { successful_runs, failed_runs } = await connectionRow();
        assert.deepEqual([successful_runs, failed_runs], counters);
        await assert.rejects(storedPush(test.db, id));
      }
    });

    it('a push is kept while its job has not ended', async () => {
      const job = await addClaimed('RUNNING');
      const { id } = job;
      await inTx((tx) => keepPushes(tx, [{ jobId: id, body: new Uint8Array([1, 2]), file: null }]));
      await stealJob(test.db, job.claim);
      assert.equal(await inTx((tx) => ending.end(tx, job, ended)), false);
      assert.deepEqual([...(await storedPush(test.db, id)).body], [1, 2]);
      assert.equal((await connectionRow()).successful_runs, 0);
    });

    it('[JOB-16] [JOB-18] a cancel ends waiting jobs at once, and never sets modified_at back', async () => {
      const future = Date.now() + 60_000;
      const waiting = await add('PENDING', { modified_at: 1000 });
      const running = await add('RUNNING', { modified_at: future });
      const other = await insertConnection(test.db, owner);
      const foreign = await insertSyncJob(
        test.db,
        { id: other, organization_id: owner.organization_id },
        'PENDING',
      );
      const from = Date.now();
      const rows = await inTx((tx) => ending.cancel(tx, { connectionId }, 'ann@example.org'));
      assert.deepEqual(rows.map(({ id }) => id).toSorted(), [waiting, running].toSorted());
      const [first, second] = [await jobRow(waiting), await jobRow(running)];
      assert.deepEqual(
        [first.status, second.status, second.completed_at, second.modified_at],
        ['CANCELLED', 'CANCELLING', null, future + 1],
      );
      assert.ok((first.completed_at ?? 0) >= from && first.modified_at >= from);
      assert.deepEqual(
        [first.modified_by_email, second.modified_by_email],
        ['ann@example.org', 'ann@example.org'],
      );
      assert.equal((await jobRow(foreign)).status, 'PENDING');
      assert.equal(await jobs.countUnfinished(test.db, connectionId), 1);
      assert.equal(await jobs.countUnfinished(test.db, other), 1);
    });

    it('[COL-11] [JOB-46] a new job is the newest of its connection, even after a clock was far ahead', async () => {
      const ahead = { id: '0fff22e2-79b0-7cc3-98c4-dc0c0c07398f' };
      await add('COMPLETED', { ...ahead, sync_config: JSON.stringify(CONFIG(false)) });
      const { id } = await inTx((tx) =>
        insertJob(tx, {
          organizationId: owner.organization_id,
          connectionId,
          syncId: newId(),
          trigger: 'schedule',
          full: true,
          acceptDeletions: false,
          syncConfig: null,
          email: null,
        }),
      );
      assert.equal(await list.newestFull(test.db, connectionId), id);
      await test.db
        .updateTable('sync_jobs')
        .set({ status: 'COMPLETED', started_at: 7 })
        .where('id', '=', id)
        .execute();
      assert.equal(await jobs.lastFullConfig(test.db, connectionId), null);
      assert.equal((await list.lastFull(test.db, connectionId)).completedStartedAt, 7);
    });

    it('[COL-11] the connection stores the configuration of the last completed full sync', async () => {
      assert.equal(await jobs.lastFullConfig(test.db, connectionId), undefined);
      const off = JSON.stringify(CONFIG(false));
      const on = JSON.stringify(CONFIG(true));
      await add('COMPLETED', { created_at: 1000, sync_config: on });
      await add('COMPLETED', { created_at: 2000, sync_config: off });
      await add('COMPLETED', { created_at: 3000, sync_config: on, full: false });
      await add('FAILED', { created_at: 4000, sync_config: on });
      assert.deepEqual(await jobs.lastFullConfig(test.db, connectionId), CONFIG(false));
      await add('COMPLETED', { created_at: 5000 });
      assert.equal(await jobs.lastFullConfig(test.db, connectionId), null);
    });

    it('[COL-13] a full sync uses the configuration it was created with, and an incremental sync that becomes full uses the current one', async () => {
      const collection = { sync_config: JSON.stringify(CONFIG(false)) };
      await test.db.updateTable('collections').set(collection).where('id', '=', owner.id).execute();
      const made = { sync_config: JSON.stringify(CONFIG(true)) };
      for (const [full, config] of [
        [true, CONFIG(true)],
        [false, CONFIG(false)],
      ] as const) {
        const { claim } = await addClaimed('PENDING', { ...made, full });
        const started = await start(claim);
        assert.deepEqual([started?.full, started?.sync_config], [true, config]);
        await inTx((tx) => ending.endAll(tx, { connectionId }, null));
      }
    });

    it('[JOB-44] tells whether the configuration has changed after the last completed full sync', async () => {
      const changedAt = async (configured_at: number) =>
        runs.wasReconfigured(test.db, { ...(await connectionRow()), configured_at });
      assert.equal(await changedAt(1), false);
      await add('COMPLETED', { created_at: 1000, started_at: 1100 });
      await add('COMPLETED', { created_at: 2000, started_at: 2100 });
      await add('COMPLETED', { created_at: 3000, started_at: 3100, full: false });
      await add('FAILED', { created_at: 4000, started_at: 4100 });
      assert.deepEqual(
        [await changedAt(2099), await changedAt(2100), await changedAt(2101)],
        [false, false, true],
      );
    });

    it('every change of a job gets a later modified_at, even when the clock was set back', async () => {
      const ahead = Date.now() + 60_000;
      const wait = { ms: 60_000, reason: 'slow down', retries: 1 };
      const written = { tally: noTally, meter: { requests: 0, bytes: 0 }, progressed: true };
      const modifiedAt = async (
        status: SyncStatus,
        change: (job: Awaited<ReturnType<typeof addClaimed>>, tx: Tx) => Promise<unknown>,
      ) => {
        const job = await addClaimed(status, { modified_at: ahead });
        await inTx((tx) => change(job, tx));
        const { modified_at } = await jobRow(job.id);
        // A connection cannot have two running jobs.
        await test.db.deleteFrom('sync_jobs').where('id', '=', job.id).execute();
        return modified_at;
      };
      const times = [
        await modifiedAt('PENDING', ({ claim }, tx) => jobs.start(tx, test.kind, claim)),
        await modifiedAt('RUNNING', ({ claim }, tx) => jobs.park(tx, test.kind, { claim, wait })),
        await modifiedAt('RUNNING', ({ id }, tx) => writeTally(tx, id, written)),
        await modifiedAt('RUNNING', (job, tx) => ending.end(tx, job, ended)),
        await modifiedAt('CANCELLING', ({ id }, tx) => ending.endIfCancelled(tx, id)),
        await modifiedAt('RUNNING', (_, tx) => ending.endAll(tx, { connectionId }, null)),
      ];
      assert.deepEqual(
        times,
        times.map(() => ahead + 1),
      );
      await test.db.deleteFrom('jobs').execute();
    });

    it('[JOB-36] only a full sync stores its cursor at its end, with any value', async () => {
      const cursor = async () => (await connectionRow()).cursor;
      const complete = async (full: boolean, value: unknown) => {
        const job = await addClaimed('RUNNING');
        const configuredAt = (await connectionRow()).configured_at;
        const completion = {
          ...(full && { cursor: { at: value ?? null, configuredAt, cursorField: null } }),
          membersList: null,
          heldBack: 0,
        };
        await runs.complete(test.db, job, completion);
        assert.equal((await jobRow(job.id)).status, 'COMPLETED');
      };
      await complete(true, { at: 1 });
      assert.deepEqual(await cursor(), { at: 1 });
      await complete(false, undefined);
      assert.deepEqual(await cursor(), { at: 1 });
      await complete(true, undefined);
      assert.equal(await cursor(), null);
    });

    it('[CON-19] [JOB-44] a cursor of an earlier configuration is not stored, and the configuration counts as changed', async () => {
      const job = await addClaimed('RUNNING');
      const configured_at = job.startedAt + 2;
      await test.db
        .updateTable('connections')
        .set({ configured_at })
        .where('id', '=', connectionId)
        .execute();
      const before = await connectionRow();
      const stale = { at: 99, configuredAt: configured_at - 1, cursorField: null };
      await runs.complete(test.db, job, { cursor: stale, membersList: null, heldBack: 0 });
      const { cursor, configured_at: configured } = await connectionRow();
      assert.deepEqual([cursor, configured], [before.cursor, configured_at]);
    });

    it('[CON-33] credentials that were replaced after the job began do not count as refused', async () => {
      const { authenticated_at } = await connectionRow();
      await inTx((tx) => runs.refuse(tx, connectionId, (authenticated_at ?? 0) - 1));
      assert.equal((await connectionRow()).refused_at, null);
    });

    it('[CON-33] a completed sync shows that the credentials are accepted again', async () => {
      await inTx((tx) => runs.refuse(tx, connectionId, Date.now()));
      assert.ok((await connectionRow()).refused_at);
      const completion = { membersList: null, heldBack: 0 };
      await runs.complete(test.db, await addClaimed('RUNNING'), completion);
      assert.equal((await connectionRow()).refused_at, null);
    });

    it('[JOB-17] a job that was cancelled after its last commit ends as cancelled, and stores no cursor', async () => {
      const job = await addClaimed('CANCELLING');
      const completion = {
        cursor: { at: 7, configuredAt: 0, cursorField: null },
        membersList: 1,
        heldBack: 0,
      };
      await runs.complete(test.db, job, completion);
      assert.equal((await jobRow(job.id)).status, 'CANCELLED');
      const { cursor, successful_runs } = await connectionRow();
      assert.deepEqual([cursor, successful_runs], [null, 0]);
    });

    it('[JOB-43] a job cannot be completed without its lease, or for a deleted connection', async () => {
      const completion = {
        cursor: { at: 7, configuredAt: 0, cursorField: null },
        membersList: null,
        heldBack: 0,
      };
      const lost = await addClaimed('RUNNING');
      await stealJob(test.db, lost.claim);
      await assert.rejects(runs.complete(test.db, lost, completion), Fenced);
      assert.equal((await jobRow(lost.id)).status, 'RUNNING');
      await test.db.deleteFrom('sync_jobs').where('id', '=', lost.id).execute();
      const orphan = await addClaimed('RUNNING');
      await test.db
        .updateTable('connections')
        .set({ deleted_at: 1 })
        .where('id', '=', connectionId)
        .execute();
      await assert.rejects(runs.complete(test.db, orphan, completion), Fenced);
      assert.equal((await jobRow(orphan.id)).status, 'RUNNING');
    });

    it('[COL-21] a collection keeps the time of its first sync', async () => {
      const syncedAt = async () =>
        (
          await test.db
            .selectFrom('collections')
            .select('synced_at')
            .where('id', '=', owner.id)
            .executeTakeFirstOrThrow()
        ).synced_at;
      const complete = async () => {
        const completion = { membersList: null, heldBack: 0 };
        await runs.complete(test.db, await addClaimed('RUNNING'), completion);
      };
      await complete();
      assert.ok(await syncedAt());
      await test.db
        .updateTable('collections')
        .set({ synced_at: 1000 })
        .where('id', '=', owner.id)
        .execute();
      await complete();
      assert.equal(await syncedAt(), 1000);
    });

    it('the end of a sync waits for the deletion of its collection, but the deletion never waits for the sync', async (t) => {
      if (!hasOwnClock(test)) return t.skip('one connection cannot have two transactions');
      const job = await addClaimed('RUNNING');
      let completed: Promise<void> | undefined;
      await inTx(async (tx) => {
        assert.equal(await lockCollection(tx, owner.id), true);
        completed = runs.complete(test.db, job, { membersList: null, heldBack: 0 });
        await until(async () => ((await somebodyWaits(test.db)) ? true : undefined));
        assert.equal(await lockConnection(tx, connectionId), true);
      });
      await completed;
      assert.equal((await jobRow(job.id)).status, 'COMPLETED');
    });

    it('[JOB-02] [CON-26] jobs are listed newest first, and failures in their order', async () => {
      const ids = [
        await add('COMPLETED'),
        await add('FAILED'),
        await add('PENDING'),
        await add('COMPLETED'),
      ];
      const order = ids.toReversed();
      const { organization_id } = owner;
      const reach = { organizationId: organization_id, collections: null };
      const of = async (query: object) => {
        const page = { skip: 0, limit: 10, statuses: [], ...query };
        const { total, rows } = await list.ofOrganization(test.db, reach, page);
        return [total, rows.map(({ id }) => id)];
      };
      assert.deepEqual(await of({}), [4, order]);
      assert.deepEqual(await of({ skip: 1, limit: 2 }), [4, order.slice(1, 3)]);
      assert.deepEqual(await of({ statuses: ['failed', 'pending'] }), [2, [ids[2], ids[1]]]);
      assert.deepEqual(await of({ statuses: ['created'] }), [0, []]);
      assert.deepEqual(
        await of({ statuses: ['completed', 'failed', 'pending'], skip: 1, limit: 2 }),
        [4, order.slice(1, 3)],
      );
      assert.deepEqual(await of({ statuses: ['pending', 'pending'] }), [1, [ids[2]]]);
      // A deleted connection leaves no gap on a page, even while its rows still exist.
      const deleted = await insertConnection(test.db, owner, { deleted_at: 1 });
      await insertSyncJob(test.db, { id: deleted, organization_id }, 'COMPLETED');
      assert.deepEqual(await of({ limit: 2 }), [4, order.slice(0, 2)]);
      assert.deepEqual(await of({ statuses: ['completed'], limit: 1 }), [2, [ids[3]]]);
      const jobsOf = await list.ofConnection(test.db, connectionId, { skip: 0, limit: 3 });
      assert.deepEqual([jobsOf.total, jobsOf.rows.map(({ id }) => id)], [4, order.slice(0, 3)]);

      const job_id = ids[0] ?? '';
      const failures = Array.from({ length: 5 }, (_, i) => ({
        id: newId(),
        job_id,
        entity_id: `e${i}`,
        entity_type: 'Page',
        stage: 'pull',
        kind: 'fail' as const,
        message: 'broken',
        hint: null,
        created_at: 0,
      }));
      await test.db.insertInto('left_out_records').values(failures.toReversed()).execute();
      const page = await failed.list(test.db, job_id, { kind: 'fail', skip: 1, limit: 3 });
      assert.deepEqual(
        page.map((row) => row.entity_id),
        ['e1', 'e2', 'e3'],
      );
      assert.equal(await failed.count(test.db, job_id, 'fail'), 5);
      assert.equal(await failed.count(test.db, newId(), 'fail'), 0);
    });
  });
}
