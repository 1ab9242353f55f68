/** An incremental job keeps what it has left out before the cursor at which its next attempt goes on. */
import type { Kysely } from 'kysely';
import type { ColumnTypes } from '../migrate.ts';

export const up =
  (types: ColumnTypes) =>
  async (db: Kysely<unknown>): Promise<void> => {
    await db.schema.alterTable('sync_jobs').addColumn('settled', types.json).execute();
  };
