/** The row of an index names the stored copy of its memory (engines/index/segments.ts). */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('indexes').addColumn('segment', 'text').execute();
}
