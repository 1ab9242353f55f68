/** This file has the queries on messages: the events of the outbox, and messages that only test an endpoint. */
import type { Db, Tx } from '../db/schema.ts';
import type { Listed, Page } from '../http/lists.ts';
import { must } from '../util.ts';

const messages = (db: Db, organizationId: string) =>
  db.selectFrom('events').where('organization_id', '=', organizationId);

export const find = (db: Db, organizationId: string, id: string) =>
  messages(db, organizationId)
    .select(['id', 'event_type', 'payload', 'created_at'])
    .where('id', '=', id)
    .executeTakeFirst();
export type MessageRow = NonNullable<Awaited<ReturnType<typeof find>>>;

/** Returns a page of messages, the newest first. An empty list of types means all types. */
export async function list(
  db: Db,
  organizationId: string,
  { types, skip, limit }: Page & { readonly types: readonly string[] },
): Promise<Listed<MessageRow>> {
  const all = messages(db, organizationId);
  const wanted = types.length === 0 ? all : all.where('event_type', 'in', types);
  const { total } = await wanted
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await wanted
    .select(['id', 'event_type', 'payload', 'created_at'])
    .orderBy('seq', 'desc')
    .offset(skip)
    .limit(limit)
    .execute();
  return { total: Number(total), rows };
}

/** Writes a message for one subscription only, whatever event types the subscription has chosen. */
export async function insertTest(
  tx: Tx,
  subscriptionId: string,
  message: MessageRow & { readonly organization_id: string },
): Promise<void> {
  const { seq } = must(
    await tx
      .insertInto('events')
      .values({ ...message, collection_id: '', connection_id: null })
      .returning('seq')
      .executeTakeFirst(),
  );
  await tx
    .insertInto('webhook_deliveries')
    .values({
      subscription_id: subscriptionId,
      event_seq: seq,
      state: 'PENDING',
      attempts: 0,
      due_at: 0,
      lease_token: null,
      created_at: message.created_at,
    })
    .execute();
}
