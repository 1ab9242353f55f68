import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { insertCollection, insertConnection, insertOrganization } from '../../test/api/rows.ts';
import { DATABASES, type TestDatabase } from '../../test/databases.ts';
import { contextOf } from '../../test/identity.ts';
import { until } from '../../test/until.ts';
import { newId } from '../../util.ts';
import { connectionOf } from '../pipeline/run-store.ts';
import type { SourceConnectionJob } from '../schema.ts';
import { createPushCommits, type PackedPush, type PushCommits } from './commits.ts';
import type { PushedConnection } from './start.ts';

for (const database of DATABASES)
  describe(`commits of pushes on ${database.name}`, () => {
    let test: TestDatabase;
    let organization: string;
    let collection: { id: string; organization_id: string };
    let connection: PushedConnection;
    let commits: PushCommits;
    /** This is the number of transactions that have begun. */
    let begun: number;

    before(async () => {
      test = await database.open();
    });
    after(() => test.close());
    beforeEach(async (t) => {
      organization = await insertOrganization(test.db);
      collection = { id: newId(), organization_id: organization };
      await insertCollection(test.db, collection);
      connection = await connect();
      commits = createPushCommits(test.db, test.kind);
      begun = 0;
      const { transaction } = test.db;
      assert.ok('mock' in t);
      t.mock.method(test.db, 'transaction', () => {
        begun++;
        return transaction.call(test.db);
      });
    });

    async function connect(): Promise<PushedConnection> {
      const id = await insertConnection(test.db, collection, { short_name: 'push' });
      return connectionOf(test.db, id);
    }
    const packedOf = (bytes = 1, digest = 'one'): PackedPush => ({
      body: new Uint8Array(bytes),
      file: null,
      digest,
    });
    interface TestedPush {
      to?: PushedConnection;
      key?: string;
      caller?: ReturnType<typeof contextOf>;
      packed?: PackedPush | Promise<PackedPush>;
    }
    const store = ({ to = connection, key, caller, packed = packedOf() }: TestedPush = {}) =>
      commits.store(
        {
          connection: to,
          caller: caller ?? contextOf(organization),
          cause: { requestId: 'a-request', trace: null },
          key: key ?? null,
        },
        Promise.resolve(packed),
      );
    const several = (count: number, push: TestedPush = {}) =>
      Promise.all(Array.from({ length: count }, () => store(push)));
    const jobs = async (of = connection) =>
      (
        await test.db
          .selectFrom('sync_jobs')
          .select('id')
          .where('connection_id', '=', of.id)
          .orderBy('id')
          .execute()
      ).map(({ id }) => id);
    const idsOf = (stored: readonly SourceConnectionJob[]) => stored.map(({ id }) => id);

    it('[PSH-06] pushes that come while one is committed are stored together, each with its job, body, entry and event', async () => {
      const first = store();
      await until(() => begun === 1);
      const stored = await Promise.all([first, ...Array.from({ length: 20 }, () => store())]);
      assert.equal(begun, 2);
      assert.deepEqual(await jobs(), idsOf(stored));
      const count = async (table: 'pushes' | 'jobs' | 'events') => {
        const rows = await test.db.selectFrom(table).selectAll().execute();
        const text = JSON.stringify(rows);
        return idsOf(stored).filter((id) => text.includes(id)).length;
      };
      assert.deepEqual(
        [await count('pushes'), await count('jobs'), await count('events')],
        [21, 21, 21],
      );
      const { total_runs } = await connectionOf(test.db, connection.id);
      assert.equal(total_runs, 21);
    });

    it('one transaction has at most 32 pushes and 4 MiB', async () => {
      await several(33);
      assert.equal(begun, 2);
      begun = 0;
      const large = packedOf(3 * 1024 * 1024);
      await several(3, { packed: large });
      assert.equal(begun, 3);
    });

    it('a transaction of SQLite has pushes of all connections, one of PostgreSQL those of one', async () => {
      const others = await Promise.all(Array.from({ length: 3 }, connect));
      await Promise.all(others.map((to) => several(2, { to })));
      assert.equal(begun, test.kind === 'sqlite' ? 1 : 3);
      for (const to of others) assert.equal((await jobs(to)).length, 2);
    });

    it('pushes of a connection are stored in the order in which they came, and not in that in which they were packed', async () => {
      const packed = Promise.withResolvers<PackedPush>();
      const first = store({ packed: packed.promise });
      const second = store();
      const other = await connect();
      await store({ to: other });
      assert.deepEqual(await jobs(), []);
      packed.resolve(packedOf());
      const stored = await Promise.all([first, second]);
      assert.deepEqual(await jobs(), idsOf(stored));
    });

    it('a push that cannot be read is refused, and those after it are stored', async () => {
      const refused = store({ packed: Promise.reject(new Error('not JSON')) });
      const next = store();
      await assert.rejects(refused, /not JSON/);
      const { id } = await next;
      assert.deepEqual(await jobs(), [id]);
    });

    it('[CON-18] [PSH-15] those whose connection is deleted, whose key was revoked or whose Idempotency-Key is used are refused alone', async () => {
      const deleted = await connect();
      const revoked = contextOf(organization, {
        key: { id: newId(), name: 'revoked', hash: 'gone' },
      });
      const packed = Promise.withResolvers<PackedPush>();
      const first = store({ key: 'a', packed: packed.promise });
      const again = store({ key: 'a' });
      const reused = store({ key: 'a', packed: packedOf(1, 'two') });
      const withoutKey = store({ caller: revoked });
      const gone = store({ to: deleted, packed: packed.promise });
      const last = store();
      await test.db
        .updateTable('connections')
        .set({ deleted_at: 1 })
        .where('id', '=', deleted.id)
        .execute();
      packed.resolve(packedOf());
      const refusals = await Promise.allSettled([reused, withoutKey, gone]);
      assert.deepEqual(
        refusals.map((one) => (one as PromiseRejectedResult).reason?.status),
        [422, 401, 404],
      );
      const [a, b, c] = idsOf(await Promise.all([first, again, last]));
      assert.equal(a, b);
      assert.deepEqual(await jobs(), [a, c]);
      assert.deepEqual((await store({ key: 'a' })).id, a);
    });

    it('one that makes its transaction fail does not make the others fail', async () => {
      const broken = { ...connection, organization_id: null } as unknown as PushedConnection;
      const stored = several(3);
      const failed = store({ to: broken });
      const later = several(3);
      await assert.rejects(failed, /null/i);
      const ids = idsOf([...(await stored), ...(await later)]);
      assert.deepEqual(await jobs(), ids);
    });

    it('pushes whose commit was not answered all fail, and none of them is stored twice', async (t) => {
      const { transaction } = test.db;
      t.mock.method(test.db, 'transaction', () => ({
        async execute(work: never) {
          await transaction.call(test.db).execute(work);
          throw new Error('the answer was lost');
        },
      }));
      const outcomes = await Promise.allSettled(Array.from({ length: 4 }, () => store()));
      assert.deepEqual(new Set(outcomes.map(({ status }) => status)), new Set(['rejected']));
      assert.equal((await jobs()).length, 4);
    });

    if (database.name === 'sqlite') return;

    it('pushes do not wait for the lock of another connection', async (t) => {
      if (test.url === null) return t.skip('one connection cannot have two transactions');
      const other = await connect();
      const release = Promise.withResolvers<void>();
      const locked = Promise.withResolvers<void>();
      const holding = test.db.transaction().execute(async (tx) => {
        await tx
          .updateTable('connections')
          .set({ generation: 7 })
          .where('id', '=', connection.id)
          .execute();
        locked.resolve();
        await release.promise;
      });
      await locked.promise;
      const waits = store();
      await store({ to: other });
      assert.deepEqual(await jobs(), []);
      release.resolve();
      await holding;
      const { id } = await waits;
      await until(async () => (await jobs()).includes(id) || undefined);
    });
  });
