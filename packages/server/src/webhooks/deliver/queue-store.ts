/**
 * This file uses the table of deliveries as a queue. A delivery is due at `due_at`. A claim moves `due_at` into the
 * future and stores a token: this is the lease. If the process dies, the delivery is due again when the lease has run
 * out. A process that records an outcome must present the token of its claim, so it changes nothing when another
 * process has claimed the delivery meanwhile.
 */
import { type Insertable, sql } from 'kysely';
import { endsTooLate } from '../../db/clock.ts';
import type { DatabaseKind } from '../../db/connect.ts';
import { isRestOver } from '../../db/endpoint-rest.ts';
import type { Db, Tx, WebhookAttemptTable } from '../../db/schema.ts';
import { type DeliveryState, deliveryStatesBefore } from '../../model/delivery-state.ts';
import type { EndpointQueue } from './fair-scheduler.ts';
import { LONGEST_WAIT_MS } from './schedule.ts';

/** A lease lasts longer than an attempt and the recording of its outcome take. */
export const LEASE_MS = 60_000;

/**
 * Returns the endpoints with due deliveries, the one that has waited longest first, and the oldest `perEndpoint` due
 * deliveries of each. Endpoints in `full` are left out. The recursive query jumps in the index from one endpoint with
 * pending deliveries to the next. So its time depends neither on the number of pending deliveries nor on the number of
 * endpoints that have none.
 */
export async function dueQueues(
  db: Db,
  now: number,
  { full, perEndpoint }: { readonly full: readonly string[]; readonly perEndpoint: number },
): Promise<EndpointQueue[]> {
  const own = sql`from webhook_deliveries where subscription_id = subscription.id
    and state = 'PENDING'`;
  const { rows } = await sql<{
    id: string;
    organization_id: string;
    failing_since: number | null;
    seqs: string;
  }>`
    with recursive waiting (id) as (
      select min(subscription_id) from webhook_deliveries where state = 'PENDING'
      union all
      select (select min(subscription_id) from webhook_deliveries
        where state = 'PENDING' and subscription_id > waiting.id)
      from waiting where waiting.id is not null
    )
    select subscription.id, organization_id, failing_since,
      (select string_agg(cast(event_seq as text), ',' order by due_at, event_seq)
        from (select event_seq, due_at ${own} and due_at <= ${now}
          order by due_at, event_seq limit ${sql.lit(perEndpoint)}) as first) as seqs
    from waiting join webhook_subscriptions as subscription on subscription.id = waiting.id
    where disabled_at is null and ${isRestOver(now)}
      and subscription.id not in (${sql.join(['', ...full])})
      and (select min(due_at) ${own}) <= ${now}
    order by (select min(due_at) ${own}), subscription.id`.execute(db);
  return rows.map((row) => ({
    subscriptionId: row.id,
    organizationId: row.organization_id,
    isFailing: row.failing_since !== null,
    seqs: row.seqs.split(',').map(Number),
  }));
}

export interface DeliveryKey {
  readonly subscriptionId: string;
  readonly seq: number;
}

const valuesOfKeys = (keys: readonly DeliveryKey[]) =>
  sql`(values ${sql.join(
    keys.map(({ subscriptionId, seq }) => sql`(${subscriptionId}, cast(${seq} as bigint))`),
  )})`;

interface ClaimRequest {
  readonly now: number;
  readonly token: string;
  readonly keys: readonly DeliveryKey[];
}

/** Claims those of the deliveries that are still due, and returns them with the values that an attempt needs. */
export async function claim(db: Db, kind: DatabaseKind, { now, token, keys }: ClaimRequest) {
  // Locked rows are skipped because two workers that lock the same rows, each in its
  // own order, would wait for each other.
  await sql`
    update webhook_deliveries set lease_token = ${token}, due_at = ${now + LEASE_MS}
    where (subscription_id, event_seq) in (
      select subscription_id, event_seq from webhook_deliveries
      where (subscription_id, event_seq) in ${valuesOfKeys(keys)}
        and state = 'PENDING' and due_at <= ${now}
      ${kind === 'postgres' ? sql`for update skip locked` : sql``})`.execute(db);
  return db
    .selectFrom('webhook_deliveries as delivery')
    .innerJoin('events', 'events.seq', 'delivery.event_seq')
    .innerJoin('webhook_subscriptions as subscription', (join) =>
      join.onRef('subscription.id', '=', 'delivery.subscription_id').on('disabled_at', 'is', null),
    )
    .select(['delivery.event_seq', 'delivery.attempts', 'events.id as message_id'])
    .select(['events.payload', 'events.cause', 'subscription.id', 'subscription.organization_id'])
    .select(['subscription.url', 'subscription.secret', 'subscription.old_secrets'])
    .where(sql<boolean>`(delivery.subscription_id, delivery.event_seq) in ${valuesOfKeys(keys)}`)
    .where('delivery.lease_token', '=', token)
    .execute();
}
export type ClaimedDelivery = Awaited<ReturnType<typeof claim>>[number];

export interface EndedDelivery extends DeliveryKey {
  readonly token: string;
  readonly state: DeliveryState;
  /** The next attempt is due at this time, in milliseconds since 1970. */
  readonly dueAt: number;
}

/**
 * Writes the outcomes of these deliveries, and returns the deliveries that were written. A delivery that another process
 * has claimed meanwhile has another token, and stays unchanged.
 */
export async function recordOutcomes(
  tx: Tx,
  ended: readonly EndedDelivery[],
): Promise<DeliveryKey[]> {
  const rows = ended.map(
    ({ subscriptionId, seq, token, state, dueAt }) =>
      sql`(${subscriptionId}, cast(${seq} as bigint), ${token}, ${state}, cast(${dueAt} as bigint))`,
  );
  const written = await sql<{ subscription_id: string; event_seq: number }>`
    update webhook_deliveries set attempts = attempts + 1, lease_token = null,
      state = ended.column4, due_at = ended.column5
    from (values ${sql.join(rows)}) as ended
    where subscription_id = ended.column1 and event_seq = ended.column2
      and lease_token = ended.column3
    returning subscription_id, event_seq`.execute(tx);
  return written.rows.map((row) => ({ subscriptionId: row.subscription_id, seq: row.event_seq }));
}

export const insertAttempts = (
  tx: Tx,
  attempts: readonly Insertable<WebhookAttemptTable>[],
): Promise<unknown> => tx.insertInto('webhook_attempts').values(attempts).execute();

/** Makes these deliveries due again. The outcome of an aborted attempt is unknown, so the attempt is not counted. */
export async function giveBack(
  db: Db,
  now: number,
  keys: readonly (DeliveryKey & { readonly token: string })[],
): Promise<void> {
  const tokens = keys.map(({ token }) => token);
  await sql`
    update webhook_deliveries set lease_token = null, due_at = ${now}
    where (subscription_id, event_seq) in ${valuesOfKeys(keys)}
      and lease_token in (${sql.join(tokens)})`.execute(db);
}

/**
 * Makes deliveries due that wait for longer than any may, because the clock was set back: those whose worker may have died,
 * and those that were due by the clock of before. The statement reads all pending deliveries, so it runs seldom.
 */
export async function freeLateDeliveries(db: Db, now: number): Promise<void> {
  await db
    .updateTable('webhook_deliveries')
    .set({ due_at: now })
    .where('state', 'in', deliveryStatesBefore('deliver'))
    .where((eb) =>
      eb.or([
        eb.and([eb('lease_token', 'is not', null), endsTooLate(now, 'due_at', LEASE_MS)]),
        eb('due_at', '>', now + LONGEST_WAIT_MS),
      ]),
    )
    .execute();
}

/**
 * Makes all claimed deliveries due. A service with an embedded database calls this at its start: no other process can
 * hold a lease, so the existing leases belong to processes that have died.
 */
export const takeOverDeliveries = (db: Db): Promise<unknown> =>
  db
    .updateTable('webhook_deliveries')
    .set({ lease_token: null, due_at: 0 })
    .where('state', 'in', deliveryStatesBefore('deliver'))
    .where('lease_token', 'is not', null)
    .execute();
