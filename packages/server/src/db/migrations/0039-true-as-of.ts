/**
 * A connection knows the time as of which its records are true. The janitor may remove the job that says it, so the
 * time is a column of the connection.
 */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('connections').addColumn('true_as_of', 'bigint').execute();
  await sql`
    update connections set true_as_of = (
      select case "trigger" when 'push' then created_at else started_at end
      from sync_jobs
      where connection_id = connections.id and status = 'COMPLETED' and "trigger" <> 'reprocess'
      order by id desc limit 1)`.execute(db);
}
