/**
 * This file sends the due deliveries, many at a time, until it is told to stop.
 *
 * Each message is sent at least once: a delivery is claimed before it is sent and its outcome is recorded
 * after that, so a delivery whose process dies in between is sent again. A message is sent exactly once while
 * no process dies: only the process that has claimed a delivery works on it, and the delivery keeps its slot
 * until its outcome is recorded, however long the database takes. So a kill can send at most as many
 * deliveries twice as there are slots.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Schema } from '../../db/schema.ts';
import { createPoller } from '../../jobs/poller.ts';
import type { Send } from '../../net/guarded-send.ts';
import type { Vault } from '../../secrets.ts';
import { must, newId } from '../../util.ts';
import { type AttemptOutcome, attempt, notMade } from './attempt.ts';
import {
  type Chosen,
  type DeliveryLimits,
  DeliverySlots,
  keyOf,
  LIMITS,
} from './fair-scheduler.ts';
import * as queue from './queue-store.ts';
import { type Attempted, record } from './record.ts';

const POLL_MS = 250;
const GATHER_MS = 20;
const PATIENCE_MS = 1000;
const DRAIN_MS = 5000;
const DEADLINE_MS = 15_000;
const BODY_MS = 2000;

export interface DeliverDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  readonly vault: Vault;
  readonly send: Send;
  readonly allowLoopback: boolean;
  /** The clock gives milliseconds since 1970; it is the one clock of due times. */
  readonly clock: () => Promise<number>;
  readonly log: Logger;
  readonly limits?: DeliveryLimits;
  /** An attempt has `deadlineMs` until its answer comes, and after that `bodyMs` for the beginning of the body. */
  readonly deadlineMs?: number;
  readonly bodyMs?: number;
  /** Deliveries that are on their way when we are told to stop may end within this time. */
  readonly drainMs?: number;
}

export interface Deliveries {
  /** Something may be due, so the loop looks at once. */
  wake(): void;
  /**
   * Claims nothing more and waits a while for the deliveries on their way; a delivery
   * that is not back by then is given back.
   */
  stop(): Promise<void>;
}

interface SentDelivery extends Chosen {
  readonly token: string;
}

export function startDeliveries(deps: DeliverDeps): Deliveries {
  const { db, kind, clock, log, limits = LIMITS, drainMs = DRAIN_MS } = deps;
  const sending = { deadlineMs: DEADLINE_MS, bodyMs: BODY_MS, ...deps };
  const slots = new DeliverySlots(limits);
  const onTheWay = new Set<Promise<void>>();
  const aborting = new AbortController();
  const brokenOff: SentDelivery[] = [];
  let attempted: (Attempted & { readonly sent: SentDelivery })[] = [];
  let closed = false;
  const { wake, rest } = createPoller();
  let isRecording = false;

  const loop = (async () => {
    while (!closed) {
      await rest((await sendSome()) ? POLL_MS : PATIENCE_MS);
    }
  })();

  /** Sends as many due deliveries as there is room for. Returns false when the database failed. */
  async function sendSome(): Promise<boolean> {
    if (slots.free === 0) return true;
    let chosen: Chosen[] = [];
    try {
      const now = await clock();
      const heads = await queue.heads(db, now, { full: slots.full, each: limits.each });
      chosen = slots.choose(heads);
      if (chosen.length === 0) return true;
      const token = newId();
      const claimed = await queue.claim(db, kind, { now, token, keys: chosen });
      const lost = new Map(chosen.map((one) => [keyOf(one), one]));
      for (const delivery of claimed) {
        const key = keyOf({ subscriptionId: delivery.id, seq: delivery.event_seq });
        begin({ ...must(lost.get(key)), token }, delivery, now);
        lost.delete(key);
      }
      // Another worker has claimed these deliveries first.
      for (const one of lost.values()) slots.give(one, 'unknown');
      return true;
    } catch (error) {
      for (const one of chosen) slots.give(one, 'unknown');
      log.error({ err: error }, 'cannot claim deliveries');
      return false;
    }
  }

  function begin(sent: SentDelivery, delivery: queue.ClaimedDelivery, now: number): void {
    const done = sendOne(sent, delivery, now).finally(() => onTheWay.delete(done));
    onTheWay.add(done);
  }

  async function sendOne(
    sent: SentDelivery,
    delivery: queue.ClaimedDelivery,
    now: number,
  ): Promise<void> {
    const ended = (outcome: AttemptOutcome) =>
      attempted.push({ sent, delivery, token: sent.token, outcome });
    try {
      const request = {
        messageId: delivery.message_id,
        url: delivery.url,
        body: delivery.payload,
        secrets: secretsOf(delivery, now),
      };
      ended(await attempt(sending, request, { at: now, signal: aborting.signal }));
    } catch (error) {
      if (aborting.signal.aborted) brokenOff.push(sent);
      else {
        log.error({ err: error, subscription: delivery.id }, 'a delivery could not be made');
        ended(notMade(now));
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
   * A commit costs as much for one outcome as for many, so outcomes gather for a
   * moment, and while another commit runs.
   */
  async function recordAll(): Promise<void> {
    isRecording = true;
    while (attempted.length + brokenOff.length > 0) {
      await sleep(GATHER_MS);
      const batch = attempted;
      const back = brokenOff.splice(0);
      attempted = [];
      if (batch.length > 0) await persist(async () => record(deps, batch, await clock()));
      if (back.length > 0) await persist(async () => queue.giveBack(db, await clock(), back));
      for (const { sent, outcome } of batch)
        slots.give(sent, outcome.isDelivered ? 'success' : 'failed');
      for (const one of back) slots.give(one, 'unknown');
      wake();
    }
    isRecording = false;
  }

  /**
   * Repeats `act` until it succeeds or we are told to stop, because a delivery whose outcome
   * is not recorded would be sent again.
   */
  async function persist(act: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await act();
      } catch (error) {
        log.error({ err: error }, 'cannot record deliveries');
        if (aborting.signal.aborted) return;
        await sleep(PATIENCE_MS);
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
      await Promise.all(onTheWay);
      clearTimeout(late);
    },
  };
}
