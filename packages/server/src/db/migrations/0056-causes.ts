/** A job keeps the id of the request that has caused it, and the trace with which its work goes on. */
import type { Kysely } from 'kysely';
import type { ColumnTypes } from '../connect.ts';

export const up =
  ({ json }: ColumnTypes) =>
  async (db: Kysely<unknown>): Promise<void> => {
    await db.schema.alterTable('jobs').addColumn('cause', json).execute();
  };
