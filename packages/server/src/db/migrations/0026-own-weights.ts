/** A collection may have weights of its own for the reranker; null means that it uses the default weights. */
import type { Kysely } from 'kysely';
import type { ColumnTypes } from '../migrate.ts';

export const up =
  ({ json }: ColumnTypes) =>
  async (db: Kysely<unknown>): Promise<void> => {
    await db.schema.alterTable('collections').addColumn('rerank_weights', json).execute();
  };
