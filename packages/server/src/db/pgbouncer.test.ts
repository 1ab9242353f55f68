/** PgBouncer with transaction pooling stands between the service and PostgreSQL. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { createDatabase, databaseAt } from '../test/databases.ts';
import {
  type PgbouncerServer,
  skipWithoutPgbouncer,
  startPgbouncer,
} from '../test/pgbouncer-server.ts';
import { type PostgresServer, startPostgres } from '../test/postgres-server.ts';
import { must } from '../util.ts';
import { connect, ping } from './connect.ts';
import { migrate, migrationsOf } from './migrate.ts';
import type { Schema } from './schema.ts';

describe('a pooler of transactions', { skip: skipWithoutPgbouncer }, () => {
  let server: PostgresServer;
  let pooler: PgbouncerServer;
  before(async () => {
    server = await startPostgres();
    pooler = await startPgbouncer(server.url);
  });
  after(async () => {
    await pooler.stop();
    await server.stop();
  });

  it('several processes migrate at once, each migration runs once, and no lock stays', async () => {
    const { name, url, drop } = await createDatabase(server.url);
    const pooled = databaseAt(pooler.url, name);
    const processes = Array.from({ length: 4 }, () => connect(pooled));
    const direct = connect(url);
    try {
      const ran = await Promise.all(processes.map((db) => migrate(db, 'postgres')));
      assert.deepEqual(ran.flat().toSorted(), Object.keys(migrationsOf('postgres')));
      const { rows } = await sql`select * from pg_locks where locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())`.execute(
        direct,
      );
      assert.deepEqual(rows, []);
      for (const db of processes) assert.deepEqual(await migrate(db, 'postgres'), []);
    } finally {
      for (const db of [...processes, direct]) await db.destroy();
      await drop();
    }
  });

  it('[GEN-18] every connection to the server is probed, also one over which no client has sent its settings', async () => {
    const clients = [1, 2].map(() => connect(pooler.url, { poolSize: 1 }));
    const [first, second] = [must(clients[0]), must(clients[1])];
    const shown = async (tx: Kysely<Schema>, name: string) =>
      Object.values((await sql<object>`show ${sql.raw(name)}`.execute(tx)).rows[0] ?? {})[0];
    try {
      // Both send their settings over the first connection to the server, one after the other.
      for (const client of clients) await ping(client);
      await first.transaction().execute(async (holding) => {
        await ping(holding);
        const values = await second
          .transaction()
          .execute(async (tx) => [
            await shown(tx, 'tcp_keepalives_idle'),
            await shown(tx, 'tcp_user_timeout'),
            await shown(tx, 'client_connection_check_interval'),
            await shown(tx, 'idle_in_transaction_session_timeout'),
          ]);
        assert.deepEqual(values, ['10', '30000', '10s', '1min']);
      });
    } finally {
      for (const client of clients) await client.destroy();
    }
  });
});
