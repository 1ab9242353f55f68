/**
 * The columns hold how the cosines of the collection's texts are distributed (engines/index/cosines.ts). The next commit
 * that writes chunks measures them.
 */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['cosine_mean', 'cosine_spread'])
    await db.schema.alterTable('indexes').addColumn(name, 'double precision').execute();
  await db.schema
    .alterTable('indexes')
    .addColumn('cosine_chunks', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
