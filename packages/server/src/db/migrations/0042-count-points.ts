/** The table keeps how many entities a connection had over time (syncs/jobs/count-points.ts). */
import type { Kysely } from 'kysely';
import type { ColumnTypes } from '../migrate.ts';

export const up =
  ({ json }: ColumnTypes) =>
  async (db: Kysely<unknown>): Promise<void> => {
    await db.schema
      .createTable('entity_count_points')
      .addColumn('connection_id', 'text', (c) => c.notNull())
      .addColumn('at', 'bigint', (c) => c.notNull())
      .addColumn('total', 'integer', (c) => c.notNull())
      .addColumn('by_type', json, (c) => c.notNull())
      .addPrimaryKeyConstraint('entity_count_points_pk', ['connection_id', 'at'])
      .execute();
  };
