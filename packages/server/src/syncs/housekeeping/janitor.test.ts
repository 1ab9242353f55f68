import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { SyncStatus } from '../../model/sync-status.ts';
import { insertConnection, insertOrganization, insertSyncJob } from '../../test/api/rows.ts';
import { DATABASES, hasOwnClock, type TestDatabase } from '../../test/databases.ts';
import { must, newId } from '../../util.ts';
import * as list from '../jobs/list-store.ts';
import { createJanitor } from './janitor.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

for (const database of DATABASES) {
  describe(`janitor on ${database.name}`, () => {
    let test: TestDatabase;
    let owner: { id: string; organization_id: string };
    /** The time at which the current test began: a file may be loaded long before its tests run. */
    let now: number;

    before(async () => {
      test = await database.open();
    });
    after(() => test.close());
    beforeEach(async () => {
      now = Date.now();
      for (const table of [
        'sync_jobs',
        'left_out_records',
        'job_partitions',
        'pushes',
        'gone',
        'connections',
      ] as const)
        await test.db.deleteFrom(table).execute();
      owner = { id: newId(), organization_id: newId() };
      await insertOrganization(test.db, owner.organization_id);
    });

    const create = () =>
      createJanitor({ db: test.db, kind: test.kind, historyDays: 90, goneKeptMs: HOUR });
    const clean = () => create().work(() => true);
    const connect = async () => ({
      id: await insertConnection(test.db, owner),
      organization_id: owner.organization_id,
    });
    type Connection = Awaited<ReturnType<typeof connect>>;
    /** Adds a job that ended `ago` milliseconds before the test began. Ids are in the order in which jobs are added. */
    const add = (
      connection: Connection,
      ago: number,
      status: SyncStatus = 'COMPLETED',
      full = false,
    ) => insertSyncJob(test.db, connection, status, { full, completed_at: now - ago });
    const left = async ({ id }: Connection) => {
      const rows = await test.db
        .selectFrom('sync_jobs')
        .select('id')
        .where('connection_id', '=', id)
        .orderBy('id')
        .execute();
      return rows.map((row) => row.id);
    };
    /** Adds this many copies of the job, which ended before it. */
    async function addCopies(jobId: string, count: number): Promise<void> {
      const row = await test.db
        .selectFrom('sync_jobs')
        .selectAll()
        .where('id', '=', jobId)
        .executeTakeFirstOrThrow();
      const { completed_at } = row;
      const copies = Array.from({ length: count }, (_, i) => ({
        ...row,
        id: `${jobId.slice(0, -12)}${i.toString(16).padStart(12, '0')}`,
        encountered: '{}',
        by_type: null,
        left_out: '{}',
        completed_at: must(completed_at) - count + i,
        sync_config: null,
        error_details: null,
        bookmark: null,
        settled: null,
        skipped_by_reason: '{}',
        secret_examples: '[]',
      }));
      for (let at = 0; at < count; at += 100)
        await test.db
          .insertInto('sync_jobs')
          .values(copies.slice(at, at + 100))
          .execute();
    }
    const fail = (job_id: string, count: number) =>
      test.db
        .insertInto('left_out_records')
        .values(
          Array.from({ length: count }, (_, i) => ({
            id: newId(),
            job_id,
            entity_id: `e${i}`,
            entity_type: 'Page',
            stage: 'pull',
            kind: 'fail' as const,
            message: 'broken',
            hint: null,
            created_at: 0,
          })),
        )
        .execute();
    const ownersOf = async (table: 'left_out_records' | 'pushes' | 'job_partitions') => {
      const rows = await test.db.selectFrom(table).select('job_id').distinct().execute();
      return rows.map((row) => row.job_id);
    };

    it('removes jobs that ended before the days of history, with their dependent rows', async () => {
      const connection = await connect();
      const old = await add(connection, 90 * DAY + HOUR, 'FAILED');
      const kept = await add(connection, 90 * DAY - HOUR, 'FAILED');
      const newest = await add(connection, HOUR);
      for (const id of [old, kept]) {
        await fail(id, 3);
        await test.db
          .insertInto('pushes')
          .values({ job_id: id, body: new Uint8Array([1]) })
          .execute();
        await test.db
          .insertInto('job_partitions')
          .values({ job_id: id, partition: 'a', is_listed: true, lost: false })
          .execute();
      }
      await clean();
      assert.deepEqual(await left(connection), [kept, newest]);
      for (const table of ['left_out_records', 'pushes', 'job_partitions'] as const)
        assert.deepEqual(await ownersOf(table), [kept], table);
    });

    it('[COL-11] [JOB-44] keeps the newest job and the last completed full sync, whatever their age', async () => {
      const connection = await connect();
      await add(connection, 400 * DAY, 'COMPLETED', true);
      const full = await add(connection, 300 * DAY, 'COMPLETED', true);
      await add(connection, 250 * DAY, 'FAILED', true);
      const held = await add(connection, 200 * DAY, 'COMPLETED', false);
      const other = await connect();
      const cancelled = await add(other, 500 * DAY, 'CANCELLED');
      await clean();
      assert.deepEqual(await left(connection), [full, held]);
      assert.deepEqual(await left(other), [cancelled]);
    });

    it('never removes a job that has not ended', async () => {
      const connection = await connect();
      const live: string[] = [];
      for (const status of ['PENDING', 'RUNNING'] as const)
        live.push(
          await insertSyncJob(test.db, connection, status, { created_at: 1, started_at: 1 }),
        );
      await add(connection, 100 * DAY);
      const newest = await add(connection, HOUR);
      await clean();
      assert.deepEqual(await left(connection), [...live, newest]);
    });

    it('keeps the newest 1,000 ended jobs of each connection, and all that ended within the hour', async () => {
      const [crowded, busy] = [await connect(), await connect()];
      const last = await add(crowded, 2 * HOUR);
      await addCopies(last, 1601);
      const running = await insertSyncJob(test.db, crowded, 'RUNNING');
      await addCopies(await add(busy, HOUR / 2), 1200);
      await clean();
      const rest = await left(crowded);
      assert.equal(rest.length, 1001);
      assert.deepEqual([rest.at(-2), rest.at(-1)], [last, running]);
      assert.equal((await left(busy)).length, 1201);
    });

    it('the total of a list of jobs stays exact after jobs are removed', async () => {
      const connection = await connect();
      const totals = async (statuses: readonly ('completed' | 'failed' | 'cancelled')[]) => {
        const page = { skip: 0, limit: 10, statuses };
        const reach = { organizationId: owner.organization_id, collections: null };
        return (await list.ofOrganization(test.db, reach, page)).total;
      };
      const ids = [
        await add(connection, 100 * DAY),
        await add(connection, 2 * HOUR, 'FAILED'),
        await add(connection, HOUR),
      ];
      assert.deepEqual([await totals([]), await totals(['failed', 'completed'])], [3, 3]);
      await test.db
        .updateTable('sync_jobs')
        .set({ status: 'CANCELLED' })
        .where('id', 'in', ids.slice(0, 2))
        .execute();
      assert.deepEqual([await totals(['failed']), await totals(['cancelled'])], [0, 2]);
      await clean();
      assert.deepEqual([await totals([]), await totals(['cancelled'])], [2, 1]);
      const page = { skip: 0, limit: 1 };
      assert.equal((await list.ofConnection(test.db, connection.id, page)).total, 2);
    });

    it('removes old rows of gone chunks, which no reader of the index needs any more', async () => {
      const collection_id = newId();
      const gone = (at: number) => ({ collection_id, n: 1, at });
      await test.db
        .insertInto('gone')
        .values([...Array.from({ length: 501 }, () => gone(now - 2 * HOUR)), gone(now)])
        .execute();
      await clean();
      const rows = await test.db.selectFrom('gone').select('at').execute();
      assert.deepEqual(
        rows.map(({ at }) => at),
        [now],
      );
    });

    it('removes all of many jobs that ended at the same moment', async () => {
      const connection = await connect();
      const old = await add(connection, 100 * DAY);
      await addCopies(old, 600);
      await test.db
        .updateTable('sync_jobs')
        .set({ completed_at: now - 100 * DAY })
        .execute();
      const newest = await add(connection, HOUR);
      await clean();
      assert.deepEqual(await left(connection), [newest]);
    });

    it('removes the dependent rows of a job that was deleted with its connection', async () => {
      const kept = await add(await connect(), HOUR);
      const owners = [kept, ...Array.from({ length: 501 }, () => newId())];
      for (let at = 0; at < owners.length; at += 100) {
        const some = owners.slice(at, at + 100);
        await test.db
          .insertInto('pushes')
          .values(some.map((job_id) => ({ job_id, body: new Uint8Array([1]) })))
          .execute();
        await test.db
          .insertInto('job_partitions')
          .values(some.map((job_id) => ({ job_id, partition: 'a', is_listed: true, lost: false })))
          .execute();
      }
      await clean();
      for (const table of ['pushes', 'job_partitions'] as const)
        assert.deepEqual(await ownersOf(table), [kept], table);
    });

    it('uses the clock of the database, and not that of the machine', async (t) => {
      const connection = await connect();
      const old = await add(connection, 2 * DAY);
      const newest = await add(connection, HOUR);
      t.mock.timers.enable({ apis: ['Date'], now: now + 89 * DAY });
      await clean();
      assert.deepEqual(await left(connection), hasOwnClock(test) ? [old, newest] : [newest]);
    });

    it('looks again after an hour, but not before', async (t) => {
      const connection = await connect();
      const janitor = create();
      let now = 0;
      t.mock.method(performance, 'now', () => now);
      await janitor.work(() => true);
      await add(connection, 100 * DAY);
      const newest = await add(connection, HOUR);
      now = HOUR - 1;
      await janitor.work(() => true);
      assert.equal((await left(connection)).length, 2);
      now = HOUR;
      await janitor.work(() => true);
      assert.deepEqual(await left(connection), [newest]);
    });

    it('takes only one step when other work waits, continues later, and then rests', async () => {
      const connection = await connect();
      const old = await add(connection, 100 * DAY);
      await fail(old, 600);
      const parts = Array.from({ length: 600 }, (_, i) => ({
        job_id: old,
        partition: `p${i}`,
        is_listed: true,
        lost: false,
      }));
      for (const some of [parts.slice(0, 300), parts.slice(300)])
        await test.db.insertInto('job_partitions').values(some).execute();
      await test.db
        .insertInto('pushes')
        .values({ job_id: old, body: new Uint8Array([1]) })
        .execute();
      const newest = await add(connection, HOUR);
      const janitor = create();
      const seen: number[] = [];
      for (let i = 0; i < 20; i++) {
        await janitor.work(() => false);
        const { count } = await test.db
          .selectFrom('left_out_records')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow();
        seen.push(Number(count));
        const jobs = await left(connection);
        for (const table of ['left_out_records', 'pushes', 'job_partitions'] as const)
          for (const id of await ownersOf(table))
            assert.ok(jobs.includes(id), `${table} of a job that does not exist`);
      }
      assert.deepEqual([...new Set(seen)], [600, 100, 0]);
      assert.deepEqual(await left(connection), [newest]);
      await add(connection, 100 * DAY);
      await add(connection, HOUR);
      await janitor.work(() => true);
      assert.equal((await left(connection)).length, 3, 'it does not look again within the hour');
    });

    it('[GEN-32] may run several times at once', async () => {
      const connection = await connect();
      const old = await add(connection, 100 * DAY);
      await fail(old, 600);
      await addCopies(old, 300);
      const newest = await add(connection, HOUR);
      await Promise.all([clean(), clean(), clean()]);
      assert.deepEqual(await left(connection), [newest]);
      assert.deepEqual(await ownersOf('left_out_records'), []);
    });

    it('[MEM-01] [MEM-05] [MEM-08] removes ended sessions, invitations and failed sign-ins, and no others', async () => {
      const minute = 60_000;
      const id = (n: number) => `id-${n}`;
      const session = (n: number, begun: number, used: number) => ({
        ...{ id: id(n), user_id: 'u', hash: id(n), address: '127.0.0.1', user_agent: null },
        ...{ created_at: now - begun, last_used_at: now - used },
      });
      await test.db
        .insertInto('sessions')
        .values([
          session(1, 29 * DAY, 11 * HOUR),
          session(2, 31 * DAY, HOUR),
          session(3, DAY, 13 * HOUR),
        ])
        .execute();
      const invitation = (n: number, ends: number) => ({
        ...{
          id: id(n),
          organization_id: owner.organization_id,
          email: id(n),
          role: 'read' as const,
        },
        ...{ hash: id(n), invited_by: null, created_at: 0, expires_at: now + ends },
      });
      await test.db
        .insertInto('invitations')
        .values([
          invitation(1, HOUR),
          ...Array.from({ length: 600 }, (_, i) => invitation(i + 2, -1)),
        ])
        .execute();
      const failure = (n: number, ago: number) => ({ id: id(n), subject: 's', at: now - ago });
      await test.db
        .insertInto('sign_in_failures')
        .values([failure(1, 14 * minute), failure(2, 16 * minute)])
        .execute();
      await clean();
      for (const table of ['sessions', 'invitations', 'sign_in_failures'] as const) {
        const rows = await test.db.selectFrom(table).select('id').execute();
        assert.deepEqual(
          rows.map((row) => row.id),
          [id(1)],
          table,
        );
      }
    });

    it('logs an error, and looks again an hour later', async () => {
      await test.db.schema.alterTable('gone').renameTo('gone_away').execute();
      const janitor = create();
      await assert.rejects(
        janitor.work(() => true),
        /gone/,
      );
      await janitor.work(() => true);
      await test.db.schema.alterTable('gone_away').renameTo('gone').execute();
    });
  });
}
