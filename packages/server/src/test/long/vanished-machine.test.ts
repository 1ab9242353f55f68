/** Tests what the database does when a machine vanishes without a word, or its process stands still, in a transaction. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import pino from 'pino';
import { connect } from '../../db/connect.ts';
import { pipelined } from '../../db/pipelined.ts';
import type { Schema } from '../../db/schema.ts';
import { unavailableReason } from '../../db/unavailable.ts';
import { enqueue } from '../../jobs/queue.ts';
import { startWorker } from '../../jobs/work.ts';
import { createMetrics } from '../../telemetry/metrics.ts';
import { NO_TRACER } from '../../telemetry/trace.ts';
import { openOnServer } from '../databases.ts';
import { type PostgresServer, startPostgres } from '../postgres-server.ts';

/** The machine is dead for its leases, too, after about this long. */
const WANTED_MS = 60_000;

/** Firewalls may be changed by root alone, and in some containers by nobody. */
const mayDrop = (() => {
  try {
    execFileSync('iptables', ['-w', '-L', '-n'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** Drops all packets from and to a port of this machine until the end of `act`. */
async function withoutPackets(port: number, act: () => Promise<void>): Promise<void> {
  const rules = ['--sport', '--dport'].map((side) => [
    ...['INPUT', '-i', 'lo', '-p', 'tcp', side, String(port), '-j', 'DROP'],
  ]);
  for (const rule of rules) execFileSync('iptables', ['-w', '-I', ...rule]);
  try {
    await act();
  } finally {
    for (const rule of rules) execFileSync('iptables', ['-w', '-D', ...rule]);
  }
}

const skip = !mayDrop && 'no packets may be dropped here';

describe('a machine that vanishes in a transaction', { skip }, () => {
  let server: PostgresServer;
  let lost: Kysely<Schema>;
  let other: Kysely<Schema>;
  before(async () => {
    server = await startPostgres();
    lost = connect(server.url, { poolSize: 1 });
    other = connect(server.url);
    await sql`create table held (id integer primary key)`.execute(other);
    await sql`insert into held values (1)`.execute(other);
  });
  after(async () => {
    await sql`drop table held`.execute(other);
    await other.destroy();
    await lost.destroy();
    await server.stop();
  });

  it('[GEN-18] loses its locks, so that others go on', async () => {
    const end = Promise.withResolvers<void>();
    const transaction = lost.transaction().execute(async (tx) => {
      await sql`select id from held for update`.execute(tx);
      const { rows } = await sql<{ port: number }>`select inet_client_port() as port`.execute(tx);
      await withoutPackets(rows[0]?.port ?? 0, async () => {
        const begun = performance.now();
        await Promise.race([
          sql`select id from held for update`.execute(other),
          sleep(WANTED_MS).then(() => assert.fail('the locks of the lost machine stay')),
        ]);
        assert.ok(performance.now() - begun > 5000, 'a machine may be silent for a moment');
      });
      await end.promise;
      await sql`select 1`.execute(tx);
    });
    end.resolve();
    await assert.rejects(transaction, (error) => unavailableReason(error) !== null);
  });
});

describe('locks that others hold', () => {
  let server: PostgresServer;
  let other: Kysely<Schema>;
  before(async () => {
    server = await startPostgres();
    other = connect(server.url);
  });
  after(async () => {
    await other.destroy();
    await server.stop();
  });

  it('[GEN-18] a commit that has given up on such a lock soon loses its own ones', async () => {
    await sql`create table held (id integer primary key)`.execute(other);
    await sql`insert into held values (1), (2)`.execute(other);
    const lost = connect(server.url, { poolSize: 1, lockWaitMs: 10 * WANTED_MS });
    const lock = (db: Kysely<Schema>, id: number) =>
      sql`select id from held where id = ${id} for update`.execute(db);
    try {
      await other.transaction().execute(async (holding) => {
        await lock(holding, 2);
        const commit = lost.transaction().execute((transaction) =>
          pipelined(
            transaction,
            async (tx) => {
              await lock(tx, 1);
              await lock(tx, 2);
            },
            1000,
          ),
        );
        await assert.rejects(commit, (error) => unavailableReason(error) !== null);
        await Promise.race([
          lock(other, 1),
          sleep(WANTED_MS).then(() => assert.fail('the locks of the commit stay')),
        ]);
      });
    } finally {
      await sql`drop table held`.execute(other);
      await lost.destroy();
    }
  });

  it('[GEN-33] a worker stops although the entry of its job is locked', async () => {
    const test = await openOnServer(server.url);
    const { db, kind } = test;
    const log = pino({ level: 'silent' });
    const begun = Promise.withResolvers<void>();
    const worker = startWorker({
      ...{ db, kind, log, metrics: createMetrics(), tracer: NO_TRACER, pollMs: () => 250 },
      handle: async (_job, { signal }) => {
        begun.resolve();
        await once(signal, 'abort');
        throw signal.reason;
      },
    });
    try {
      await db
        .transaction()
        .execute((tx) => enqueue(tx, 'sync.run', { data: { jobId: 'a' }, lane: 'a' }));
      await begun.promise;
      await db.transaction().execute(async (tx) => {
        await tx.selectFrom('jobs').selectAll().forUpdate().execute();
        await Promise.race([
          worker.stop(),
          sleep(2 * WANTED_MS).then(() => assert.fail('the worker does not stop')),
        ]);
      });
    } finally {
      await test.close();
    }
  });
});
