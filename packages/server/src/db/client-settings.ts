/** These settings are those of each connection to a PostgreSQL, of a pool or alone. */
import type pg from 'pg';

/**
 * The operating system probes a connection that had no traffic for this long. When the server's machine does not answer
 * for about ten more seconds, the connection breaks. It does not probe while a statement that was sent is not
 * acknowledged; deadline.ts is about that.
 */
const KEEP_ALIVE_MS = 10_000;
export const CONNECT_MS = 15_000;

/**
 * The server probes the machine of its client, too. Linux would wait for about two hours, and meanwhile a machine that has vanished
 * in a transaction would keep its locks, so that its jobs could not go on elsewhere. A process that is only stopped
 * answers the probes, so its transactions end after another while. PgBouncer refuses these settings at the beginning of a
 * connection, so they are set by a statement. https://www.postgresql.org/docs/current/runtime-config-connection.html
 */
const SESSION = Object.entries({
  tcp_keepalives_idle: '10s',
  tcp_keepalives_interval: '5s',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '30s',
  idle_in_transaction_session_timeout: '5min',
})
  .map(([name, value]) => `set ${name} = '${value}'`)
  .join('; ');

/** Must be called with each new connection, before other statements. */
export const setSession = async (client: pg.ClientBase): Promise<void> =>
  void (await client.query(SESSION));

/** Returns the settings of each client of a PostgreSQL. */
export const clientSettings = (url: string, connectMs = CONNECT_MS) => ({
  connectionString: url,
  connectionTimeoutMillis: connectMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
});
