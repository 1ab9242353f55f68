/**
 * A job that starts its pull again draws another generation, so that entities that only the pull before has seen
 * are swept. The job counts each record once from its first generation on.
 */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('sync_jobs')
    .addColumn('first_generation', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`update sync_jobs set first_generation = generation where status in ('RUNNING', 'CANCELLING')`.execute(
    db,
  );
}
