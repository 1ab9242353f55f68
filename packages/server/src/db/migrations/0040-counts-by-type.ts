/** A job counts what it inserted, updated, deleted and failed to take in by type. Older jobs have no such counts. */
import type { Kysely } from 'kysely';
import type { ColumnTypes } from '../migrate.ts';

export const up =
  ({ json }: ColumnTypes) =>
  async (db: Kysely<unknown>): Promise<void> => {
    await db.schema.alterTable('sync_jobs').addColumn('by_type', json).execute();
  };
