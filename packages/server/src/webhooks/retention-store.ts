/**
 * These queries remove attempts and deliveries after 30 days, like their messages. They also remove the rows of a
 * deleted subscription. Each statement removes a few hundred rows, which a query without a lock has found before.
 */
import { sql } from 'kysely';
import type { Db } from '../db/schema.ts';
import { KEPT_MS } from '../events/store.ts';

const ROWS_PER_STEP = 500;

/** Removes some rows that are too old, the oldest first. Returns how many rows it removed. */
export async function trimWebhooks(db: Db, now: number): Promise<number> {
  const before = now - KEPT_MS;
  const attempts = await db
    .selectFrom('webhook_attempts')
    .select('id')
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(ROWS_PER_STEP)
    .execute();
  const deliveries = await db
    .selectFrom('webhook_deliveries')
    .select(['subscription_id', 'event_seq'])
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(ROWS_PER_STEP)
    .execute();
  const recoveries = await db
    .selectFrom('webhook_recoveries')
    .select('id')
    .where('completed_at', '<', before)
    .limit(ROWS_PER_STEP)
    .execute();
  await removeAttempts(db, attempts);
  await removeDeliveries(db, deliveries);
  if (recoveries.length > 0) {
    const ids = recoveries.map(({ id }) => id);
    await db.deleteFrom('webhook_recoveries').where('id', 'in', ids).execute();
  }
  return attempts.length + deliveries.length + recoveries.length;
}

/** Removes some rows of the subscription. Returns true when it has removed any; the caller then calls it again. */
export async function removeSome(db: Db, subscriptionId: string): Promise<boolean> {
  const attempts = await db
    .selectFrom('webhook_attempts')
    .select('id')
    .where('subscription_id', '=', subscriptionId)
    .limit(ROWS_PER_STEP)
    .execute();
  const deliveries = await db
    .selectFrom('webhook_deliveries')
    .select(['subscription_id', 'event_seq'])
    .where('subscription_id', '=', subscriptionId)
    .limit(ROWS_PER_STEP)
    .execute();
  await removeAttempts(db, attempts);
  await removeDeliveries(db, deliveries);
  return attempts.length + deliveries.length > 0;
}

export const removeRecoveries = (db: Db, subscriptionId: string): Promise<unknown> =>
  db.deleteFrom('webhook_recoveries').where('subscription_id', '=', subscriptionId).execute();

async function removeAttempts(db: Db, rows: readonly { readonly id: string }[]): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  await db.deleteFrom('webhook_attempts').where('id', 'in', ids).execute();
}

async function removeDeliveries(
  db: Db,
  rows: readonly { readonly subscription_id: string; readonly event_seq: number }[],
): Promise<void> {
  if (rows.length === 0) return;
  const keys = rows.map((row) => sql`(${row.subscription_id}, cast(${row.event_seq} as bigint))`);
  await db
    .deleteFrom('webhook_deliveries')
    .where(sql<boolean>`(subscription_id, event_seq) in (values ${sql.join(keys)})`)
    .execute();
}
