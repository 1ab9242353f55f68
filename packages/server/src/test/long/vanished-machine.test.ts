/** Tests what the database does when a machine vanishes without a word, or its process stands still, in a transaction. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { connect } from '../../db/connect.ts';
import type { Schema } from '../../db/schema.ts';
import { unavailableReason } from '../../db/unavailable.ts';
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

describe('a machine that vanishes in a transaction', {
  skip: !mayDrop && 'no packets may be dropped here',
}, () => {
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

  it('[GEN-18] [SYN-05] loses its locks, so that others go on', async () => {
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
