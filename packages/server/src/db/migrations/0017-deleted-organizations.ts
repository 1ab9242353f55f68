/** When an organization was deleted: from then on nothing of it is reached, while its rows go one after the other. */
import type { Kysely } from 'kysely';

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema.alterTable('organizations').addColumn('deleted_at', 'bigint').execute();
};
