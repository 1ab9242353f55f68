/** A job that begins again, because its source no longer knows the cursor, does so only a few times. */
import type { Kysely } from 'kysely';

export const up = (db: Kysely<unknown>): Promise<void> =>
  db.schema
    .alterTable('sync_jobs')
    .addColumn('begun_again', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
