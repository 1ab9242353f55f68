/**
 * This migration adds a mark for records that contain a secret, and a count of the marked records that a job has met.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../migrate.ts';

export const up =
  ({ flag, json }: ColumnTypes) =>
  async (db: Kysely<unknown>): Promise<void> => {
    await db.schema
      .alterTable('entities')
      .addColumn('has_secret', flag, (c) => c.notNull().defaultTo(sql`false`))
      .execute();
    await db.schema
      .alterTable('sync_jobs')
      .addColumn('secrets_found', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
    await db.schema
      .alterTable('sync_jobs')
      .addColumn('secret_examples', json, (c) => c.notNull().defaultTo('[]'))
      .execute();
  };
