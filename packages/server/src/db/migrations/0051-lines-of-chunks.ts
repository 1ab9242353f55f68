/** Chunks say in which line of their record's text they begin. It is null until the record is split again. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('chunks').addColumn('line', 'integer').execute();
}
