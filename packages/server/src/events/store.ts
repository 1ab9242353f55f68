/**
 * The outbox: what happened, for those who are told of it later.
 *
 * An event is written in the transaction of its change, so it exists exactly if the change does. Its
 * payload is written once, as the bytes that are delivered, and never made again from anything.
 *
 * Order. `seq` is drawn by the database. SQLite has one writer at a time, so it is the order of the
 * commits. A sequence of PostgreSQL is outside of transactions: of two side by side, the one that drew
 * first may commit last. Therefore whoever emits holds the row that the event is about from before it
 * draws until it has committed: the connection's row for an event of a connection or of its jobs
 * (syncs/jobs/job-store.ts), else the collection's. The second one draws after the first has committed: the
 * events of one connection, and those of one collection, are numbered in the order of their commits.
 * Across them they are not: a number may come to light after a greater one, so a reader must not take
 * the greatest it has seen for the end of what it knows. Numbers of what was rolled back are missing.
 *
 * Webhooks do not read it: a trigger makes the deliveries of an event in its transaction (migration 0012).
 *
 * Locks are taken in the order organization, collection, connection, job; an event takes those of the organization's
 * webhook subscriptions after them, in shared mode.
 */
import type { Db, Tx } from '../db/schema.ts';
import { chunked, instant, newId } from '../util.ts';
import type { OutboxEvent } from './types.ts';

/** Bind variables of a statement stay below what both databases take. */
const ROWS = 100;
export const KEPT_MS = 30 * 24 * 3600 * 1000;
const TRIMMED_AT_ONCE = 500;

/** Writes the events in this order. The caller holds the row that they are about. */
export async function emit(tx: Tx, ...events: readonly OutboxEvent[]): Promise<void> {
  const now = Date.now();
  for (const some of chunked(events, ROWS)) {
    await tx
      .insertInto('events')
      .values(
        some.map(({ type, organizationId, collectionId, connectionId, fields }) => ({
          id: newId(),
          organization_id: organizationId,
          collection_id: collectionId,
          connection_id: connectionId,
          event_type: type,
          payload: JSON.stringify({
            event_type: type,
            timestamp: instant(now),
            organization_id: organizationId,
            ...fields,
          }),
          created_at: now,
        })),
      )
      .execute();
  }
}

/** Forgets what is older than 30 days, the oldest first and at most 500; gives how many. */
export async function trim(db: Db, now: number): Promise<number> {
  const old = await db
    .selectFrom('events')
    .select('seq')
    .where('created_at', '<', now - KEPT_MS)
    .orderBy('created_at')
    .limit(TRIMMED_AT_ONCE)
    .execute();
  // Looking takes no lock: only a deletion may keep others from writing.
  if (old.length === 0) return 0;
  const seqs = old.map(({ seq }) => seq);
  await db.deleteFrom('events').where('seq', 'in', seqs).execute();
  return seqs.length;
}
