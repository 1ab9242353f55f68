/**
 * A short statement has a deadline. The other end of a connection may be gone without a word, for example because a
 * firewall has forgotten the connection. The operating system then sends a statement again and again for about 15 minutes
 * before it reports an error, and whoever waits for the statement would wait for so long.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';

/** A busy server may need a while, and a heartbeat waits for a commit that has locked its row. */
const SHORT_MS = 30_000;

const deadlines = new AsyncLocalStorage<number>();

/**
 * Runs short statements. On PostgreSQL, one that is not answered within `ms` milliseconds fails, and its connection is
 * closed, so that the next statement gets another one.
 */
export const shortly = <T>(work: () => Promise<T>, ms = SHORT_MS): Promise<T> =>
  deadlines.run(ms, work);

/** A client whose statements keep the deadline of `shortly`. It needs `pipeline: true`, with which pg closes connections. */
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
      const [text, values, ...others] = args;
      const ms = deadlines.getStore();
      if (ms === undefined || typeof text !== 'string' || others.length > 0) return query(...args);
      return (query({ text, values, query_timeout: ms }) as Promise<unknown>).catch(afterEnd);
    };
    Object.assign(this, { query: inTime });
  }
}
