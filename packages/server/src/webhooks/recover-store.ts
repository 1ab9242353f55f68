/**
 * This file has the queries on recoveries. A recovery makes those messages of a period due that were not delivered and
 * have no pending delivery.
 */
import { type Selectable, sql } from 'kysely';
import { nowMs } from '../db/clock.ts';
import type { DatabaseKind } from '../db/connect.ts';
import type { Db, Schema, Tx } from '../db/schema.ts';
import { DELIVERY_MOVES, deliveryStatesBefore } from '../model/delivery-state.ts';

export type RecoveryRow = Selectable<Schema['webhook_recoveries']>;

export const insert = (tx: Tx, row: RecoveryRow): Promise<unknown> =>
  tx.insertInto('webhook_recoveries').values(row).execute();

export const find = (
  db: Db,
  subscriptionId: string,
  id: string,
): Promise<RecoveryRow | undefined> =>
  db
    .selectFrom('webhook_recoveries')
    .selectAll()
    .where('subscription_id', '=', subscriptionId)
    .where('id', '=', id)
    .executeTakeFirst();

/**
 * Returns a running recovery with its subscription; the columns of the subscription are null when it is disabled or
 * deleted.
 */
export const findRunning = (db: Db, id: string) =>
  db
    .selectFrom('webhook_recoveries as recovery')
    .leftJoin('webhook_subscriptions as subscription', (join) =>
      join
        .onRef('subscription.id', '=', 'recovery.subscription_id')
        .on('subscription.disabled_at', 'is', null),
    )
    .selectAll('recovery')
    .select(['subscription.organization_id', 'subscription.filter_types'])
    .where('recovery.id', '=', id)
    .where('recovery.status', '=', 'running')
    .executeTakeFirst();

interface WantedMessages extends Pick<RecoveryRow, 'after_seq' | 'since' | 'until'> {
  readonly types: readonly string[];
  readonly limit: number;
}

/** Returns the sequence numbers of the next `limit` messages of these types after `after_seq`. */
export async function nextMessages(
  db: Db,
  organizationId: string,
  { types, after_seq, since, until, limit }: WantedMessages,
): Promise<number[]> {
  const messages = db
    .selectFrom('events')
    .select('seq')
    .where('organization_id', '=', organizationId)
    .where('event_type', 'in', types)
    .where('seq', '>', after_seq)
    .where('created_at', '>=', since);
  const rows = await (until === null ? messages : messages.where('created_at', '<', until))
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows.map(({ seq }) => seq);
}

/**
 * Makes these messages due and returns how many became due: inserts a delivery where none exists, and resets failed and
 * stopped ones. A delivery that is pending or was delivered stays unchanged.
 */
export async function makeDue(
  tx: Tx,
  kind: DatabaseKind,
  { subscriptionId, seqs }: { readonly subscriptionId: string; readonly seqs: readonly number[] },
): Promise<number> {
  const result = await tx
    .insertInto('webhook_deliveries')
    .columns(['subscription_id', 'event_seq', 'state', 'attempts', 'due_at', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom('events')
        .select([
          sql<string>`cast(${subscriptionId} as text)`.as('subscription_id'),
          'seq',
          sql<'PENDING'>`cast(${DELIVERY_MOVES.recover.FAILED} as text)`.as('state'),
          sql<number>`0`.as('attempts'),
          nowMs(kind).as('due_at'),
          'created_at',
        ])
        .where('seq', 'in', seqs),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['subscription_id', 'event_seq'])
        .doUpdateSet((eb) => ({
          state: eb.ref('excluded.state'),
          attempts: eb.ref('excluded.attempts'),
          due_at: eb.ref('excluded.due_at'),
        }))
        .where('webhook_deliveries.state', 'in', deliveryStatesBefore('recover')),
    )
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0n);
}

/**
 * Stores the progress: `due` more messages became due, and the recovery goes on after the message with the sequence
 * number `afterSeq`.
 */
export const advance = (
  tx: Tx,
  id: string,
  { afterSeq, due }: { readonly afterSeq: number; readonly due: number },
): Promise<unknown> =>
  tx
    .updateTable('webhook_recoveries')
    .set({ after_seq: afterSeq, messages: sql`messages + ${due}` })
    .where('id', '=', id)
    .execute();

export const complete = (db: Db, id: string, at: number): Promise<unknown> =>
  db
    .updateTable('webhook_recoveries')
    .set({ status: 'completed', completed_at: at })
    .where('id', '=', id)
    .execute();
