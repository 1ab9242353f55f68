/** A job lists the entities whose deletion it held back, and its connection finds the newest such job by an index. */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('held_back_deletions')
    .addColumn('job_id', 'text', (c) => c.notNull())
    .addColumn('entity', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('held_back_deletions_pk', ['job_id', 'entity'])
    .execute();
  await sql`
    create index sync_jobs_held_back on sync_jobs (connection_id, id)
    where deletions_held_back > 0`.execute(db);
}
