/** The audit log of each organization (docs/accounts.md). */
import type { Kysely } from 'kysely';
import type { ColumnTypes } from '../migrate.ts';

export const up =
  (types: ColumnTypes) =>
  async (db: Kysely<unknown>): Promise<void> => {
    await db.schema
      .createTable('audit_events')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('organization_id', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('action', 'text', (c) => c.notNull())
      .addColumn('actor_type', 'text', (c) => c.notNull())
      .addColumn('actor_id', 'text')
      .addColumn('actor_name', 'text')
      .addColumn('actor_email', 'text')
      .addColumn('target_type', 'text', (c) => c.notNull())
      .addColumn('target_id', 'text', (c) => c.notNull())
      .addColumn('target_name', 'text')
      .addColumn('address', 'text')
      .addColumn('details', types.json, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('audit_events_organization')
      .on('audit_events')
      .columns(['organization_id', 'created_at', 'id'])
      .execute();
    await db.schema
      .createIndex('audit_events_created')
      .on('audit_events')
      .column('created_at')
      .execute();
  };
