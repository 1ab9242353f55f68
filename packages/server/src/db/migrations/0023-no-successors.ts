/**
 * A search reads the index and the rows in one snapshot, so no search looks for the chunk that took the place of
 * another one.
 */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('gone_number').execute();
  await db.schema.alterTable('gone').dropColumn('successor').execute();
}
