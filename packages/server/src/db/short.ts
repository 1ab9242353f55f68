/** Makes statements fail in time that must not wait for a silent connection (deadline.ts). */
import { Kysely } from 'kysely';
import { inTime } from './deadline.ts';
import { withoutConnections } from './pipelined.ts';
import type { Db, Schema } from './schema.ts';

/** A busy server may need a while, and a heartbeat waits for a commit that has locked its row. */
const SHORT_MS = 30_000;

/**
 * Returns the same database for short statements. On PostgreSQL, one that is not answered within `ms` milliseconds fails,
 * and its connection is closed, so that the next statement gets another one.
 */
export function withDeadline(db: Db, ms = SHORT_MS): Kysely<Schema> {
  const executor = db.getExecutor();
  const marked = executor.withConnectionProvider({
    provideConnection: (consumer) =>
      executor.provideConnection((connection) => consumer(inTime(connection, ms))),
  });
  return new Kysely<Schema>({ ...withoutConnections(), executor: marked });
}
