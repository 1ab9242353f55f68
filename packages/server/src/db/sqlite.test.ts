import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Kysely, sql } from 'kysely';
import { openSqlite, sqliteDialect } from './sqlite.ts';
import { isBusy } from './sqlite-connection.ts';
import { unavailableReason } from './unavailable.ts';

interface Counters {
  counter: { id: number; n: number };
}

describe('SQLite driver', () => {
  let dir: string;
  let path: string;
  let db: Kysely<Counters>;
  let other: Kysely<Counters>;
  const open = (lockWaitMs: number) =>
    new Kysely<Counters>({ dialect: sqliteDialect(path, { lockWaitMs, mappedBytes: 0 }) });
  const count = async (on: Kysely<Counters>) =>
    (await on.selectFrom('counter').select('n').executeTakeFirstOrThrow()).n;
  /** Reads the counter, lets other transactions go on, and then writes the number that it has read plus one. */
  const increment = (on: Kysely<Counters>) => on.transaction().execute(addOne);
  async function addOne(tx: Kysely<Counters>): Promise<void> {
    const { n } = await tx.selectFrom('counter').select('n').executeTakeFirstOrThrow();
    await new Promise((resolve) => setImmediate(resolve));
    await tx
      .updateTable('counter')
      .set({ n: n + 1 })
      .execute();
  }

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'quarry-sqlite-'));
    path = join(dir, 'test.db');
    db = open(10_000);
    other = open(10_000);
    await sql`create table counter (id integer primary key, n integer not null)`.execute(db);
    await sql`insert into counter values (1, 0)`.execute(db);
  });
  after(async () => {
    await db.destroy();
    await other.destroy();
    rmSync(dir, { recursive: true });
  });

  it('loses none of many read-modify-write transactions, of one pool or of two', async () => {
    const twice = async (on: Kysely<Counters>) => {
      await increment(on);
      await increment(on);
    };
    await Promise.all(Array.from({ length: 20 }, (_, i) => twice(i % 2 === 0 ? db : other)));
    assert.equal(await count(db), 40);
  });

  it('keeps its files from other users, also in a folder that they may read and for files that they could read', () => {
    const shared = join(dir, 'shared.db');
    const ends = ['', '-wal', '-shm'];
    const modes = () => ends.map((end) => statSync(`${shared}${end}`).mode & 0o777);
    const umask = process.umask(0o022);
    try {
      chmodSync(dir, 0o755);
      const first = openSqlite(shared);
      first.exec('create table t (n integer)');
      assert.deepEqual(modes(), [0o600, 0o600, 0o600]);
      for (const end of ends) chmodSync(`${shared}${end}`, 0o644);
      openSqlite(shared).close();
      assert.deepEqual(modes(), [0o600, 0o600, 0o600]);
      first.close();
    } finally {
      process.umask(umask);
    }
  });

  it('reads while another connection writes', async () => {
    const seen = await db.transaction().execute(async (tx) => {
      await tx.updateTable('counter').set({ n: 1000 }).execute();
      return [await count(other), await count(db)];
    });
    assert.deepEqual(seen, [40, 40]);
    assert.equal(await count(other), 1000);
  });

  it('waits for a writer, but not longer than its limit', async () => {
    const impatient = open(30);
    const writer = openSqlite(path);
    writer.exec('begin immediate');
    await assert.rejects(increment(impatient), { errcode: 5 });
    await assert.rejects(impatient.updateTable('counter').set({ n: 1 }).execute(), { errcode: 5 });
    const patient = increment(db);
    writer.exec('commit');
    writer.close();
    await patient;
    assert.equal(await count(db), 1001);
    await impatient.destroy();
  });

  it('transactions that wait for a writer take no connection from reads, and write in their order', async () => {
    const writer = openSqlite(path);
    writer.exec('begin immediate');
    const order: number[] = [];
    const waiting = Array.from({ length: 8 }, (_, i) =>
      db.transaction().execute(async (tx) => {
        await addOne(tx);
        order.push(i);
      }),
    );
    const single = db.updateTable('counter').set({ n: 1 }).where('id', '=', 0).execute();
    // There are four connections, so with one in each transaction none would be left for these.
    assert.deepEqual(await Promise.all([count(db), count(db), count(db)]), [1001, 1001, 1001]);
    assert.deepEqual(order, []);
    writer.exec('commit');
    writer.close();
    await Promise.all([...waiting, single]);
    assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7]);
    await db.updateTable('counter').set({ n: 1001 }).execute();
  });

  it('a write whose turn does not come in time fails as one that gets no lock, and the turn goes on', async () => {
    const impatient = open(30);
    const entered = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const first = impatient.transaction().execute(async () => {
      entered.resolve();
      await gate.promise;
    });
    await entered.promise;
    const late = await impatient
      .updateTable('counter')
      .set({ n: 1001 })
      .execute()
      .catch((error: unknown) => error);
    assert.equal(unavailableReason(late), 'the database is busy');
    gate.resolve();
    await first;
    await impatient.updateTable('counter').set({ n: 1001 }).execute();
    await impatient.destroy();
  });

  it('a write that cannot open the database ends its turn, and the next one fails with the same reason', async () => {
    const nowhere = new Kysely<Counters>({
      dialect: sqliteDialect(join(dir, 'no such folder', 'a.db'), {
        lockWaitMs: 60_000,
        mappedBytes: 0,
      }),
    });
    for (let i = 0; i < 2; i++)
      await assert.rejects(nowhere.updateTable('counter').set({ n: 1 }).execute(), { errcode: 14 });
    await nowhere.destroy();
  });

  it('does not let a read-only transaction wait for a writer', async () => {
    const impatient = open(0);
    const writer = openSqlite(path);
    writer.exec('begin immediate');
    const reading = impatient.transaction().setAccessMode('read only');
    assert.equal(await reading.execute(count), 1001);
    writer.exec('rollback');
    writer.close();
    await impatient.destroy();
  });

  it('releases a connection after a failed transaction', async () => {
    for (let i = 0; i < 10; i++)
      await assert.rejects(
        db.transaction().execute(async (tx) => {
          await tx.updateTable('counter').set({ n: -1 }).execute();
          throw new Error('on purpose');
        }),
        /on purpose/,
      );
    assert.equal(await count(db), 1001);
    await increment(db);
  });

  it('works after SQLite has rolled back a transaction by itself', async () => {
    await assert.rejects(
      db.transaction().execute(async (tx) => {
        await tx.updateTable('counter').set({ n: -1 }).execute();
        await sql`rollback`.execute(tx);
        throw new Error('the first reason');
      }),
      /the first reason/,
    );
    assert.equal(await count(db), 1002);
  });

  it('has four connections, and gives a free one to the caller who has waited longest', async () => {
    const order: string[] = [];
    const entered = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
    const gate = Promise.withResolvers<void>();
    const readers = entered.map(({ resolve }) =>
      db
        .transaction()
        .setAccessMode('read only')
        .execute(async (tx) => {
          await count(tx);
          resolve();
          await gate.promise;
          order.push('reader');
        }),
    );
    await Promise.all(entered.map(({ promise }) => promise));
    const late = ['first', 'second', 'third'].map(async (name) => {
      await count(db);
      order.push(name);
    });
    // A query that does not have to wait has its result by now.
    await new Promise((resolve) => setImmediate(resolve));
    order.push('gate');
    gate.resolve();
    await Promise.all([...readers, ...late]);
    const served = order.filter((name) => name !== 'reader');
    assert.deepEqual(served, ['gate', 'first', 'second', 'third']);
  });

  it('closes every connection', async () => {
    const file = join(dir, 'closed.db');
    const closing = new Kysely<Counters>({
      dialect: sqliteDialect(file, { lockWaitMs: 0, mappedBytes: 0 }),
    });
    await sql`create table counter (id integer primary key, n integer not null)`.execute(closing);
    await closing.transaction().execute(async (tx) => {
      await tx.insertInto('counter').values({ id: 1, n: 1 }).execute();
      assert.deepEqual(await closing.selectFrom('counter').selectAll().execute(), []);
    });
    assert.ok(existsSync(`${file}-wal`));
    await closing.destroy();
    // Only the last connection removes the file when it closes.
    assert.ok(!existsSync(`${file}-wal`));
  });

  it('binds booleans, and returns the number of changed rows', async () => {
    const { rows } = await sql<{ yes: number }>`select ${true} as yes`.execute(db);
    assert.deepEqual(rows[0]?.yes, 1);
    const result = await db
      .updateTable('counter')
      .set({ n: 5 })
      .where('id', '=', 2)
      .executeTakeFirst();
    assert.equal(result.numUpdatedRows, 0n);
    const added = await db.insertInto('counter').values({ id: 7, n: 0 }).executeTakeFirst();
    assert.deepEqual([added.insertId, added.numInsertedOrUpdatedRows], [7n, 1n]);
    const removed = await db.deleteFrom('counter').where('id', '>', 1).executeTakeFirst();
    assert.equal(removed.numDeletedRows, 1n);
  });

  it('tries again only after busy errors', async () => {
    const patient = open(Number.POSITIVE_INFINITY);
    await assert.rejects(patient.insertInto('counter').values({ id: 1, n: 0 }).execute(), {
      errcode: 1555,
    });
    await patient.destroy();
    // The first is SQLITE_BUSY; the others mean that another process recovers the log, or wrote after our snapshot.
    for (const errcode of [5, 261, 517]) assert.ok(isBusy({ errcode }), `${errcode}`);
    for (const errcode of [6, 262, 1288]) assert.ok(!isBusy({ errcode }), `${errcode}`);
    assert.ok(!isBusy(new Error('of something else')));
  });

  it('streams rows', async () => {
    const ids: number[] = [];
    for await (const row of db.selectFrom('counter').select('id').stream()) ids.push(row.id);
    assert.deepEqual(ids, [1]);
  });

  it('is durable and enforces foreign keys', () => {
    const connection = openSqlite(path);
    const pragma = (name: string) =>
      Object.values(connection.prepare(`pragma ${name}`).get() ?? {})[0];
    assert.deepEqual(
      [pragma('journal_mode'), pragma('synchronous'), pragma('foreign_keys')],
      ['wal', 2, 1],
    );
    // If this were 0, the write-ahead log would grow without limit.
    assert.equal(pragma('wal_autocheckpoint'), 2000);
    connection.close();
  });

  it("does not wait for the disk with the durability 'process', and opens at most maxConnections", async () => {
    const fast = new Kysely<Counters>({
      dialect: sqliteDialect(path, {
        lockWaitMs: 0,
        mappedBytes: 0,
        durability: 'process',
        maxConnections: 1,
      }),
    });
    const read = sql<{ synchronous: number }>`pragma synchronous`;
    const { rows } = await read.execute(fast);
    assert.equal(rows[0]?.synchronous, 1);
    const order: string[] = [];
    const entered = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const first = fast
      .transaction()
      .setAccessMode('read only')
      .execute(async (tx) => {
        await count(tx);
        entered.resolve();
        await gate.promise;
        order.push('first');
      });
    await entered.promise;
    // The pool has only one connection, so the second query waits until the first transaction has ended.
    const second = count(fast).then(() => order.push('second'));
    await new Promise((resolve) => setImmediate(resolve));
    gate.resolve();
    await Promise.all([first, second]);
    assert.deepEqual(order, ['first', 'second']);
    await fast.destroy();
  });
});
