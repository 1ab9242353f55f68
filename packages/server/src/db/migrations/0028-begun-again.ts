/**
 * The column counts how often a job has begun again because its source no longer knew the cursor or bookmark. The
 * number is limited.
 */
import type { Kysely } from 'kysely';

export const up = (db: Kysely<unknown>): Promise<void> =>
  db.schema
    .alterTable('sync_jobs')
    .addColumn('begun_again', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
