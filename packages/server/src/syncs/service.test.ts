import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Ctx } from '../context.ts';
import { watchRefusal } from '../db/refused-writes.ts';
import type { SyncConfig } from '../db/schema.ts';
import type { SyncStatus } from '../model/sync-status.ts';
import {
  insertCollection,
  insertConnection,
  insertOrganization,
  insertSyncJob,
} from '../test/api/rows.ts';
import { DATABASES, type TestDatabase } from '../test/databases.ts';
import { contextOf } from '../test/identity.ts';
import { newId } from '../util.ts';
import { connectionOf } from './pipeline/run-store.ts';
import { createSyncs, type StartOptions, type Syncs } from './service.ts';

const CONFIG = (vectors: boolean, metadata: boolean): SyncConfig => ({
  handlers: { enable_vector_handlers: vectors, enable_metadata_handlers: metadata },
});
const TODAY = CONFIG(true, false);
const PAGE = { skip: 0, limit: 100 };

for (const database of DATABASES) {
  describe(`sync jobs on ${database.name}`, () => {
    let test: TestDatabase;
    let syncs: Syncs;
    let owner: { id: string; organization_id: string };
    let ctx: Ctx;

    before(async () => {
      test = await database.open();
      syncs = createSyncs({ db: test.db, wake: () => {}, whyRefused: watchRefusal(test.db) });
    });
    after(() => test.close());
    beforeEach(async () => {
      owner = { id: newId(), organization_id: newId() };
      ctx = contextOf(owner.organization_id, {
        account: { id: newId(), email: 'who@example.com' },
      });
      await insertOrganization(test.db, owner.organization_id);
      await insertCollection(test.db, owner, { sync_config: JSON.stringify(TODAY) });
    });

    const connect = (over: Parameters<typeof insertConnection>[2] = {}) =>
      insertConnection(test.db, owner, { continuous: true, cursor: '7', ...over });
    const add = (
      connectionId: string,
      status: SyncStatus,
      over: Parameters<typeof insertSyncJob>[3] = {},
    ) => insertSyncJob(test.db, { ...owner, id: connectionId }, status, over);
    /** Starts a job, and tells whether it is full and which configuration it has. */
    async function start(connectionId: string, options: Partial<StartOptions> = {}) {
      const row = await connectionOf(test.db, connectionId);
      const given = { trigger: 'manual', email: null, ...options } as const;
      const { id } = await test.db.transaction().execute((tx) => syncs.start(tx, row, given));
      const { sync_config, sync_metadata } = await syncs.get(ctx, id);
      return { full: sync_metadata.full, config: sync_config };
    }

    it('[COL-13] [JOB-35] an incremental job uses the configuration of the last full sync', async () => {
      const before = CONFIG(false, true);
      const id = await connect();
      const full = { full: true, sync_config: JSON.stringify(before) };
      await add(id, 'COMPLETED', full);
      assert.deepEqual(await start(id), { full: false, config: before });
      assert.deepEqual(await start(id, { trigger: 'reprocess' }), { full: false, config: before });
      assert.deepEqual(await start(id, { force: true }), { full: true, config: TODAY });

      const begins = await connect({ cursor: null });
      await add(begins, 'COMPLETED', full);
      assert.deepEqual(await start(begins), { full: true, config: TODAY });
      const whole = await connect({ continuous: false });
      await add(whole, 'COMPLETED', full);
      assert.deepEqual(await start(whole), { full: true, config: TODAY });
    });

    it('[COL-13] a full sync without a configuration had all handlers, so the following incremental syncs have all handlers', async () => {
      const id = await connect();
      await add(id, 'COMPLETED', { full: true, sync_config: null });
      assert.deepEqual(await start(id), { full: false, config: null });
      assert.deepEqual(await start(await connect()), { full: false, config: TODAY });
    });

    it('[JOB-16] [JOB-19] [CON-29] an unfinished job is cancelled, and stores who asked first', async () => {
      const asked = { PENDING: 'cancelled', RUNNING: 'cancelling' } as const;
      for (const status of ['PENDING', 'RUNNING'] as const) {
        const job = await add(await connect(), status, { modified_by_email: 'before@example.com' });
        const detail = await syncs.cancel(ctx, job);
        assert.deepEqual(
          [detail.id, detail.status, detail.modified_by_email],
          [job, asked[status], 'who@example.com'],
        );
      }
      const id = await connect();
      const job = await add(id, 'CANCELLING', { modified_by_email: 'before@example.com' });
      const { modified_at } = await syncs.get(ctx, job);
      const again = await syncs.cancel(ctx, job);
      assert.deepEqual(
        [again.status, again.modified_by_email, again.modified_at],
        ['cancelling', 'before@example.com', modified_at],
      );
      assert.equal((await syncs.cancelOfConnection(ctx, id, job)).status, 'CANCELLING');
    });

    it('[JOB-19] a job that has ended cannot be cancelled', async () => {
      const id = await connect();
      for (const status of ['COMPLETED', 'FAILED', 'CANCELLED'] as const) {
        const job = await add(id, status);
        const ended = { status: 409, message: new RegExp(`\\(${status}\\)`) };
        await assert.rejects(syncs.cancel(ctx, job), ended);
        await assert.rejects(syncs.cancelOfConnection(ctx, id, job), ended);
      }
    });

    it('[CON-29] a job can be cancelled only through its own connection', async () => {
      const id = await connect();
      const job = await add(await connect(), 'RUNNING');
      const missing = { status: 404, message: new RegExp(job) };
      await assert.rejects(syncs.cancelOfConnection(ctx, id, job), missing);
      await assert.rejects(syncs.failures(id, job, PAGE), missing);
      await assert.rejects(syncs.jobOfConnection(id, job), missing);
      assert.equal((await syncs.get(ctx, job)).status, 'in_progress');
    });

    it('[JOB-22] failures are shown with all their fields, in the order in which they occurred', async () => {
      const id = await connect();
      const [job, other] = [await add(id, 'COMPLETED'), await add(id, 'COMPLETED')];
      const failure = (job_id: string, n: number) => ({
        id: newId(),
        job_id,
        entity_id: `entity ${n}`,
        entity_type: `Type${n}`,
        kind: 'fail' as const,
        stage: `stage ${n}`,
        message: `message ${n}`,
        hint: n === 1 ? null : `hint ${n}`,
        created_at: n * 1000,
      });
      const rows = [1, 2, 3, 4].map((n) => failure(job, n));
      await test.db
        .insertInto('left_out_records')
        .values([failure(other, 9), ...rows.toReversed()])
        .execute();
      const shown = rows.map(({ id: _, job_id: __, kind: ___, created_at, ...row }) => ({
        ...row,
        created_at: new Date(created_at).toISOString(),
      }));
      assert.deepEqual(await syncs.failures(id, job, PAGE), { total: 4, rows: shown });
      assert.deepEqual(await syncs.failures(id, job, { skip: 1, limit: 2 }), {
        total: 4,
        rows: shown.slice(1, 3),
      });
    });

    it('[CON-28] [JOB-12] jobs are listed in pages, newest first, each once', async () => {
      const [id, other] = [await connect(), await connect()];
      const ids: string[] = [];
      for (let i = 0; i < 5; i++) ids.unshift(await add(id, 'COMPLETED', { created_at: 9 - i }));
      const newest = await add(other, 'COMPLETED');
      const seen = async (page: typeof PAGE) => {
        const [mine, all] = await Promise.all([
          syncs.ofConnection(ctx, id, page),
          syncs.list(ctx, { ...page, statuses: [] }),
        ]);
        return [mine, all].map(({ total, rows }) => [total, rows.map((job) => job.id)]);
      };
      const everything = [newest, ...ids];
      assert.deepEqual(await seen(PAGE), [
        [5, ids],
        [6, everything],
      ]);
      assert.deepEqual(await seen({ skip: 3, limit: 2 }), [
        [5, ids.slice(3)],
        [6, everything.slice(3, 5)],
      ]);
      const newestOf = await syncs.newest(ctx, [id, other, await connect()]);
      assert.deepEqual(
        [...newestOf].map(([connection, job]) => [connection, job.id]).toSorted(),
        [
          [id, ids[0]],
          [other, newest],
        ].toSorted(),
      );
    });

    it('[JOB-13] jobs are found by each name of their status', async () => {
      const words: Record<string, SyncStatus> = {
        pending: 'PENDING',
        in_progress: 'RUNNING',
        completed: 'COMPLETED',
        failed: 'FAILED',
        cancelling: 'CANCELLING',
        cancelled: 'CANCELLED',
      };
      for (const [word, status] of Object.entries(words)) {
        const job = await add(await connect(), status);
        const statuses = [word as 'pending'];
        const { total, rows } = await syncs.list(ctx, { ...PAGE, statuses });
        assert.deepEqual([total, rows.map((row) => [row.id, row.status])], [1, [[job, word]]]);
      }
      assert.deepEqual(await syncs.list(ctx, { ...PAGE, statuses: ['created'] }), {
        total: 0,
        rows: [],
      });
    });

    it('[KEY-13] [CON-21] jobs of other organizations and of deleted connections are not shown', async () => {
      const id = await connect();
      const job = await add(id, 'RUNNING');
      const stranger = { ...ctx, organization: { ...ctx.organization, id: newId() } };
      const missing = { status: 404 };
      await assert.rejects(syncs.get(stranger, job), missing);
      await assert.rejects(syncs.cancel(stranger, job), missing);
      assert.deepEqual(await syncs.list(stranger, { ...PAGE, statuses: [] }), {
        total: 0,
        rows: [],
      });
      await test.db
        .updateTable('connections')
        .set({ deleted_at: 1 })
        .where('id', '=', id)
        .execute();
      await assert.rejects(syncs.get(ctx, job), missing);
      await assert.rejects(syncs.cancel(ctx, job), missing);
      assert.equal((await syncs.list(ctx, { ...PAGE, statuses: [] })).total, 0);
    });
  });
}
