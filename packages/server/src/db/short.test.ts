import assert from 'node:assert/strict';
import { type AddressInfo, connect as connectTo, createServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { type PostgresServer, startPostgres } from '../test/postgres-server.ts';
import { connect, ping } from './connect.ts';
import { withoutLimits } from './limits.ts';
import { pipelined } from './pipelined.ts';
import { withDeadline } from './short.ts';
import { unavailableReason } from './unavailable.ts';

describe('statements with a deadline', () => {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.stop());

  /**
   * Passes bytes between clients and the server. After `silence`, and after a client has sent `last`, the open connections stay
   * open and pass none.
   */
  async function openProxy(last?: string) {
    const { hostname, port } = new URL(server.url);
    const sockets: Socket[] = [];
    let silent = new Set<Socket>();
    const pass = (from: Socket, to: Socket) => {
      sockets.push(from);
      from.on('data', (bytes: Buffer) => {
        if (last !== undefined && bytes.includes(last)) silent.add(to).add(from);
        if (!silent.has(from)) to.write(bytes);
      });
      from.on('close', () => to.destroy());
      from.on('error', () => to.destroy());
    };
    const proxy = createServer((client) => {
      const upstream = connectTo(Number(port), hostname);
      pass(client, upstream);
      pass(upstream, client);
    });
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
    const url = new URL(server.url);
    url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    return {
      url: url.href,
      silence() {
        silent = new Set(sockets);
      },
      close() {
        for (const socket of sockets) socket.destroy();
        proxy.close();
      },
    };
  }

  it('[GEN-18] a short statement on a silent connection fails in time, and the next one gets another connection', async () => {
    const proxy = await openProxy();
    const db = connect(proxy.url, { poolSize: 1 });
    try {
      await ping(db);
      proxy.silence();
      await assert.rejects(
        sql`select 1`.execute(withDeadline(db, 200)),
        (error) => unavailableReason(error) !== null,
      );
      await ping(db);
      const { rows } = await sql`select 1 as one from pg_sleep(0.5)`.execute(db);
      assert.deepEqual(rows, [{ one: 1 }], 'other statements have no deadline');
    } finally {
      proxy.close();
      await db.destroy();
    }
  });

  it('[GEN-18] a connection that is silent before its first statement fails in time', async () => {
    const proxy = await openProxy('tcp_keepalives_idle');
    const db = connect(proxy.url, { connectMs: 1000 });
    try {
      const asked = sql`select 1`.execute(db);
      await assert.rejects(asked, (error) => unavailableReason(error) !== null);
    } finally {
      proxy.close();
      await db.destroy();
    }
  });

  it('[GEN-18] a connection may give a deadline to all statements but those of a transaction without limits', async () => {
    const db = connect(server.url, { poolSize: 1, statementMs: 700 });
    const long = sql`select pg_sleep(1.5)`;
    const isAway = (error: unknown) => unavailableReason(error) !== null;
    try {
      await assert.rejects(long.execute(db), isAway);
      await ping(db);
      await db.transaction().execute(async (tx) => {
        await withoutLimits(tx);
        await long.execute(tx);
      });
      await assert.rejects(
        db.transaction().execute((tx) => long.execute(tx)),
        isAway,
      );
      await assert.rejects(long.execute(db), isAway);
    } finally {
      await db.destroy();
    }
  });

  it('[GEN-18] a rollback on a silent connection ends in time, and the next transaction gets another connection', async () => {
    const proxy = await openProxy();
    const db = connect(proxy.url, { poolSize: 1 });
    const work = (fault?: Error) =>
      db.transaction().execute((transaction) =>
        pipelined(
          transaction,
          async (tx) => {
            await sql`select 1`.execute(tx);
            if (!fault) return;
            proxy.silence();
            throw fault;
          },
          200,
        ),
      );
    try {
      await assert.rejects(work(new Error('the job is no longer ours')));
      await work();
    } finally {
      proxy.close();
      await db.destroy();
    }
  });

  for (const [what, silentAt] of [
    ['a statement', 1],
    ['the end', 2],
  ] as const)
    it(`[GEN-18] a commit whose connection is silent at ${what} fails in time, and the next one succeeds`, async () => {
      const proxy = await openProxy();
      const db = connect(proxy.url, { poolSize: 1 });
      const commit = (at = 0) =>
        db.transaction().execute((transaction) =>
          pipelined(
            transaction,
            async (tx) => {
              await sql`select 1`.execute(tx);
              if (at === 1) proxy.silence();
              const { rows } = await sql`select 2 as two`.execute(tx);
              if (at === 2) proxy.silence();
              return rows;
            },
            200,
          ),
        );
      try {
        await assert.rejects(commit(silentAt), (error) => unavailableReason(error) !== null);
        assert.deepEqual(await commit(), [{ two: 2 }]);
      } finally {
        proxy.close();
        await db.destroy();
      }
    });
});
