import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { type Kysely, type KyselyPlugin, sql } from 'kysely';
import pg from 'pg';
import { DATABASES, type TestDatabase } from '../test/databases.ts';
import { type PostgresServer, startPostgres } from '../test/postgres-server.ts';
import { setSession } from './client-settings.ts';
import { connect, databaseKind, ping, postgres } from './connect.ts';
import { withoutLimits } from './limits.ts';
import { assertMigrated, migrate } from './migrate.ts';
import type { Schema } from './schema.ts';
import { inSnapshot } from './snapshot.ts';
import { MAX_CONNECTIONS } from './sqlite.ts';
import { unavailableReason } from './unavailable.ts';

describe('connect: a file that is searched', () => {
  it('is mapped by all connections together up to 64 MB', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'quarry-connect-'));
    const db = connect(join(dir, 'test.db'), { isSearched: true });
    const all = Promise.withResolvers<void>();
    let open = 0;
    const mapped = () =>
      db.connection().execute(async (one) => {
        const { rows } = await sql<{ mmap_size: number }>`pragma mmap_size`.execute(one);
        // The connections are held until all of them are open, because a free one would be used again.
        if (++open === MAX_CONNECTIONS) all.resolve();
        await all.promise;
        return rows[0]!.mmap_size;
      });
    try {
      const sizes = await Promise.all(Array.from({ length: MAX_CONNECTIONS }, mapped));
      assert.deepEqual(sizes, Array(MAX_CONNECTIONS).fill(2 ** 26 / MAX_CONNECTIONS));
    } finally {
      await db.destroy();
      await rm(dir, { recursive: true });
    }
  });
});

describe('databaseKind', () => {
  for (const [url, kind] of [
    ['postgres://user@host/name', 'postgres'],
    ['postgresql://user@host/name', 'postgres'],
    ['/data/quarry.db', 'sqlite'],
    ['/data/postgres:/quarry.db', 'sqlite'],
    ['postgres.db', 'sqlite'],
  ] as const)
    it(`${url} is ${kind}`, () => assert.equal(databaseKind(url), kind));
});

for (const { name, open } of DATABASES)
  describe(`connect: ${name}`, () => {
    let database: TestDatabase;
    before(async () => {
      database = await open();
    });
    after(() => database.close());

    it('answers a ping', () => ping(database.db));

    it('refuses the schema of a newer version, and changes nothing', async () => {
      const { db, kind } = database;
      assert.deepEqual(await migrate(db, kind), []);
      await sql`insert into kysely_migration (name, timestamp) values ('9999-later', 'now')`.execute(
        db,
      );
      const newer =
        /^OtherVersionError: the database is of a newer version of Quarry, .* migration 9999-later:/;
      await assert.rejects(migrate(db, kind), newer);
      await assert.rejects(assertMigrated(db, kind), newer);
      await sql`delete from kysely_migration where name = '9999-later'`.execute(db);
      await assertMigrated(db, kind);
    });

    it('reports a failed migration with its cause', async () => {
      await sql`drop table kysely_migration`.execute(database.db);
      await assert.rejects(migrate(database.db, database.kind), (error: Error) => {
        assert.match(
          error.message,
          /^the database could not be brought up to date: (table|relation) "organizations" already exists$/,
        );
        assert.match((error.cause as Error).message, /already exists/);
        return true;
      });
    });
  });

/** This plugin fails at the statement with this number, as if the process had died at this point. */
const dyingAt = (number: number): KyselyPlugin => {
  let count = 0;
  return {
    transformQuery({ node }) {
      if (count++ === number) throw new Error('died');
      return node;
    },
    transformResult: async ({ result }) => result,
  };
};

describe('migrations of a SQLite file', () => {
  it('[GEN-11] a start completes the migrations that an earlier start did not finish', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quarry-migrate-'));
    try {
      for (const number of [5, 20, 60, 90]) {
        const db = connect(join(folder, `${number}.db`));
        await assert.rejects(migrate(db.withPlugin(dyingAt(number)), 'sqlite'), /died/);
        await migrate(db, 'sqlite');
        await db.selectFrom('webhook_subscriptions').selectAll().execute();
        await db.destroy();
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('ping', () => {
  it('fails when nobody listens at the address', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    const db = connect(`postgres://nobody@127.0.0.1:${port}/none`);
    await assert.rejects(ping(db), { code: 'ECONNREFUSED' });
    await db.destroy();
  });

  it('[GEN-18] fails when the server never answers', async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const db = connect(`postgres://nobody@127.0.0.1:${port}/none`, { connectMs: 50 });
    await assert.rejects(ping(db), (error) => unavailableReason(error) !== null);
    await db.destroy();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it('fails when the folder of the file does not exist', async () => {
    const db = connect('/nowhere/at/all/quarry.db');
    await assert.rejects(ping(db), { errcode: 14 });
    await db.destroy();
  });
});

describe('pool of PostgreSQL', () => {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.stop());

  it('has ten connections', async () => {
    const db = connect(server.url);
    const entered = Array.from({ length: 10 }, () => Promise.withResolvers<number>());
    const gate = Promise.withResolvers<void>();
    const open = entered.map(({ resolve }) =>
      db.transaction().execute(async (tx) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
        resolve(rows[0]?.pid ?? 0);
        await gate.promise;
      }),
    );
    const pids = await Promise.all(entered.map(({ promise }) => promise));
    gate.resolve();
    await Promise.all(open);
    assert.equal(new Set(pids).size, 10);
    await db.destroy();
  });

  it('[GEN-18] a request for a connection ends with an error when all connections stay busy', async () => {
    const db = connect(server.url, { connectMs: 1500 });
    const entered = Array.from({ length: 10 }, () => Promise.withResolvers<void>());
    const gate = Promise.withResolvers<void>();
    const open = entered.map(({ resolve }) =>
      db.transaction().execute(async () => {
        resolve();
        await gate.promise;
      }),
    );
    await Promise.all(entered.map(({ promise }) => promise));
    await assert.rejects(ping(db), (error) => unavailableReason(error) !== null);
    gate.resolve();
    await Promise.all(open);
    await ping(db);
    await db.destroy();
  });

  it('replaces an idle connection that the server closes', async () => {
    const pool = new pg.Pool({ connectionString: server.url, max: 1 });
    const db = postgres(pool);
    const pid = async () =>
      (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid;
    const first = await pid();
    const gone = new Promise((resolve) => pool.once('remove', resolve));
    const other = connect(server.url);
    await sql`select pg_terminate_backend(${first})`.execute(other);
    await other.destroy();
    await gone;
    assert.notEqual(await pid(), first);
    await db.destroy();
  });

  const shown = async (db: Kysely<Schema>, name: string) =>
    Object.values((await sql<object>`show ${sql.raw(name)}`.execute(db)).rows[0] ?? {})[0];

  it('[GEN-18] the server probes its clients, and ends a transaction in which nothing happens', async () => {
    const db = connect(server.url);
    // Where the system cannot probe, the server shows 0.
    assert.equal(await shown(db, 'tcp_keepalives_idle'), '10');
    assert.equal(await shown(db, 'tcp_user_timeout'), '30000');
    assert.equal(await shown(db, 'client_connection_check_interval'), '10s');
    const paused = db.transaction().execute(async (tx) => {
      await sql`set local idle_in_transaction_session_timeout = 50`.execute(tx);
      await setTimeout(500);
      await ping(tx);
    });
    await assert.rejects(paused, (error) => unavailableReason(error) !== null);
    await ping(db);
    await db.destroy();
  });

  it('[GEN-18] connects to a server that does not know how to look for its clients', async () => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const older = (config: pg.QueryConfig) =>
      query({ ...config, text: config.text.replace('client_connection', 'what_older_ones_lack') });
    await setSession(Object.assign(client, { query: older }));
    const lost = (config: pg.QueryConfig) =>
      query({ ...config, text: config.text.replace('set client', 'sets client') });
    await assert.rejects(setSession(Object.assign(client, { query: lost })), { code: '42601' });
    await client.end();
  });

  it('[GEN-18] the limits of a transaction are its own, also those of one that only reads', async () => {
    const db = connect(server.url, { poolSize: 1 });
    const limits = async (one: Kysely<Schema>) => [
      await shown(one, 'idle_in_transaction_session_timeout'),
      await shown(one, 'lock_timeout'),
      await shown(one, 'transaction_isolation'),
    ];
    const outside = await limits(db);
    assert.deepEqual(await db.transaction().execute(limits), ['1min', '10s', 'read committed']);
    assert.deepEqual(await inSnapshot(db, limits), ['1min', '10s', 'repeatable read']);
    const free = await db.transaction().execute(async (tx) => {
      await withoutLimits(tx);
      return limits(tx);
    });
    assert.deepEqual(free, ['0', '0', 'read committed']);
    assert.deepEqual(await limits(db), outside);
    await db.destroy();
  });

  it('[GEN-18] a connection that the server closes between two statements fails only its own transaction', async () => {
    const pool = new pg.Pool({ connectionString: server.url, max: 1 });
    const db = postgres(pool);
    const other = connect(server.url);
    const cut = db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
      await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(other);
      // No query runs on the connection when the server ends it.
      await setTimeout(200);
      await ping(tx);
    });
    await assert.rejects(cut, (error) => unavailableReason(error) !== null);
    await ping(db);
    await other.destroy();
    await db.destroy();
  });
});
