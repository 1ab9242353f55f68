/**
 * Only one process migrates a PostgreSQL at a time. Kysely locks for a session, and frees the lock by a later statement. A
 * pooler of transactions may send that statement over another connection, and then nobody could migrate or start any more.
 * So the whole migration is one transaction here, and its end frees the lock.
 */
import {
  type Dialect,
  type DialectAdapter,
  PostgresAdapter,
  type QueryExecutorProvider,
  sql,
} from 'kysely';

/** Kysely has the same number, so that an older version of Quarry waits for this one. */
const LOCK_ID = sql.lit(3_853_314_791_062_309_107n);

/** Waits until no other process migrates. The end of the transaction frees the lock. */
export async function lockMigrations(tx: QueryExecutorProvider): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK_ID})`.execute(tx);
}

/**
 * Waits until no process migrates, and keeps migrations waiting until the end of the transaction. Others may share the lock.
 * `onWait` is called when it has to wait.
 */
export async function shareMigrationLock(
  tx: QueryExecutorProvider,
  onWait: () => void,
): Promise<void> {
  const { rows } = await sql<{ got: boolean }>`
    select pg_try_advisory_xact_lock_shared(${LOCK_ID}) as got`.execute(tx);
  if (rows[0]?.got) return;
  onWait();
  await sql`select pg_advisory_xact_lock_shared(${LOCK_ID})`.execute(tx);
}

class TransactionLock extends PostgresAdapter {
  override async acquireMigrationLock(tx: QueryExecutorProvider): Promise<void> {
    await lockMigrations(tx);
  }

  override async releaseMigrationLock(): Promise<void> {
    // The end of the transaction frees the lock.
  }
}

/** Returns the same dialect, whose migrator must be given a transaction. */
export function migratedInTransaction(dialect: Dialect): Dialect {
  return {
    createDriver: () => dialect.createDriver(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createAdapter: (): DialectAdapter => new TransactionLock(),
  };
}
