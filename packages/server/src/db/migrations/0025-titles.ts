/** The column is true for older chunks, whose terms begin with those of the name. The next full sync decides it again. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('chunk_bodies')
    .addColumn('is_titled', 'boolean', (column) => column.notNull().defaultTo(true))
    .execute();
}
