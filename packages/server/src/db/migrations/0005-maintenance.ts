/**
 * The tables hold runs of the doctor (repairs, reindexing, comparisons with a source) and the progress of their tasks.
 * `gone.successor` names the new chunk that replaced a removed chunk.
 */
import type { Kysely } from 'kysely';
import type { ColumnTypes } from '../migrate.ts';

export const up =
  ({ json }: ColumnTypes) =>
  async (db: Kysely<unknown>): Promise<void> => {
    await db.schema.alterTable('gone').addColumn('successor', 'bigint').execute();
    await db.schema.createIndex('gone_number').on('gone').columns(['n']).execute();
    await db.schema
      .createTable('maintenance_runs')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('collection_id', 'text', (c) =>
        c.notNull().references('collections.id').onDelete('cascade'),
      )
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('created_by_email', 'text', (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('maintenance_runs_collection')
      .on('maintenance_runs')
      .columns(['collection_id', 'id'])
      .execute();
    await db.schema
      .createTable('maintenance_tasks')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('run_id', 'text', (c) =>
        c.notNull().references('maintenance_runs.id').onDelete('cascade'),
      )
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('connection_id', 'text')
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('lease_token', 'text')
      .addColumn('after_id', 'text')
      .addColumn('total', 'bigint', (c) => c.notNull())
      .addColumn('done', 'bigint', (c) => c.notNull())
      .addColumn('rewritten', 'bigint', (c) => c.notNull())
      .addColumn('failed', 'bigint', (c) => c.notNull())
      .addColumn('suspects', json, (c) => c.notNull())
      .addColumn('findings', json, (c) => c.notNull())
      .addColumn('error', 'text')
      .addColumn('started_at', 'bigint')
      .addColumn('ended_at', 'bigint')
      .execute();
    await db.schema
      .createIndex('maintenance_tasks_run')
      .on('maintenance_tasks')
      .columns(['run_id'])
      .execute();
  };
