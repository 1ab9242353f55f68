/**
 * This migration lowers the number of requests to sources: `full_every` says how often a continuous connection is
 * pulled in full, and the default schedule becomes daily. It also adds the time of the last progress of a job and of a
 * maintenance task.
 */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('sync_jobs').addColumn('progressed_at', 'bigint').execute();
  await db.schema.alterTable('maintenance_tasks').addColumn('progressed_at', 'bigint').execute();
  await db.schema.alterTable('connections').addColumn('full_every', 'integer').execute();
  // Before this migration, postgresql was the only source with a cursor, and its incremental pulls do not report
  // deletions.
  await sql`update connections set full_every = 24 where short_name = 'postgresql'`.execute(db);
  await syncDaily(db, Date.now());
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * The default schedule of postgresql was every five minutes, even where each sync reads everything. It becomes
 * daily at the minute of creation, which is the default now; any other schedule stays as it is.
 */
async function syncDaily(db: Kysely<unknown>, now: number): Promise<void> {
  const made = sql`created_at - created_at % ${sql.lit(MINUTE)}`;
  await sql`
    update connections
    set cron = (created_at / ${sql.lit(MINUTE)} % 60) || ' ' || (created_at / ${sql.lit(HOUR)} % 24) || ' * * *',
      next_run_at = ${made} + ((${sql.lit(now)} - (${made})) / ${sql.lit(DAY)} + 1) * ${sql.lit(DAY)}
    where short_name = 'postgresql' and cron = '*/5 * * * *' and not continuous
      and next_run_at is not null and deleted_at is null`.execute(db);
}
