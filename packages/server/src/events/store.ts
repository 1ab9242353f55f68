/**
 * The outbox is the table `events`. It keeps each event for 30 days.
 *
 * An event is written in the transaction of its change, so it exists exactly if the change does. Its payload is written
 * once, as the bytes that are delivered, and is never computed a second time.
 *
 * The order of events is that of `seq`, which the database assigns. SQLite has one writer at a time, so `seq` is the
 * order of the commits. A sequence of PostgreSQL is outside of transactions: of two concurrent transactions, the one
 * that took its number first may commit last. Therefore a caller that emits an event locks the row that the event is
 * about before it takes a number, and keeps the lock until it has committed: the connection's row for an event of a
 * connection or of its jobs (syncs/jobs/job-store.ts), else the collection's row. The second caller then takes its
 * number after the first has committed, so the events of one connection, and those of one collection, are numbered in
 * the order of their commits. Events of different connections are not numbered in that order: a number may become
 * visible after a greater one. So a reader that has seen a number may not yet have seen all smaller ones. Numbers of
 * transactions that were rolled back are missing.
 *
 * Webhooks do not read the outbox: a trigger creates the deliveries of an event in its transaction (migration 0012).
 *
 * Locks are taken in the order organization, collection, connection, job. After them an event locks the webhook
 * subscriptions of the organization, in shared mode.
 */
import type { Db, Tx } from '../db/schema.ts';
import { chunked, instant, newId } from '../util.ts';
import type { OutboxEvent } from './types.ts';

/** This keeps the bind variables of a statement below the limits of both databases. */
const ROWS = 100;
export const KEPT_MS = 30 * 24 * 3600 * 1000;
const TRIMMED_AT_ONCE = 500;

/** Writes the events in the order of the arguments. The caller has locked the row that the events are about. */
export async function emit(tx: Tx, ...events: readonly OutboxEvent[]): Promise<void> {
  const now = Date.now();
  for (const some of chunked(events, ROWS)) {
    await tx
      .insertInto('events')
      .values(
        some.map(({ type, organizationId, collectionId, connectionId, fields, cause }) => ({
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
          cause: cause ? JSON.stringify(cause) : null,
          created_at: now,
        })),
      )
      .execute();
  }
}

/** Deletes events that are older than 30 days, the oldest first and at most 500. Returns how many it deleted. */
export async function trim(db: Db, now: number): Promise<number> {
  const old = await db
    .selectFrom('events')
    .select('seq')
    .where('created_at', '<', now - KEPT_MS)
    .orderBy('created_at')
    .limit(TRIMMED_AT_ONCE)
    .execute();
  // The query above takes no lock. Only a deletion may block other writers, so it runs only when it is needed.
  if (old.length === 0) return 0;
  const seqs = old.map(({ seq }) => seq);
  await db.deleteFrom('events').where('seq', 'in', seqs).execute();
  return seqs.length;
}
