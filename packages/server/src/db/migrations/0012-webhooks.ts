/**
 * This migration adds webhooks. A trigger on the outbox makes the deliveries: whatever code writes an event, each
 * subscription that wants the event has its delivery in the same transaction. So no reader of the outbox can be
 * late or miss a number that becomes visible after a greater one (docs/decisions/0014-webhooks.md).
 */
import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../connect.ts';
import type { ColumnTypes } from '../migrate.ts';

export const up =
  (kind: DatabaseKind, types: ColumnTypes) =>
  async (db: Kysely<unknown>): Promise<void> => {
    await db.schema
      .createTable('webhook_subscriptions')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('organization_id', 'text', (c) => c.notNull())
      .addColumn('url', 'text', (c) => c.notNull())
      .addColumn('description', 'text')
      .addColumn('filter_types', types.json, (c) => c.notNull())
      .addColumn('secret', 'text', (c) => c.notNull())
      .addColumn('secret_key', 'text', (c) => c.notNull())
      .addColumn('old_secrets', types.json, (c) => c.notNull().defaultTo('[]'))
      .addColumn('disabled_at', 'bigint')
      .addColumn('disabled_reason', 'text')
      .addColumn('failing_since', 'bigint')
      .addColumn('rest_until', 'bigint', (c) => c.notNull().defaultTo(0))
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('modified_at', 'bigint', (c) => c.notNull())
      .execute();
    await db.schema
      .createTable('webhook_deliveries')
      .addColumn('subscription_id', 'text', (c) => c.notNull())
      .addColumn('event_seq', 'bigint', (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('attempts', 'integer', (c) => c.notNull())
      .addColumn('due_at', 'bigint', (c) => c.notNull())
      .addColumn('lease_token', 'text')
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('webhook_deliveries_pk', ['subscription_id', 'event_seq'])
      .execute();
    await db.schema
      .createTable('webhook_attempts')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('organization_id', 'text', (c) => c.notNull())
      .addColumn('subscription_id', 'text', (c) => c.notNull())
      .addColumn('message_id', 'text', (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('response', 'text', (c) => c.notNull())
      .addColumn('response_status_code', 'integer', (c) => c.notNull())
      .addColumn('error', 'text')
      .addColumn('url', 'text', (c) => c.notNull())
      .addColumn('duration_ms', 'integer', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .execute();
    await db.schema
      .createTable('webhook_recoveries')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('subscription_id', 'text', (c) => c.notNull())
      .addColumn('since', 'bigint', (c) => c.notNull())
      .addColumn('until', 'bigint')
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('after_seq', 'bigint', (c) => c.notNull())
      .addColumn('messages', 'integer', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('completed_at', 'bigint')
      .execute();

    const index = (table: string, name: string, columns: string[]) =>
      db.schema.createIndex(`${table}_${name}`).on(table).columns(columns).execute();
    await index('webhook_subscriptions', 'organization', ['organization_id', 'id']);
    await index('webhook_attempts', 'subscription', ['subscription_id', 'id']);
    await index('webhook_attempts', 'message', ['message_id', 'id']);
    await index('webhook_attempts', 'created', ['created_at']);
    await index('webhook_deliveries', 'created', ['created_at']);
    await index('webhook_deliveries', 'event', ['event_seq']);
    await index('webhook_recoveries', 'subscription', ['subscription_id']);
    await index('webhook_recoveries', 'completed', ['completed_at']);
    await index('events', 'organization_type', ['organization_id', 'event_type', 'seq']);
    // The index is partial because the waiting deliveries are few compared with the delivered ones.
    await sql`create index webhook_deliveries_waiting
      on webhook_deliveries (subscription_id, due_at, event_seq)
      where state = 'PENDING'`.execute(db);
    for (const statement of kind === 'postgres' ? POSTGRES : SQLITE)
      await sql.raw(statement).execute(db);
  };

const SQLITE = [
  `create trigger events_fan_out after insert on events begin
     insert into webhook_deliveries (subscription_id, event_seq, state, attempts, due_at, created_at)
     select subscription.id, new.seq, 'PENDING', 0, new.created_at, new.created_at
     from webhook_subscriptions as subscription
     where subscription.organization_id = new.organization_id
       and subscription.disabled_at is null
       and exists (select 1 from json_each(subscription.filter_types) where value = new.event_type);
   end`,
];

/**
 * The function first locks all subscriptions of the organization in shared mode, the disabled ones too. A
 * subscription that is being enabled has therefore either committed before the event is fanned out, or waits until
 * the recovery of missed events can see the event. Due times come from the clock of the database, as for jobs.
 */
const POSTGRES = [
  `create function fan_out_events() returns trigger language plpgsql as $$
   begin
     perform 1 from webhook_subscriptions
     where organization_id in (select organization_id from came)
     order by id for key share;
     insert into webhook_deliveries (subscription_id, event_seq, state, attempts, due_at, created_at)
     select subscription.id, came.seq, 'PENDING', 0,
       cast(extract(epoch from clock_timestamp()) * 1000 as bigint), came.created_at
     from came join webhook_subscriptions as subscription
       on subscription.organization_id = came.organization_id
     where subscription.disabled_at is null and subscription.filter_types ? came.event_type;
     return null;
   end $$`,
  `create trigger events_fan_out after insert on events
   referencing new table as came for each statement execute function fan_out_events()`,
];
