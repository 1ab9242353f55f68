import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Insertable } from 'kysely';
import type { MaintenanceTaskTable, Tx } from '../db/schema.ts';
import { createExactIndex } from '../engines/index/exact.ts';
import type { ClaimedJob } from '../jobs/queue.ts';
import { Fenced } from '../syncs/jobs/fence.ts';
import { insertCollection, insertConnection, insertOrganization } from '../test/api/rows.ts';
import { claimTask, stealJob } from '../test/claimed-job.ts';
import { DATABASES, type TestDatabase } from '../test/databases.ts';
import { newId } from '../util.ts';
import { repairCounts, repairIndex } from './repair-index.ts';
import { insertRun, type TaskRow } from './run-store.ts';
import { storedCounts, storedTotals } from './store.ts';
import * as store from './task-store.ts';

for (const database of DATABASES) {
  describe(`tasks of maintenance in ${database.name}`, () => {
    let test: TestDatabase;
    let organizationId: string;
    let collectionId: string;
    let connectionId: string;
    let runId: string;

    before(async () => {
      test = await database.open();
    });
    after(() => test.close());
    beforeEach(async () => {
      const owner = { id: newId(), organization_id: newId() };
      await insertOrganization(test.db, owner.organization_id);
      await insertCollection(test.db, owner);
      organizationId = owner.organization_id;
      collectionId = owner.id;
      connectionId = await insertConnection(test.db, owner);
      runId = await addRun(collectionId);
    });

    async function addRun(of: string): Promise<string> {
      const id = newId();
      await test.db
        .insertInto('maintenance_runs')
        .values({
          id,
          collection_id: of,
          kind: 'reindex',
          created_at: 0,
          created_by_email: 'owner@localhost',
        })
        .execute();
      return id;
    }

    async function add(changes: Partial<Insertable<MaintenanceTaskTable>> = {}): Promise<string> {
      const id = newId();
      await test.db
        .insertInto('maintenance_tasks')
        .values({
          id,
          run_id: runId,
          connection_id: connectionId,
          kind: 'reindex',
          status: 'PENDING',
          total: 10,
          done: 0,
          rewritten: 0,
          failed: 0,
          suspects: '[]',
          findings: '[]',
          ...changes,
        })
        .execute();
      return id;
    }

    const row = (id: string): Promise<TaskRow> =>
      test.db
        .selectFrom('maintenance_tasks')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
    const running = { status: 'RUNNING' } as const;
    const inTx = <T>(act: (tx: Tx) => Promise<T>) => test.db.transaction().execute(act);

    it('start when they have not ended, and keep the time of their first start', async () => {
      const id = await add();
      const other = await add();
      const first = await store.start(test.db, id);
      assert.deepEqual([first?.id, first?.status], [id, 'RUNNING']);
      assert.ok(first?.started_at);
      await test.db
        .updateTable('maintenance_tasks')
        .set({ started_at: 5 })
        .where('id', '=', id)
        .execute();
      const second = await store.start(test.db, id);
      assert.deepEqual([second?.status, second?.started_at], ['RUNNING', 5]);
      assert.equal((await row(other)).status, 'PENDING');
      for (const status of ['COMPLETED', 'FAILED'] as const) {
        const ended = await add({ status });
        assert.equal(await store.start(test.db, ended), undefined);
        assert.deepEqual(
          [(await row(ended)).status, (await row(ended)).started_at],
          [status, null],
        );
      }
    });

    it('have their connection as scope until it is deleted', async () => {
      await insertConnection(test.db, { id: collectionId, organization_id: organizationId });
      const task = await row(await add());
      assert.deepEqual(await store.scopeOf(test.db, task), { collectionId, connectionId });
      await test.db
        .updateTable('connections')
        .set({ deleted_at: 1 })
        .where('id', '=', connectionId)
        .execute();
      assert.equal(await store.scopeOf(test.db, task), undefined);
    });

    it('have the collection of their run as scope until it is deleted', async () => {
      const other = { id: newId(), organization_id: organizationId };
      await insertCollection(test.db, other);
      await addRun(other.id);
      const task = await row(await add({ connection_id: null, kind: 'index' }));
      assert.deepEqual(await store.scopeOf(test.db, task), { collectionId, connectionId: null });
      await test.db
        .updateTable('collections')
        .set({ deleted_at: 1 })
        .where('id', '=', collectionId)
        .execute();
      assert.equal(await store.scopeOf(test.db, task), undefined);
    });

    it('store their progress while they run', async () => {
      const id = await add(running);
      const other = await add(running);
      await inTx((tx) => store.progress(tx, id, { done: 4 }));
      assert.deepEqual([(await row(id)).done, (await row(other)).done], [4, 0]);
      const ended = await add({ status: 'FAILED' });
      await inTx((tx) => store.progress(tx, ended, { done: 9 }));
      assert.equal((await row(ended)).done, 0);
    });

    it('end with their findings, and with a total that equals the work done', async () => {
      const id = await add({ ...running, done: 12 });
      const other = await add(running);
      const findings = [{ kind: 'missing_here', count: 1, examples: ['a'] }];
      await inTx((tx) => store.end(tx, id, { findings }));
      const ended = await row(id);
      assert.deepEqual(
        [ended.status, ended.error, ended.findings, ended.total],
        ['COMPLETED', null, findings, 12],
      );
      assert.ok(ended.ended_at);
      assert.equal((await row(other)).status, 'RUNNING');
    });

    it('end with an error when they fail, and keep their total', async () => {
      const id = await add({ ...running, done: 3 });
      await inTx((tx) => store.end(tx, id, { error: 'it broke' }));
      const ended = await row(id);
      assert.deepEqual([ended.status, ended.error, ended.total], ['FAILED', 'it broke', 10]);
      await inTx((tx) => store.end(tx, id));
      assert.deepEqual(await row(id), ended, 'a task ends once');
    });

    it('add the differences to totals and counters only for the holder of the lease', async () => {
      const index = createExactIndex({ kind: test.kind, dimensions: 2 });
      await test.db.transaction().execute((tx) => index.create(tx, collectionId));
      const wrong = { count: 5, listed: 5 };
      await test.db
        .insertInto('entity_counts')
        .values({ connection_id: connectionId, entity_type: 'Note', ...wrong })
        .execute();
      await test.db
        .updateTable('indexes')
        .set({ chunks: 7, terms: 70 })
        .where('collection_id', '=', collectionId)
        .execute();
      const stored = async () => {
        const [counts] = await storedCounts(test.db, connectionId);
        const totals = await storedTotals(test.db, collectionId);
        return [counts?.count, counts?.listed, totals?.chunks, totals?.terms];
      };
      const repair = async (claim: ClaimedJob) => {
        const { signal } = new AbortController();
        const fence = { kind: test.kind, claim };
        const done = await Promise.allSettled([
          repairCounts(test, {
            scope: { collectionId, connectionId },
            fence: { ...fence, connectionId },
            signal,
          }),
          repairIndex(
            { ...test, index },
            { collectionId, fence: { ...fence, connectionId: null }, signal },
          ),
        ]);
        return done.map((one) => (one.status === 'rejected' ? one.reason.name : 'repaired'));
      };
      const late = await claimTask(test.db, test.kind, await add(running));
      const claim = await stealJob(test.db, late);
      assert.deepEqual(await repair(late), [Fenced.name, Fenced.name]);
      assert.deepEqual(await stored(), [5, 5, 7, 70]);
      assert.deepEqual(await repair(claim), ['repaired', 'repaired']);
      assert.deepEqual(await stored(), [0, 0, 0, 0]);
    });

    it('may be more of one run than a single statement can insert', async () => {
      const by = { kind: 'reindex' as const, created_at: 0, created_by_email: 'owner@localhost' };
      const run = { id: newId(), collection_id: collectionId, ...by };
      const tasks = Array.from({ length: 6000 }, () => ({
        kind: 'reindex' as const,
        connection_id: connectionId,
        total: 1,
        suspects: [],
      }));
      const made = await test.db.transaction().execute((tx) => insertRun(tx, run, tasks));
      assert.equal(new Set(made.map(({ id }) => id)).size, tasks.length);
    });

    it('are removed one by one', async () => {
      const id = await add();
      const other = await add();
      await store.remove(test.db, id);
      const left = await test.db
        .selectFrom('maintenance_tasks')
        .select('id')
        .where('run_id', '=', runId)
        .execute();
      assert.deepEqual(
        left.map(({ id }) => id),
        [other],
      );
    });
  });
}
