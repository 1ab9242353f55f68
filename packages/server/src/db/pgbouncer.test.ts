/** PgBouncer with transaction pooling stands between the service and PostgreSQL. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { createDatabase, databaseAt } from '../test/databases.ts';
import {
  type PgbouncerServer,
  skipWithoutPgbouncer,
  startPgbouncer,
} from '../test/pgbouncer-server.ts';
import { type PostgresServer, startPostgres } from '../test/postgres-server.ts';
import { connect } from './connect.ts';
import { migrate, migrationsOf } from './migrate.ts';

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
});
