/** This file has the queries on subscriptions. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { nowMs } from '../db/clock.ts';
import type { DatabaseKind } from '../db/connect.ts';
import type { Db, Tx, WebhookSubscriptionTable } from '../db/schema.ts';
import type { Listed, Page } from '../http/lists.ts';
import {
  type AttemptResult,
  DELIVERY_MOVES,
  deliveryStatesBefore,
} from '../model/delivery-state.ts';

export type SubscriptionRow = Selectable<WebhookSubscriptionTable>;
export interface ShownRow extends SubscriptionRow {
  /** These are the outcomes of the newest ten attempts, the newest first. */
  readonly outcomes: readonly AttemptResult[];
}

export const insert = (tx: Tx, row: Insertable<WebhookSubscriptionTable>): Promise<unknown> =>
  tx.insertInto('webhook_subscriptions').values(row).execute();

export async function count(db: Db, organizationId: string): Promise<number> {
  const row = await db
    .selectFrom('webhook_subscriptions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

const subscriptionsWithOutcomes = (db: Db, organizationId: string) =>
  db
    .selectFrom('webhook_subscriptions as subscription')
    .selectAll()
    .select(
      sql<string | null>`(
        select string_agg(status, ',' order by id desc)
        from (select status, id from webhook_attempts where subscription_id = subscription.id
          order by id desc limit 10) as newest)`.as('outcomes'),
    )
    .where('organization_id', '=', organizationId);

const withOutcomes = <Row extends { readonly outcomes: string | null }>(row: Row) => ({
  ...row,
  outcomes: (row.outcomes?.split(',') ?? []) as AttemptResult[],
});

export async function find(
  db: Db,
  organizationId: string,
  id: string,
): Promise<ShownRow | undefined> {
  const row = await subscriptionsWithOutcomes(db, organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && withOutcomes(row);
}

/** Returns a page of subscriptions, the newest first. */
export async function list(db: Db, organizationId: string, page: Page): Promise<Listed<ShownRow>> {
  const rows = await subscriptionsWithOutcomes(db, organizationId)
    .orderBy('id', 'desc')
    .offset(page.skip)
    .limit(page.limit)
    .execute();
  return { total: await count(db, organizationId), rows: rows.map(withOutcomes) };
}

interface SubscriptionKey {
  readonly organizationId: string;
  readonly id: string;
}

const one = (tx: Tx, { organizationId, id }: SubscriptionKey) =>
  tx
    .selectFrom('webhook_subscriptions')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id);

const locked =
  (how: 'forUpdate' | 'forNoKeyUpdate') =>
  (tx: Tx, kind: DatabaseKind, key: SubscriptionKey): Promise<SubscriptionRow | undefined> =>
    (kind === 'postgres' ? one(tx, key)[how]() : one(tx, key)).executeTakeFirst();

/**
 * Locks the row against changes until the transaction ends. Unlike `lock`, this does not make other transactions wait that
 * write deliveries to the subscription, so a transaction that holds it may itself write events. With `lock`, two such
 * transactions would wait for each other.
 */
export const holdUnchanged = locked('forNoKeyUpdate');

/**
 * Locks the row until the transaction ends. On PostgreSQL the lock waits for transactions that are writing deliveries
 * of their events to this subscription, and makes later ones wait. So a recovery sees all events that the subscription
 * has missed.
 */
export const lock = locked('forUpdate');

export const update = (
  tx: Tx,
  id: string,
  changes: Updateable<WebhookSubscriptionTable>,
): Promise<unknown> =>
  tx.updateTable('webhook_subscriptions').set(changes).where('id', '=', id).execute();

export const remove = (tx: Tx, id: string): Promise<unknown> =>
  tx.deleteFrom('webhook_subscriptions').where('id', '=', id).execute();

/** Removes all subscriptions of the organization and returns their ids. */
export async function removeAll(tx: Tx, organizationId: string): Promise<string[]> {
  const rows = await tx
    .deleteFrom('webhook_subscriptions')
    .where('organization_id', '=', organizationId)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Stops the pending deliveries to these subscriptions. An attempt that has begun is not aborted. */
export async function stopPending(
  tx: Tx,
  kind: DatabaseKind,
  ids: readonly string[],
): Promise<void> {
  await tx
    .updateTable('webhook_deliveries')
    .set({ state: DELIVERY_MOVES.stop.PENDING })
    .where('subscription_id', 'in', ids)
    .where('state', 'in', deliveryStatesBefore('stop'))
    .where((eb) => eb.or([eb('lease_token', 'is', null), eb('due_at', '<=', nowMs(kind))]))
    .execute();
}
