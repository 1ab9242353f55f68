/** A transaction on PostgreSQL has limits, so that one that cannot go on keeps its locks and its connection from others for a short time only. */
import { type DatabaseConnection, type QueryExecutorProvider, sql } from 'kysely';

/** A process that stands still in a transaction is dead for its leases, too, after about this long. */
const IDLE_MS = 60_000;

/**
 * Returns a connection whose `begin` brings the limits with it, without a further round trip. As settings of the session they
 * would stay with a connection of PgBouncer, and not with ours. The limit on idleness ends a transaction whose process is
 * stopped, because that answers the probes of the server.
 */
export const beginningWithLimits = (
  connection: DatabaseConnection,
  lockWaitMs: number,
): DatabaseConnection => ({
  executeQuery(begin, options) {
    const limits = `set local idle_in_transaction_session_timeout = ${IDLE_MS}; set local lock_timeout = ${lockWaitMs}`;
    return connection.executeQuery({ ...begin, sql: `${begin.sql}; ${limits}` }, options);
  },
  streamQuery: (...query) => connection.streamQuery(...query),
});

export const WITHOUT_LIMITS =
  'set local idle_in_transaction_session_timeout = 0; set local lock_timeout = 0; set local statement_timeout = 0';

/**
 * Takes these limits from a transaction, with that on the time of statements that the operator may have set at the server, and
 * with our deadlines of statements: the transaction may take hours, wait for another database or a file meanwhile, and wait
 * for locks as long as others need them.
 */
export const withoutLimits = async (tx: QueryExecutorProvider): Promise<void> =>
  void (await sql.raw(WITHOUT_LIMITS).execute(tx));
