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
 * in a transaction would keep its locks, so that its jobs could not go on elsewhere. PgBouncer refuses these settings at the
 * beginning of a connection, so they are set by a statement. Behind it, the connections of the server are its own, and
 * it sets the same by `connect_query`. https://www.postgresql.org/docs/current/runtime-config-connection.html
 */
const PROBES = Object.entries({
  tcp_keepalives_idle: '10s',
  tcp_keepalives_interval: '5s',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '30s',
})
  .map(([name, value]) => `set ${name} = '${value}'`)
  .join('; ');

/** While a backend waits for a lock, it would not notice that its client has closed the connection, and keep the locks that it has. */
const LOOK_FOR_CLIENT = "set client_connection_check_interval = '10s'";
/** PostgreSQL 13 does not know this setting, and systems other than Linux, macOS and the BSDs take only 0. */
const UNKNOWN_SETTINGS: readonly unknown[] = ['42704', '22023'];

/** Must be called with each new connection, before other statements. Fails when the server does not answer in time. */
export async function setSession(client: pg.ClientBase, connectMs = CONNECT_MS): Promise<void> {
  const inTime = (text: string) => ({ text, query_timeout: connectMs });
  await client.query(inTime(PROBES));
  try {
    await client.query(inTime(LOOK_FOR_CLIENT));
  } catch (error) {
    if (!UNKNOWN_SETTINGS.includes((error as { code?: unknown }).code)) throw error;
  }
}

/** Returns the settings of each client of a PostgreSQL. */
export const clientSettings = (url: string, connectMs = CONNECT_MS) => ({
  connectionString: url,
  connectionTimeoutMillis: connectMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
});
