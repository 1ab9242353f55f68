/**
 * This migration lists the records that a job left out on purpose beside those that it could not take in, and
 * counts them by their reasons.
 */
import type { Kysely } from 'kysely';
import type { ColumnTypes } from '../migrate.ts';

export const up =
  ({ json }: ColumnTypes) =>
  async (db: Kysely<unknown>): Promise<void> => {
    await db.schema.alterTable('job_failures').renameTo('left_out_records').execute();
    const table = () => db.schema.alterTable('left_out_records');
    await table()
      .addColumn('kind', 'text', (c) => c.notNull().defaultTo('fail'))
      .execute();
    await table().addColumn('detail', 'text').execute();
    await db.schema.dropIndex('job_failures_job').execute();
    await db.schema
      .createIndex('left_out_records_job')
      .on('left_out_records')
      .columns(['job_id', 'kind', 'id'])
      .execute();
    await db.schema
      .alterTable('sync_jobs')
      .addColumn('skipped_by_reason', json, (c) => c.notNull().defaultTo('{}'))
      .execute();
  };
