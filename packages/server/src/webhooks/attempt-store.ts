/** This file has the queries on the attempts that have ended and on those that are still due. */
import type { Db } from '../db/schema.ts';
import { deliveryStatesBefore } from '../model/delivery-state.ts';

export type AttemptRow = Awaited<ReturnType<typeof ended>>[number];
export type WaitingRow = Awaited<ReturnType<typeof waiting>>[number];

type AttemptsOf = { readonly subscriptionId: string } | { readonly messageId: string };

/** Returns the ended attempts, the newest first. The type is null for a message that is no longer kept. */
export function ended(db: Db, of: AttemptsOf, limit: number) {
  const attempts = db
    .selectFrom('webhook_attempts as attempt')
    .leftJoin('events', 'events.id', 'attempt.message_id')
    .selectAll('attempt')
    .select('events.event_type');
  const those =
    'messageId' in of
      ? attempts.where('attempt.message_id', '=', of.messageId)
      : attempts.where('attempt.subscription_id', '=', of.subscriptionId);
  return those.orderBy('attempt.id', 'desc').limit(limit).execute();
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
    .select(['subscription.url', 'events.event_type'])
    .where('delivery.state', 'in', deliveryStatesBefore('deliver'));
  const those =
    'messageId' in of
      ? deliveries.where('events.id', '=', of.messageId)
      : deliveries.where('delivery.subscription_id', '=', of.subscriptionId);
  return those.orderBy('delivery.due_at').limit(limit).execute();
}
