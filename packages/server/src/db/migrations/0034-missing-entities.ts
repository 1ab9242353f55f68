/**
 * The columns count, for the guard against false deletions, how many entities a job has deleted because they were
 * missing in a listing, and how many such deletions wait for a confirmation. Both are counted over all attempts.
 */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['entities_missing', 'deletions_held_back'])
    await db.schema
      .alterTable('sync_jobs')
      .addColumn(column, 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
}
