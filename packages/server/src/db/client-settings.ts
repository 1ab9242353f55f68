/** These settings are those of each connection to a PostgreSQL, of a pool or alone. */

/**
 * The operating system probes a connection that had no traffic for this long. When the server's machine does not answer
 * for about ten more seconds, the connection breaks. It does not probe while a statement that was sent is not
 * acknowledged; deadline.ts is about that.
 */
const KEEP_ALIVE_MS = 10_000;
export const CONNECT_MS = 15_000;

/** Returns the settings of each client of a PostgreSQL. */
export const clientSettings = (url: string, connectMs = CONNECT_MS) => ({
  connectionString: url,
  connectionTimeoutMillis: connectMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
});
