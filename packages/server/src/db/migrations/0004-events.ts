/** This migration makes the outbox of events (events/store.ts). */
import type { Kysely } from 'kysely';
import type { ColumnTypes } from '../migrate.ts';

export const up =
  (types: ColumnTypes) =>
  async (db: Kysely<unknown>): Promise<void> => {
    await db.schema
      .createTable('events')
      .addColumn('seq', types.serial, (c) => types.autoIncrement(c.primaryKey()))
      .addColumn('id', 'text', (c) => c.notNull().unique())
      .addColumn('organization_id', 'text', (c) => c.notNull())
      .addColumn('collection_id', 'text', (c) => c.notNull())
      .addColumn('connection_id', 'text')
      .addColumn('event_type', 'text', (c) => c.notNull())
      // The payload is text and not JSON because it is delivered byte for byte.
      .addColumn('payload', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .execute();
    const index = (name: string, columns: string[]) =>
      db.schema.createIndex(name).on('events').columns(columns).execute();
    await index('events_organization', ['organization_id', 'seq']);
    await index('events_created', ['created_at']);
  };
