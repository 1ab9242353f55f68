/**
 * This file sends the due deliveries, many at a time, until `stop` is called.
 *
 * Each message is sent at least once: a delivery is claimed before it is sent, and its outcome is recorded afterwards.
 * If the process dies in between, the delivery is sent again. While no process dies, each message is sent exactly once:
 * only the process that has claimed a delivery works on it, and the delivery keeps its slot until its outcome is
 * recorded, however long the database takes. So the number of slots bounds the number of deliveries that are sent twice
 * after a kill.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Schema } from '../../db/schema.ts';
import { createPoller } from '../../jobs/poller.ts';
import type { Send } from '../../net/guarded-send.ts';
import { tracedSend } from '../../net/traced-send.ts';
import type { Vault } from '../../secrets.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Tracer } from '../../telemetry/trace.ts';
import { must, newId } from '../../util.ts';
import { type AttemptOutcome, attempt, outcomeOfInternalError } from './attempt.ts';
import {
  type ChosenDelivery,
  type DeliveryLimits,
  DeliverySlots,
  keyOf,
  LIMITS,
} from './fair-scheduler.ts';
import * as queue from './queue-store.ts';
import { type AttemptedDelivery, record } from './record.ts';

const GATHER_MS = 20;
const RETRY_MS = 1000;
const DRAIN_MS = 5000;
const DEADLINE_MS = 15_000;
const BODY_MS = 2000;

export interface DeliverDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly vault: Vault;
  readonly send: Send;
  readonly allowLoopback: boolean;
  /**
   * The clock returns milliseconds since 1970. All due times are compared with this clock, which is that of the
   * database.
   */
  readonly clock: () => Promise<number>;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly log: Logger;
  /** Returns after how many milliseconds the loop looks for deliveries again when nobody wakes it. */
  readonly pollMs: () => number;
  readonly limits?: DeliveryLimits;
  /** An attempt has `deadlineMs` until its answer comes, and after that `bodyMs` for the beginning of the body. */
  readonly deadlineMs?: number;
  readonly bodyMs?: number;
  /** After a call of `stop`, attempts that have begun may end within this time. */
  readonly drainMs?: number;
}

export interface Deliveries {
  /** Makes the loop look for due deliveries at once. */
  wake(): void;
  /**
   * Claims nothing more and waits up to `drainMs` for the attempts that have begun. Then it aborts the remaining
   * attempts and gives their deliveries back.
   */
  stop(): Promise<void>;
}

interface SentDelivery extends ChosenDelivery {
  readonly token: string;
}

export function startDeliveries(deps: DeliverDeps): Deliveries {
  const {
    db,
    kind,
    clock,
    metrics,
    tracer,
    log,
    pollMs,
    limits = LIMITS,
    drainMs = DRAIN_MS,
  } = deps;
  const sending = { deadlineMs: DEADLINE_MS, bodyMs: BODY_MS, ...deps };
  const slots = new DeliverySlots(limits);
  const inFlight = new Set<Promise<void>>();
  const aborting = new AbortController();
  const aborted: SentDelivery[] = [];
  let attempted: (AttemptedDelivery & { readonly sent: SentDelivery })[] = [];
  let closed = false;
  const { wake, rest } = createPoller();
  let isRecording = false;
  /** The last look read this time. At first the clock may have been set back while no worker ran. */
  let lastLook = Number.POSITIVE_INFINITY;

  const loop = (async () => {
    while (!closed) {
      await rest((await sendSome()) ? pollMs() : RETRY_MS);
    }
  })();

  /** Begins as many due deliveries as there are free slots. Returns false when the database failed. */
  async function sendSome(): Promise<boolean> {
    if (slots.free === 0) return true;
    let chosen: ChosenDelivery[] = [];
    try {
      const now = await clock();
      if (now < lastLook - queue.LEASE_MS) await queue.freeLateDeliveries(db, now);
      lastLook = now;
      const { perEndpoint } = limits;
      const due = await queue.dueQueues(db, now, { full: slots.full, perEndpoint });
      chosen = slots.choose(due);
      if (chosen.length === 0) return true;
      const token = newId();
      const claimed = await queue.claim(db, kind, { now, token, keys: chosen });
      const unclaimed = new Map(chosen.map((one) => [keyOf(one), one]));
      for (const delivery of claimed) {
        const key = keyOf({ subscriptionId: delivery.id, seq: delivery.event_seq });
        begin({ ...must(unclaimed.get(key)), token }, delivery, now);
        unclaimed.delete(key);
      }
      // Another worker has claimed these deliveries before this one could.
      for (const one of unclaimed.values()) slots.release(one, 'unknown');
      return true;
    } catch (error) {
      for (const one of chosen) slots.release(one, 'unknown');
      log.error({ err: error }, 'cannot claim deliveries');
      return false;
    }
  }

  function begin(sent: SentDelivery, delivery: queue.ClaimedDelivery, now: number): void {
    const done = sendOne(sent, delivery, now).finally(() => inFlight.delete(done));
    inFlight.add(done);
  }

  async function sendOne(
    sent: SentDelivery,
    delivery: queue.ClaimedDelivery,
    now: number,
  ): Promise<void> {
    const span = tracer.begin('webhook.deliver', {
      kind: 'consumer',
      parent: delivery.cause?.trace ?? null,
      facts: {
        'quarry.subscription_id': delivery.id,
        'quarry.message_id': delivery.message_id,
      },
    });
    const ended = (outcome: AttemptOutcome) => {
      attempted.push({ sent, delivery, token: sent.token, outcome });
      const word = outcome.isDelivered ? 'delivered' : 'failed';
      metrics.quarry_webhook_attempts_total.inc({ outcome: word });
      span.note({ 'quarry.delivery.outcome': word });
      span.end(outcome.isDelivered ? undefined : word);
      metrics.quarry_webhook_attempt_duration_seconds.observe(outcome.durationMs / 1000);
    };
    try {
      const request = {
        messageId: delivery.message_id,
        url: delivery.url,
        body: delivery.payload,
        secrets: secretsOf(delivery, now),
      };
      // The receiver of the message may go on with the trace.
      const send = tracedSend(sending.send, span, { facts: {}, tellsTrace: true });
      ended(await attempt({ ...sending, send }, request, { at: now, signal: aborting.signal }));
    } catch (error) {
      if (aborting.signal.aborted) {
        aborted.push(sent);
        span.end('given_back');
      } else {
        log.error({ err: error, subscription: delivery.id }, 'a delivery could not be made');
        ended(outcomeOfInternalError(now));
      }
    }
    if (!isRecording) await recordAll();
  }

  function secretsOf(
    { id, secret, old_secrets: old }: queue.ClaimedDelivery,
    now: number,
  ): string[] {
    const valid = old.filter(({ until }) => until > now).map((one) => one.secret);
    return [secret, ...valid].map((sealed) => deps.vault.open(sealed, id) as string);
  }

  /**
   * A commit of many outcomes costs as much as a commit of one. So outcomes are collected for a moment and while
   * another commit runs.
   */
  async function recordAll(): Promise<void> {
    isRecording = true;
    while (attempted.length + aborted.length > 0) {
      await sleep(GATHER_MS);
      const batch = attempted;
      const back = aborted.splice(0);
      attempted = [];
      if (batch.length > 0) await persist(async () => record(deps, batch, await clock()));
      if (back.length > 0) await persist(async () => queue.giveBack(db, await clock(), back));
      for (const { sent, outcome } of batch)
        slots.release(sent, outcome.isDelivered ? 'success' : 'failed');
      for (const one of back) slots.release(one, 'unknown');
      wake();
    }
    isRecording = false;
  }

  /**
   * Repeats `act` until it succeeds or the drain time after `stop` is over, because a delivery whose outcome is not
   * recorded would be sent again.
   */
  async function persist(act: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await act();
      } catch (error) {
        log.error({ err: error }, 'cannot record deliveries');
        if (aborting.signal.aborted) return;
        await sleep(RETRY_MS);
      }
    }
  }

  return {
    wake,
    async stop() {
      closed = true;
      wake();
      await loop;
      const late = setTimeout(() => aborting.abort(new Error('the worker stops')), drainMs);
      await Promise.all(inFlight);
      clearTimeout(late);
    },
  };
}
