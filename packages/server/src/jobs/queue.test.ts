import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { databaseTime } from '../db/clock.ts';
import { DATABASES, hasOwnClock, type TestDatabase } from '../test/databases.ts';
import {
  type ClaimedJob,
  claim,
  enqueue,
  finish,
  giveBackAll,
  heartbeat,
  LEASE_MS,
  makeDue,
  release,
  takeOverAll,
} from './queue.ts';

for (const database of DATABASES) {
  describe(`queue on ${database.name}`, () => {
    let test: TestDatabase;
    before(async () => {
      test = await database.open();
    });
    after(() => test.close());
    afterEach(() => test.db.deleteFrom('jobs').execute());

    const add = (jobId: string, lane: string) =>
      test.db.transaction().execute((tx) => enqueue(tx, 'sync.run', { data: { jobId }, lane }));
    const next = () => claim(test.db, test.kind);
    const mustClaim = async () => {
      const job = await next();
      assert.ok(job, 'nothing was claimed');
      return job;
    };
    const nameOf = (job: ClaimedJob | undefined) =>
      (job?.data as { jobId: string } | undefined)?.jobId;
    const names = async (count: number) => {
      const taken: (string | undefined)[] = [];
      for (let i = 0; i < count; i++) taken.push(nameOf(await next()));
      return taken;
    };
    const row = (job: ClaimedJob) =>
      test.db.selectFrom('jobs').selectAll().where('id', '=', job.id).executeTakeFirst();
    const change = (job: ClaimedJob, values: { lease_until?: number; run_at?: number }) =>
      test.db.updateTable('jobs').set(values).where('id', '=', job.id).execute();
    const databaseMs = async () => (await databaseTime(test.db, test.kind)).getTime();
    const stranger = (job: ClaimedJob): ClaimedJob => ({ ...job, leaseToken: 'a stranger' });

    it('returns no job when none waits', async () => assert.equal(await next(), undefined));

    it('leaves a job of a kind that only a newer version knows, and goes on with other lanes', async () => {
      await add('later', 'a');
      await test.db.updateTable('jobs').set({ name: 'sync.dream' }).execute();
      await add('behind', 'a');
      await add('mine', 'b');
      assert.deepEqual(await names(2), ['mine', undefined]);
    });

    it('returns the job as it was enqueued, with a lease of half a minute', async () => {
      const from = Date.now();
      await test.db.transaction().execute((tx) =>
        enqueue(tx, 'connection.cleanup', {
          data: { connectionId: 'c', collectionId: 'k' },
          lane: 'c',
        }),
      );
      const job = await mustClaim();
      assert.deepEqual(
        [job.name, job.data, job.attempt],
        ['connection.cleanup', { connectionId: 'c', collectionId: 'k' }, 1],
      );
      const stored = await row(job);
      assert.equal(stored?.lease_token, job.leaseToken);
      const until = stored?.lease_until ?? 0;
      assert.ok(until >= from + LEASE_MS && until <= Date.now() + LEASE_MS, String(until - from));
      assert.equal(LEASE_MS, 30_000);
      assert.equal(await next(), undefined);
    });

    it('[JOB-17] [PSH-09] runs the jobs of a lane one at a time and in order, while other lanes run too', async () => {
      await add('a1', 'a');
      await add('a2', 'a');
      await add('b1', 'b');
      await add('a3', 'a');
      const a1 = await mustClaim();
      assert.equal(nameOf(a1), 'a1');
      assert.deepEqual(await names(2), ['b1', undefined]);
      await finish(test.db, a1);
      const a2 = await mustClaim();
      assert.equal(nameOf(a2), 'a2');
      // A job that waits for its next attempt still holds its lane.
      await release(test.db, test.kind, { job: a2, afterMs: 60_000 });
      assert.equal(await next(), undefined);
      await change(a2, { run_at: Date.now() });
      assert.deepEqual(await names(2), ['a2', undefined]);
    });

    it('returns the job that has been due longest, and the older of two with the same time', async () => {
      await add('first', 'a');
      await add('second', 'b');
      await add('third', 'c');
      const dueAt = (run_at: number, lanes: string[]) =>
        test.db.updateTable('jobs').set({ run_at }).where('lane', 'in', lanes).execute();
      await dueAt(1000, ['a', 'b']);
      await dueAt(500, ['c']);
      // This update changes the physical order of the rows, which must not matter.
      await dueAt(1000, ['a']);
      assert.deepEqual(await names(3), ['third', 'first', 'second']);
    });

    it('does not claim jobs with an excluded name', async () => {
      await add('long', 'a');
      await test.db
        .transaction()
        .execute((tx) => enqueue(tx, 'sync.push', { data: { jobId: 'short' }, lane: 'b' }));
      const claimed = await claim(test.db, test.kind, {
        excluded: ['sync.run', 'maintenance.task'],
      });
      assert.equal(nameOf(claimed), 'short');
      assert.equal(await claim(test.db, test.kind, { excluded: ['sync.run'] }), undefined);
      assert.equal(nameOf(await next()), 'long');
    });

    it('does not claim jobs that are not due yet', async () => {
      await add('later', 'a');
      const soon = Date.now() + 60_000;
      await test.db.updateTable('jobs').set({ run_at: soon }).execute();
      assert.equal(await next(), undefined);
    });

    it('[JOB-23] gives a job to another worker when its lease has ended, as its next attempt', async () => {
      await add('job', 'a');
      const lost = await mustClaim();
      await change(lost, { lease_until: Date.now() + 5000 });
      assert.equal(await next(), undefined);
      await change(lost, { lease_until: Date.now() - 1 });
      const mine = await mustClaim();
      assert.deepEqual([mine.id, mine.attempt], [lost.id, 2]);
      assert.notEqual(mine.leaseToken, lost.leaseToken);
    });

    it('[JOB-23] a worker without the lease cannot renew, finish or release the job', async () => {
      await add('job', 'a');
      const job = await mustClaim();
      const before = await row(job);
      assert.equal(await heartbeat(test.db, test.kind, stranger(job)), false);
      await finish(test.db, stranger(job));
      await release(test.db, test.kind, { job: stranger(job), afterMs: 0 });
      assert.deepEqual(await row(job), before);
    });

    it('renews and finishes only the given job', async () => {
      await add('one', 'a');
      await add('other', 'b');
      const one = await mustClaim();
      const other = await mustClaim();
      const from = Date.now();
      await change(one, { lease_until: 1 });
      await change(other, { lease_until: 1 });
      assert.equal(await heartbeat(test.db, test.kind, one), true);
      assert.ok(((await row(one))?.lease_until ?? 0) >= from + LEASE_MS);
      assert.equal((await row(other))?.lease_until, 1);
      await finish(test.db, one);
      assert.equal(await row(one), undefined);
      assert.ok(await row(other));
      assert.equal(await heartbeat(test.db, test.kind, one), false);
    });

    it('gives a released job to any worker after its delay, not before', async () => {
      await add('job', 'a');
      const job = await mustClaim();
      const from = await databaseMs();
      await release(test.db, test.kind, { job, afterMs: 60_000 });
      const { lease_token, lease_until, run_at, attempts } = (await row(job)) ?? {};
      assert.deepEqual([lease_token, lease_until, attempts], [null, null, 1]);
      assert.ok(run_at && run_at >= from + 60_000 && run_at <= (await databaseMs()) + 60_000);
      assert.equal(await next(), undefined);
      await change(job, { run_at: Date.now() });
      assert.equal((await mustClaim()).attempt, 2);
    });

    it('[JOB-23] a job that waits for longer than any job may is due, because the clock was set back', async () => {
      const HOUR_MS = 3_600_000;
      await add('a', 'a');
      const runAt = async (hours: number) => {
        const run_at = (await databaseMs()) + hours * HOUR_MS;
        await test.db.updateTable('jobs').set({ run_at }).execute();
      };
      await runAt(24);
      assert.equal(await next(), undefined);
      await runAt(24 * 1000);
      assert.equal(nameOf(await next()), 'a');
    });

    it('[JOB-23] a claimed job does not wait again, even when the clock is set back', async () => {
      await add('a', 'a');
      await test.db
        .updateTable('jobs')
        .set({ run_at: Date.now() - 60_000 })
        .execute();
      await mustClaim();
      const { run_at } = await test.db
        .selectFrom('jobs')
        .select('run_at')
        .executeTakeFirstOrThrow();
      assert.equal(run_at, 0);
    });

    it('makeDue makes the waiting jobs of the given lanes due, and no others', async () => {
      for (const lane of ['a', 'b', 'c']) await add(lane, lane);
      for (let left = 3; left > 0; left--)
        await release(test.db, test.kind, { job: await mustClaim(), afterMs: 60_000 });
      // There are more lanes than one statement takes.
      const others = Array.from({ length: 500 }, (_, i) => `other ${i}`);
      await test.db.transaction().execute((tx) => makeDue(tx, ['a', ...others, 'c']));
      assert.deepEqual(await names(3), ['a', 'c', undefined]);
    });

    it('[JOB-23] an embedded start ends every lease at once, and delayed jobs keep their delay', async () => {
      await add('leased', 'a');
      await add('put off', 'b');
      const leased = await mustClaim();
      const putOff = await mustClaim();
      await release(test.db, test.kind, { job: putOff, afterMs: 60_000 });
      const before = await row(putOff);
      await takeOverAll(test.db);
      assert.equal(await heartbeat(test.db, test.kind, leased), false);
      assert.deepEqual(await names(2), ['leased', undefined]);
      assert.deepEqual(await row(putOff), before);
    });

    it('[JOB-23] jobs of a dead worker are tried again, later after each attempt, and delayed jobs do not change', async () => {
      for (const lane of ['once', 'twice', 'often', 'too often', 'put off']) await add(lane, lane);
      const tries = { once: 1, twice: 2, often: 5, 'too often': 6 };
      for (const attempts of Object.values(tries)) {
        const { id } = await mustClaim();
        await test.db.updateTable('jobs').set({ attempts }).where('id', '=', id).execute();
      }
      const putOff = await mustClaim();
      await release(test.db, test.kind, { job: putOff, afterMs: 5_000_000 });
      const later = (await row(putOff))?.run_at;
      const from = Date.now();
      await giveBackAll(test.db, test.kind);
      const rows = await test.db.selectFrom('jobs').selectAll().orderBy('seq').execute();
      assert.ok(rows.every((row) => row.lease_token === null && row.lease_until === null));
      const waits = [2000, 4000, 32_000, 60_000];
      assert.equal(rows.pop()?.run_at, later);
      for (const [i, row] of rows.entries()) {
        const at = from + (waits[i] ?? 0);
        assert.ok(row.run_at >= at && row.run_at <= at + Date.now() - from, `${row.lane}`);
      }
      assert.equal(await next(), undefined);
    });

    it('[JOB-23] a worker that slept keeps a job that nobody else has claimed, and does not claim it again', async () => {
      await add('mine', 'a');
      const mine = await mustClaim();
      await change(mine, { lease_until: (await databaseMs()) - 3_600_000 });
      assert.equal(await claim(test.db, test.kind, { running: [mine.id] }), undefined);
      assert.equal(await heartbeat(test.db, test.kind, mine), true);
      assert.equal(await next(), undefined);
      assert.equal((await row(mine))?.attempts, 1);
    });

    it('[JOB-23] a worker that slept loses a job that another worker has claimed', async () => {
      await add('job', 'a');
      const asleep = await mustClaim();
      await change(asleep, { lease_until: (await databaseMs()) - 1 });
      const taken = await mustClaim();
      assert.equal(await heartbeat(test.db, test.kind, asleep), false);
      assert.equal(await heartbeat(test.db, test.kind, taken), true);
    });

    it('[JOB-23] a lease with an impossibly late end counts as ended', async () => {
      await add('job', 'a');
      const before = await mustClaim();
      await change(before, { lease_until: (await databaseMs()) + 2 * LEASE_MS - 1 });
      assert.equal(await next(), undefined);
      await change(before, { lease_until: (await databaseMs()) + 2 * LEASE_MS + 10_000 });
      assert.equal((await mustClaim()).id, before.id);
      assert.equal(await heartbeat(test.db, test.kind, before), false);
    });

    it('[JOB-23] uses the clock of the database, and not that of the machine', async (t) => {
      await add('held', 'a');
      await add('due', 'b');
      const held = await mustClaim();
      const real = Date.now();
      for (const skew of [-3_600_000, 3_600_000]) {
        t.mock.timers.enable({ apis: ['Date'], now: real + skew });
        const claimed = await next();
        if (hasOwnClock(test)) {
          // A fast clock must not end a lease too early, and a slow clock must not delay a job that is due.
          assert.equal(nameOf(claimed), skew < 0 ? 'due' : undefined);
          const until = (await row(held))?.lease_until ?? 0;
          assert.ok(until >= real && until <= real + 2 * LEASE_MS);
        } else assert.equal(nameOf(claimed), 'held');
        t.mock.timers.reset();
      }
    });

    it('a job exists only if the transaction that enqueued it is committed', async () => {
      const broken = test.db.transaction().execute(async (tx) => {
        await enqueue(tx, 'sync.run', { data: { jobId: 'never' }, lane: 'a' });
        throw new Error('undone');
      });
      await assert.rejects(broken, /undone/);
      assert.equal(await next(), undefined);
    });

    it('[GEN-32] does not wait for a worker that claims another job', async (t) => {
      if (!hasOwnClock(test)) return t.skip('one connection writes at a time');
      await add('taken', 'a');
      await add('free', 'b');
      await test.db.transaction().execute(async (tx) => {
        assert.equal(nameOf(await claim(tx, test.kind)), 'taken');
        assert.equal(nameOf(await next()), 'free');
      });
    });

    it('[GEN-32] two workers that claim at the same time never get the same job', async () => {
      for (let i = 0; i < 12; i++) await add(`job ${i}`, `lane ${i}`);
      const taken = await Promise.all(Array.from({ length: 16 }, next));
      const got = taken.filter((job) => job !== undefined).map(({ id }) => id);
      assert.equal(new Set(got).size, got.length);
      assert.ok(got.length > 0);
    });
  });
}
