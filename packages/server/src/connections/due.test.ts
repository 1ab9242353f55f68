import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { watchRefusal } from '../db/refused-writes.ts';
import type { Tx } from '../db/schema.ts';
import { catalog } from '../sources/catalog.ts';
import { createSyncs, type Syncs } from '../syncs/service.ts';
import {
  insertCollection,
  insertConnection,
  insertOrganization,
  insertSyncJob,
} from '../test/api/rows.ts';
import { DATABASES, hasOwnClock, type TestDatabase } from '../test/databases.ts';
import { must, newId } from '../util.ts';
import { bringForward, startDue } from './due.ts';
import * as store from './store.ts';

const NOW = new Date('2026-03-04T05:06:07Z');
const DAILY = '0 3 * * *';
const NEXT = Date.parse('2026-03-05T03:00:00Z');

for (const database of DATABASES) {
  describe(`due schedules on ${database.name}`, () => {
    let test: TestDatabase;
    let owner: { id: string; organization_id: string };

    before(async () => {
      test = await database.open();
    });
    after(() => test.close());
    beforeEach(async () => {
      await test.db.deleteFrom('sync_jobs').execute();
      await test.db.deleteFrom('connections').execute();
      owner = { id: newId(), organization_id: newId() };
      await insertOrganization(test.db, owner.organization_id);
      await insertCollection(test.db, owner);
    });

    const add = (next_run_at: number | null, over: Parameters<typeof insertConnection>[2] = {}) =>
      insertConnection(test.db, owner, { cron: DAILY, next_run_at, ...over });
    const open = (): Syncs =>
      createSyncs({ db: test.db, wake: () => {}, whyRefused: watchRefusal(test.db) });
    const start = () =>
      startDue({ db: test.db, kind: test.kind, syncs: open(), sources: catalog }, NOW);
    const nextOf = async (id: string) =>
      (
        await test.db
          .selectFrom('connections')
          .select('next_run_at')
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
      ).next_run_at;
    const jobsOf = (id: string) =>
      test.db.selectFrom('sync_jobs').selectAll().where('connection_id', '=', id).execute();
    const find = async (id: string) =>
      must(
        await store.find(test.db, { organizationId: owner.organization_id, collections: null }, id),
      );

    it('[JOB-29] [JOB-33] start the connections that are due at this moment or earlier, and set their next time', async () => {
      const due = [await add(NOW.getTime()), await add(NOW.getTime() - 86_400_000 * 30)];
      const later = await add(NOW.getTime() + 1);
      const never = await add(null);
      assert.equal(await start(), 2);
      for (const id of due) {
        const jobs = await jobsOf(id);
        assert.deepEqual(
          jobs.map((job) => [job.status, job.trigger, job.created_by_email]),
          [['PENDING', 'schedule', null]],
        );
        assert.equal(await nextOf(id), NEXT);
      }
      assert.deepEqual([await nextOf(later), await nextOf(never)], [NOW.getTime() + 1, null]);
      assert.deepEqual([await jobsOf(later), await jobsOf(never)], [[], []]);
      assert.equal(await start(), 0);
    });

    it('[JOB-46] a continuous connection is pulled in full when its last full sync began full_every hours ago', async () => {
      const HOUR = 3_600_000;
      const isFull = async (
        lastFull: number,
        over: Parameters<typeof insertConnection>[2] = {},
        later: { status: 'FAILED' | 'COMPLETED'; full: boolean; at: number; ended?: number }[] = [],
      ) => {
        const continuous = { continuous: true, cursor: '7', cron: '*/5 * * * *', full_every: 24 };
        const id = await add(NOW.getTime(), { ...continuous, ...over });
        const jobs = [{ status: 'COMPLETED' as const, full: true, at: lastFull }, ...later];
        for (const { status, full, at, ended = at } of jobs)
          await insertSyncJob(test.db, { ...owner, id }, status, {
            full,
            started_at: NOW.getTime() - at,
            created_at: NOW.getTime() - at,
            completed_at: NOW.getTime() - ended,
          });
        await start();
        const [job] = (await jobsOf(id)).filter(({ trigger }) => trigger === 'schedule');
        return must(job).full;
      };
      assert.equal(await isFull(23.9 * HOUR), false);
      assert.equal(await isFull(24 * HOUR), true);
      assert.equal(await isFull(24 * HOUR, { full_every: 48 }), false);
      assert.equal(await isFull(1000 * HOUR, { full_every: null }), false);
      const incremental = { status: 'COMPLETED' as const, full: false, at: HOUR };
      assert.equal(await isFull(24 * HOUR, {}, [incremental]), true);
      const failed = (at: number, ended = at) => [
        { status: 'FAILED' as const, full: true, at, ended },
      ];
      assert.equal(await isFull(30 * HOUR, {}, failed(HOUR / 2)), false);
      assert.equal(await isFull(30 * HOUR, {}, failed(2 * HOUR)), true);
      assert.equal(await isFull(30 * HOUR, {}, failed(3 * HOUR, HOUR / 2)), false);
    });

    it('[JOB-29] come forward when they are later than their schedule says, because the clock was ahead', async () => {
      const year = 365 * 86_400_000;
      const ahead = await add(NEXT + 10 * year);
      const soon = await add(NEXT + 3_600_000 - 86_400_000);
      const [weekly, never] = [
        await add(Date.parse('2026-03-09T03:00:00Z'), { cron: '0 3 * * 1' }),
        await add(null),
      ];
      const deleted = await add(NEXT + year, { deleted_at: 1 });
      await bringForward({ db: test.db, kind: test.kind }, NOW);
      assert.equal(await nextOf(ahead), NEXT);
      assert.equal(await nextOf(soon), NEXT + 3_600_000 - 86_400_000);
      assert.equal(await nextOf(weekly), Date.parse('2026-03-09T03:00:00Z'));
      assert.deepEqual([await nextOf(never), await nextOf(deleted)], [null, NEXT + year]);
      assert.deepEqual(await jobsOf(ahead), []);
    });

    it('[JOB-29] come forward also when there are more of them than a page has', async () => {
      const yearly = Date.parse('2027-01-01T03:00:00Z');
      const right: string[] = [];
      for (let i = 0; i < 101; i++) right.push(await add(yearly, { cron: '0 3 1 1 *' }));
      const ahead = await add(yearly - 1);
      await bringForward({ db: test.db, kind: test.kind }, NOW);
      assert.equal(await nextOf(ahead), NEXT);
      for (const id of right) assert.equal(await nextOf(id), yearly);
    });

    it('[JOB-33] skip a run while a job of the connection has not ended', async () => {
      for (const status of ['PENDING', 'RUNNING', 'CANCELLING'] as const) {
        const id = await add(1);
        await insertSyncJob(test.db, { ...owner, id }, status);
        assert.equal(await start(), 0, status);
        assert.equal((await jobsOf(id)).length, 1);
        assert.equal(await nextOf(id), NEXT);
      }
    });

    it('[CON-33] skip a connection whose credentials are refused', async () => {
      const id = await add(1, { refused_at: 1 });
      assert.equal(await start(), 0);
      assert.deepEqual(await jobsOf(id), []);
      assert.equal(await nextOf(id), NEXT);
    });

    it('[AUTH-32] skip a connection without a sign-in, and one whose source is switched off', async () => {
      const waiting = [
        await add(1, { authenticated_at: null, auth_method: 'oauth_browser' }),
        await add(1, { refused_at: 1, auth_method: 'oauth_token' }),
        await add(1, { short_name: 'switched_off' }),
      ];
      assert.equal(await start(), 0);
      for (const id of waiting) assert.deepEqual([await jobsOf(id), await nextOf(id)], [[], NEXT]);
    });

    it('[CON-33] skip a connection whose credentials are refused while others are started', async () => {
      const [first, refused] = [await add(1), await add(2)];
      const real = open();
      const meanwhile: Syncs = {
        ...real,
        async start(tx, row, options) {
          await tx
            .updateTable('connections')
            .set({ refused_at: 1 })
            .where('id', '=', refused)
            .execute();
          return real.start(tx, row, options);
        },
      };
      assert.equal(
        await startDue({ db: test.db, kind: test.kind, syncs: meanwhile, sources: catalog }, NOW),
        1,
      );
      assert.deepEqual(
        [(await jobsOf(first)).length, (await jobsOf(refused)).length, await nextOf(refused)],
        [1, 0, NEXT],
      );
    });

    it('ignore deleted connections and connections in deleted collections', async () => {
      const id = await add(1, { deleted_at: 1 });
      assert.equal(await start(), 0);
      assert.deepEqual([await jobsOf(id), await nextOf(id)], [[], 1]);
      const other = await add(1);
      await test.db.updateTable('collections').set({ deleted_at: 1 }).execute();
      assert.equal(await start(), 0);
      assert.deepEqual([await jobsOf(other), await nextOf(other)], [[], 1]);
    });

    it('[JOB-33] set the next time once, even if two workers found the old time', async () => {
      const row = await find(await add(1));
      const move = () =>
        test.db
          .transaction()
          .execute((tx) => store.moveNextRun(tx, test.kind, { row, next: NEXT }));
      assert.deepEqual([(await move())?.next_run_at, await move()], [NEXT, undefined]);
    });

    it('[JOB-33] do not wait for a worker that is at the same connection', async (t) => {
      if (!hasOwnClock(test)) return t.skip('the database has one connection');
      const row = await find(await add(1));
      const move = (tx: Tx) => store.moveNextRun(tx, test.kind, { row, next: NEXT });
      await test.db.transaction().execute(async (tx) => {
        assert.ok(await move(tx));
        // Without `skip locked` this would wait for the transaction around it, and so for ever.
        assert.equal(await test.db.transaction().execute(move), undefined);
      });
      assert.equal(await nextOf(row.id), NEXT);
    });

    it('[JOB-33] skip a connection that another worker started in the meantime, and continue with the rest', async () => {
      const [first, moved, last] = [await add(1), await add(2), await add(3)];
      const real = open();
      const meanwhile: Syncs = {
        ...real,
        async start(tx, row, options) {
          if (row.id === first)
            await tx
              .updateTable('connections')
              .set({ next_run_at: NEXT + 1 })
              .where('id', '=', moved)
              .execute();
          return real.start(tx, row, options);
        },
      };
      assert.equal(
        await startDue({ db: test.db, kind: test.kind, syncs: meanwhile, sources: catalog }, NOW),
        2,
      );
      const started = [await jobsOf(first), await jobsOf(moved), await jobsOf(last)];
      assert.deepEqual(
        started.map((jobs) => jobs.length),
        [1, 0, 1],
      );
      assert.deepEqual(
        [await nextOf(first), await nextOf(moved), await nextOf(last)],
        [NEXT, NEXT + 1, NEXT],
      );
    });

    it('[JOB-29] use a schedule that was set in the meantime, even with the same next time', async () => {
      const [first, changed] = [await add(1), await add(2)];
      const real = open();
      const meanwhile: Syncs = {
        ...real,
        async start(tx, row, options) {
          await tx
            .updateTable('connections')
            .set({ cron: '0 4 * * *' })
            .where('id', '=', changed)
            .execute();
          return real.start(tx, row, options);
        },
      };
      assert.equal(
        await startDue({ db: test.db, kind: test.kind, syncs: meanwhile, sources: catalog }, NOW),
        1,
      );
      assert.equal((await jobsOf(first)).length, 1);
      assert.equal(await start(), 1);
      assert.equal((await jobsOf(changed)).length, 1);
      assert.equal(await nextOf(changed), Date.parse('2026-03-05T04:00:00Z'));
    });

    it('do not change the time of a connection that was deleted in the meantime', async () => {
      const row = await find(await add(1));
      const inTx = <T>(act: (tx: Parameters<typeof store.lock>[0]) => Promise<T>) =>
        test.db.transaction().execute(act);
      assert.equal(await inTx((tx) => store.lock(tx, row.id)), true);
      await test.db.updateTable('connections').set({ deleted_at: 1 }).execute();
      assert.equal(
        await inTx((tx) => store.moveNextRun(tx, test.kind, { row, next: NEXT })),
        undefined,
      );
      assert.equal(await inTx((tx) => store.lock(tx, row.id)), false);
      assert.equal(await inTx((tx) => store.markDeleted(tx, row.id)), undefined);
    });

    it('[CON-21] a deleted connection has no next run', async () => {
      const id = await add(NOW.getTime() + 1);
      const deleted = await test.db.transaction().execute((tx) => store.markDeleted(tx, id));
      assert.deepEqual([deleted?.id, deleted?.next_run_at], [id, null]);
      assert.equal(await nextOf(id), null);
    });

    it('start the connections that have waited longest, a hundred at most', async () => {
      const ids = [];
      for (let i = 0; i < 102; i++) ids.push(await add(1000 - i));
      const rows = await store.due(test.db, NOW.getTime());
      assert.deepEqual(
        rows.map((row) => row.id),
        ids.toReversed().slice(0, 100),
      );
    });

    it('[COL-28] count a connection as idle when all of its jobs have ended', async () => {
      const ids = [await add(null), await add(null)].toSorted();
      const idle = async () => (await store.idle(test.db, owner.id)).map((row) => row.id);
      for (const status of ['COMPLETED', 'FAILED', 'CANCELLED'] as const)
        await insertSyncJob(test.db, { ...owner, id: must(ids[0]) }, status);
      assert.deepEqual(await idle(), ids);
      for (const status of ['PENDING', 'RUNNING', 'CANCELLING'] as const) {
        const job = await insertSyncJob(test.db, { ...owner, id: must(ids[0]) }, status);
        assert.deepEqual(await idle(), ids.slice(1), status);
        await test.db.deleteFrom('sync_jobs').where('id', '=', job).execute();
      }
    });

    it('[CON-14] counts leave out a type of which no entity is left', async () => {
      const id = await add(null);
      const row = { connection_id: id, listed: 0 };
      await test.db
        .insertInto('entity_counts')
        .values([
          { ...row, entity_type: 'Post', count: 2 },
          { ...row, entity_type: 'Gone', count: 0 },
          { ...row, entity_type: 'Page', count: 1 },
        ])
        .execute();
      const counts = await store.counts(test.db, [id]);
      assert.deepEqual(
        counts.get(id)?.map((count) => [count.entity_type, count.count]),
        [
          ['Page', 1],
          ['Post', 2],
        ],
      );
      assert.deepEqual(await store.counts(test.db, []), new Map());
    });
  });
}
