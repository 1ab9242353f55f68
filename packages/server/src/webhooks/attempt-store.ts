/** This file has the queries on the attempts that have ended and on those that are still due. */
import type { Selectable } from 'kysely';
import type { Db, WebhookAttemptTable } from '../db/schema.ts';
import { deliveryStatesBefore } from '../model/delivery-state.ts';

export type AttemptRow = Selectable<WebhookAttemptTable>;
export type WaitingRow = Awaited<ReturnType<typeof waiting>>[number];

type AttemptsOf = { readonly subscriptionId: string } | { readonly messageId: string };

/** Returns the ended attempts, the newest first. */
export function ended(db: Db, of: AttemptsOf, limit: number): Promise<AttemptRow[]> {
  const attempts = db.selectFrom('webhook_attempts').selectAll();
  const those =
    'messageId' in of
      ? attempts.where('message_id', '=', of.messageId)
      : attempts.where('subscription_id', '=', of.subscriptionId);
  return those.orderBy('id', 'desc').limit(limit).execute();
}

/**
 * Returns the pending deliveries in the order in which they are due. Deliveries to disabled subscriptions are left out.
 */
export function waiting(db: Db, of: AttemptsOf, limit: number) {
  const deliveries = db
    .selectFrom('webhook_deliveries as delivery')
    .innerJoin('events', 'events.seq', 'delivery.event_seq')
    .innerJoin('webhook_subscriptions as subscription', (join) =>
      join.onRef('subscription.id', '=', 'delivery.subscription_id').on('disabled_at', 'is', null),
    )
    .select(['delivery.subscription_id', 'delivery.due_at', 'events.id as message_id'])
    .select('subscription.url')
    .where('delivery.state', 'in', deliveryStatesBefore('deliver'));
  const those =
    'messageId' in of
      ? deliveries.where('events.id', '=', of.messageId)
      : deliveries.where('delivery.subscription_id', '=', of.subscriptionId);
  return those.orderBy('delivery.due_at').limit(limit).execute();
}
