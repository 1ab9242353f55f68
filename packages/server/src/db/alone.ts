/** Lets a command make sure that nobody else writes to a PostgreSQL while it reads. */
import { sql } from 'kysely';
import { withoutLimits } from './limits.ts';
import type { Db, Tx } from './schema.ts';

/** Throws an Error with a sentence while other connections to the database are open. */
export async function assertAlone(db: Db): Promise<void> {
  // Within a transaction, the view would otherwise show what it has shown before.
  await sql`select pg_stat_clear_snapshot()`.execute(db);
  // A role without special rights sees the connections of other roles, but not their kind.
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and usesysid is not null
      and coalesce(backend_type, 'client backend') = 'client backend'
      and pid <> pg_backend_pid()`.execute(db);
  const count = Number(rows[0]?.count ?? 0);
  if (count > 0)
    throw new Error(
      `the database has ${count} other open ${count === 1 ? 'connection' : 'connections'}: stop every process of the service, and close other programs that use the database`,
    );
}

/**
 * Waits a while for open writes, and keeps all others away until the end of the transaction. Nothing else may come before it
 * in the transaction.
 */
export async function keepWritesAway(tx: Tx, tables: readonly string[]): Promise<void> {
  await withoutLimits(tx);
  await sql`set local lock_timeout = '10s'`.execute(tx);
  await sql`lock table ${sql.join(tables.map((name) => sql.table(name)))} in share mode`.execute(
    tx,
  );
}

/**
 * Keeps migrations away until the end of the transaction. A table that one of them rewrites would look empty to a snapshot that is
 * older than its commit, and so be missing in a backup without an error. Nothing else may come before it in the transaction.
 */
export async function keepMigrationsAway(tx: Tx, tables: readonly string[]): Promise<void> {
  await withoutLimits(tx);
  await sql`lock table ${sql.join(tables.map((name) => sql.table(name)))} in access share mode`.execute(
    tx,
  );
}
