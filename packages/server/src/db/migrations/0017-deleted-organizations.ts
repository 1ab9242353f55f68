/**
 * The column says when an organization was deleted: from then on nothing in it can be reached, while its
 * rows are removed one after the other.
 */
import type { Kysely } from 'kysely';

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema.alterTable('organizations').addColumn('deleted_at', 'bigint').execute();
};
