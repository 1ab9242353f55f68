/**
 * A job that starts its pull again takes a new generation, so that entities that only the earlier pull has seen are
 * swept. `first_generation` is the generation of its first pull: an entity with this generation or a later one is
 * already counted.
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
