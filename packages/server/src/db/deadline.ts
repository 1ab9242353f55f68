/**
 * A statement may have a deadline. The other end of a connection may be gone without a word, for example because its machine
 * has vanished, or a firewall has forgotten the connection. The operating system then sends a statement again and again for
 * about 15 minutes before it reports an error, and whoever waits for the statement would wait for so long.
 */
import type { DatabaseConnection } from 'kysely';
import pg from 'pg';
import { WITHOUT_LIMITS } from './limits.ts';

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

/** After these words, the connection is in another transaction, or in none. */
const OTHER_TRANSACTION = /^(begin|start transaction|commit|rollback)\b/;

/**
 * Returns a client that keeps these deadlines, and lets other statements fail after `statementMs` milliseconds, unless their
 * transaction has no limits. It needs `pipeline: true`, with which pg closes the connection, too.
 */
export const clientWithDeadlines = (statementMs?: number): typeof pg.Client =>
  class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config);
      let usualMs = statementMs;
      const query = this.query.bind(this) as (...args: unknown[]) => unknown;
      const ended = new Promise<void>((resolve) => void this.once('end', resolve));
      const afterEnd = async (error: unknown) => {
        // Otherwise the pool would give the next statement a connection that is about to end.
        if (this.connection.stream.destroyed) await ended;
        throw error;
      };
      const inTime = (...args: unknown[]): unknown => {
        const [text, values] = args;
        if (typeof text !== 'string') return query(...args);
        if (text === WITHOUT_LIMITS) usualMs = undefined;
        else if (OTHER_TRANSACTION.test(text)) usualMs = statementMs;
        const own = Array.isArray(values) ? deadlines.get(values) : undefined;
        // A commit may wait for a standby. One that is given up would leave a connection at the server that waits on, and
        // the next ones would use up all that the server has.
        const ms = own ?? (text === 'commit' ? undefined : usualMs);
        if (ms === undefined) return query(...args);
        return (query({ text, values, query_timeout: ms }) as Promise<unknown>).catch(afterEnd);
      };
      Object.assign(this, { query: inTime });
    }
  };
