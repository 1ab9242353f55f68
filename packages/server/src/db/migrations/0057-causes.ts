/** Jobs and events keep the id of the request that has caused them, and the trace with which their work goes on. */
import type { Kysely } from 'kysely';
import type { ColumnTypes } from '../migrate.ts';

export const up =
  ({ json }: ColumnTypes) =>
  async (db: Kysely<unknown>): Promise<void> => {
    for (const table of ['jobs', 'events'])
      await db.schema.alterTable(table).addColumn('cause', json).execute();
  };
