/**
 * A statement may have a deadline. The other end of a connection may be gone without a word, for example because its machine
 * has vanished, or a firewall has forgotten the connection. The operating system then sends a statement again and again for
 * about 15 minutes before it reports an error, and whoever waits for the statement would wait for so long.
 */
import type { DatabaseConnection } from 'kysely';
import pg from 'pg';

/** The key is the list of parameters with which Kysely gives a statement to its client. */
const deadlines = new WeakMap<object, number>();

/** Returns the same connection, whose statements fail when they are not answered within `ms` milliseconds. */
export const inTime = (connection: DatabaseConnection, ms: number): DatabaseConnection => ({
  executeQuery(compiled, options) {
    const parameters = [...compiled.parameters];
    deadlines.set(parameters, ms);
    return connection.executeQuery({ ...compiled, parameters }, options);
  },
  streamQuery: (...query) => connection.streamQuery(...query),
});

/** A client that keeps these deadlines. It needs `pipeline: true`, with which pg closes the connection, too. */
export class ClientWithDeadlines extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    const ended = new Promise<void>((resolve) => void this.once('end', resolve));
    const afterEnd = async (error: unknown) => {
      // Otherwise the pool would give the next statement a connection that is about to end.
      if (this.connection.stream.destroyed) await ended;
      throw error;
    };
    const inTime = (...args: unknown[]): unknown => {
      const [text, values] = args;
      const ms = Array.isArray(values) ? deadlines.get(values) : undefined;
      if (ms === undefined) return query(...args);
      return (query({ text, values, query_timeout: ms }) as Promise<unknown>).catch(afterEnd);
    };
    Object.assign(this, { query: inTime });
  }
}
