/**
 * This file records the outcomes of attempts in their deliveries and subscriptions, many outcomes in one transaction.
 */
import type { Kysely } from 'kysely';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Schema } from '../../db/schema.ts';
import { DELIVERY_MOVES } from '../../model/delivery-state.ts';
import { newId } from '../../util.ts';
import type { AttemptOutcome } from './attempt.ts';
import * as endpoints from './endpoint-store.ts';
import { keyOf } from './fair-scheduler.ts';
import * as queue from './queue-store.ts';
import { delayAfter, pauseOf } from './schedule.ts';

/** A subscription is disabled when its endpoint has failed for this long without a success. */
const FAILING_MS = 5 * 24 * 3_600_000;
const GONE = 410;
/** With these statuses, Retry-After is about the endpoint and not about the message. */
const BUSY = [429, 503];

export interface AttemptedDelivery {
  readonly delivery: queue.ClaimedDelivery;
  readonly token: string;
  readonly outcome: AttemptOutcome;
}

/**
 * The attempts must be in the order in which they ended. An attempt of a worker that has lost its lease changes nothing,
 * because another worker may have delivered the message meanwhile.
 */
export async function record(
  { db, kind }: { readonly db: Kysely<Schema>; readonly kind: DatabaseKind },
  attempted: readonly AttemptedDelivery[],
  now: number,
): Promise<void> {
  const idsOf = (some: readonly AttemptedDelivery[]) => [
    ...new Set(some.map((one) => one.delivery.id)),
  ];
  await db.transaction().execute(async (tx) => {
    const maybeFailed = attempted.filter(hasFailed);
    const urls = await endpoints.urlsOf(tx, kind, {
      ids: idsOf(maybeFailed),
      locked: maybeFailed.some(isGone),
    });
    /** If the URL was changed meanwhile, the answer of the old URL says nothing about the new URL. */
    const hasSameUrl = ({ delivery }: AttemptedDelivery) => urls.get(delivery.id) === delivery.url;
    const isOver = (one: AttemptedDelivery) => isGone(one) && hasSameUrl(one);
    const ended = attempted.map((one) => ({ ...one, ...nextOf(one, isOver(one), now) }));
    const written = await queue.recordOutcomes(
      tx,
      ended.map(({ delivery, token, state, dueAt }) => ({
        ...keyOfDelivery(delivery),
        token,
        state,
        dueAt,
      })),
    );
    const keys = new Set(written.map(keyOf));
    const held = ended.filter((one) => keys.has(keyOf(keyOfDelivery(one.delivery))));
    if (held.length === 0) return;
    const last = new Map(held.map((one) => [one.delivery.id, one]));
    const failed = held.filter(hasFailed);
    await queue.insertAttempts(tx, held.map(toRow));
    await endpoints.noteSuccess(tx, idsOf(held.filter((one) => !hasFailed(one))));
    const failing = failed.filter((one) => last.get(one.delivery.id) === one && hasSameUrl(one));
    await endpoints.noteFailure(tx, idsOf(failing), now);
    await endpoints.notePauses(tx, pausesOf(failed.filter(hasSameUrl), now));
    await endpoints.disable(tx, kind, {
      ids: idsOf(failed.filter(isOver)),
      at: now,
      reason: 'The endpoint answered 410 Gone.',
    });
    const givenUp = idsOf(held.filter(({ state }) => state === DELIVERY_MOVES.give_up.PENDING));
    const failingTooLong = await endpoints.failingSince(tx, givenUp, now - FAILING_MS);
    await endpoints.disable(tx, kind, {
      ids: failingTooLong,
      at: now,
      reason: 'Every attempt has failed for five days.',
    });
  });
}

const hasFailed = ({ outcome }: AttemptedDelivery) => !outcome.isDelivered;

const keyOfDelivery = (delivery: queue.ClaimedDelivery): queue.DeliveryKey => ({
  subscriptionId: delivery.id,
  seq: delivery.event_seq,
});

const isGone = ({ outcome }: AttemptedDelivery) => outcome.status === GONE;

function nextOf({ delivery, outcome }: AttemptedDelivery, gone: boolean, now: number) {
  if (outcome.isDelivered) return { state: DELIVERY_MOVES.deliver.PENDING, dueAt: now };
  const delay = gone ? undefined : delayAfter(delivery.attempts + 1, outcome.retryAfter);
  if (delay === undefined) return { state: DELIVERY_MOVES.give_up.PENDING, dueAt: now };
  return { state: DELIVERY_MOVES.retry.PENDING, dueAt: now + delay };
}

const toRow = ({ delivery, outcome }: AttemptedDelivery) => ({
  id: newId(),
  organization_id: delivery.organization_id,
  subscription_id: delivery.id,
  message_id: delivery.message_id,
  status: outcome.isDelivered ? ('success' as const) : ('failed' as const),
  response: outcome.response,
  response_status_code: outcome.status,
  error: outcome.error,
  url: delivery.url,
  duration_ms: outcome.durationMs,
  created_at: outcome.at,
});

function pausesOf(attempted: readonly AttemptedDelivery[], now: number): Map<string, number> {
  const pauses = new Map<string, number>();
  for (const { delivery, outcome } of attempted)
    if (BUSY.includes(outcome.status) && outcome.retryAfter !== undefined)
      pauses.set(delivery.id, now + pauseOf(outcome.retryAfter));
  return pauses;
}
