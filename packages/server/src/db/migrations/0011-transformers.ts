/** This migration adds transformers, and the columns of entities that transformers have changed. */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../migrate.ts';

export const up =
  ({ json, bytes, flag }: ColumnTypes) =>
  async (db: Kysely<unknown>): Promise<void> => {
    await db.schema
      .createTable('transformers')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('organization_id', 'text', (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('description', 'text')
      .addColumn('method_name', 'text', (c) => c.notNull())
      .addColumn('module_name', 'text', (c) => c.notNull())
      .addColumn('config_schema', json, (c) => c.notNull())
      .addColumn('input_definitions', json, (c) => c.notNull())
      .addColumn('output_definitions', json, (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('modified_at', 'bigint', (c) => c.notNull())
      .addColumn('created_by_email', 'text', (c) => c.notNull())
      .addColumn('modified_by_email', 'text', (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('transformers_organization')
      .on('transformers')
      .columns(['organization_id', 'id'])
      .execute();

    const column = (name: string) => db.schema.alterTable('entities').addColumn(name, 'text');
    await column('source_hash').execute();
    await column('origin').execute();
    await db.schema.alterTable('entities').addColumn('shown', bytes).execute();
    await db.schema
      .alterTable('entities')
      .addColumn('is_hidden', flag, (c) => c.notNull().defaultTo(sql`false`))
      .execute();
    await sql`create index entities_origin on entities (connection_id, origin)
      where origin is not null`.execute(db);
    await db.schema
      .alterTable('connections')
      .addColumn('transformed', 'text', (c) => c.notNull().defaultTo(''))
      .execute();
  };
