/**
 * These queries read what the database knows about the state of the whole service. Each looks at a bounded number of rows,
 * or at one row for each connection.
 */
import { sql } from 'kysely';
import { nowMs } from '../db/clock.ts';
import type { DatabaseKind } from '../db/connect.ts';
import { isRestOver } from '../db/endpoint-rest.ts';
import type { Db } from '../db/schema.ts';
import { ENDED, UNFINISHED } from '../model/sync-status.ts';

/** Entries of queues are counted up to this number. */
const MOST_COUNTED = 10_000;

export async function size(db: Db, kind: DatabaseKind): Promise<number> {
  const { rows } = await (kind === 'sqlite'
    ? sql<{ size: number }>`
        select page_count * page_size as size from pragma_page_count, pragma_page_size`
    : sql<{ size: number }>`select pg_database_size(current_database()) as size`
  ).execute(db);
  return Number(rows[0]?.size);
}

export async function passages(db: Db): Promise<number> {
  const { rows } = await sql<{ chunks: number | null }>`
    select sum(i.chunks) as chunks from indexes as i
    join collections as c on c.id = i.collection_id where c.deleted_at is null`.execute(db);
  return Number(rows[0]?.chunks ?? 0);
}

export async function records(db: Db): Promise<{ source: string; records: number }[]> {
  const { rows } = await sql<{ source: string; records: number }>`
    select c.short_name as source, sum(k.count) as records from entity_counts as k
    join connections as c on c.id = k.connection_id where c.deleted_at is null
    group by c.short_name`.execute(db);
  return rows.map((row) => ({ ...row, records: Number(row.records) }));
}

export interface ConnectionFact {
  readonly source: string;
  /** Is 'failed' when the last sync that has ended failed. */
  readonly state: 'ok' | 'failed' | 'refused' | 'unscheduled';
  readonly count: number;
  /** The sync that is most overdue should have started so many milliseconds ago; below 0 when none is due. */
  readonly overdueMs: number;
}

/** The index of the jobs of a connection leads to the last one; few jobs of a connection have not ended. */
const LAST_STATUS = sql`(select j.status from sync_jobs as j
  where j.connection_id = connections.id and j.status in (${sql.join(ENDED)})
  order by j.id desc limit 1)`;

export async function connections(db: Db, kind: DatabaseKind): Promise<ConnectionFact[]> {
  const { rows } = await sql<ConnectionFact>`
    select short_name as source, state, count(*) as count,
      coalesce(max(${nowMs(kind)} - next_run_at), -1) as "overdueMs"
    from (select short_name, next_run_at, case when refused_at is not null then 'refused'
        when ${LAST_STATUS} = 'FAILED' then 'failed'
        when next_run_at is null then 'unscheduled' else 'ok' end as state
      from connections where deleted_at is null) as c
    group by short_name, state`.execute(db);
  return rows.map((row) => ({
    ...row,
    count: Number(row.count),
    overdueMs: Number(row.overdueMs),
  }));
}

export interface SyncFact {
  readonly source: string;
  readonly state: 'pending' | 'running' | 'waiting';
  readonly count: number;
  readonly oldestMs: number;
}

/** The stored counters say which connections have unfinished jobs, because jobs have no index by state alone. */
export async function syncs(db: Db, kind: DatabaseKind): Promise<SyncFact[]> {
  const { rows } = await sql<SyncFact>`
    select short_name as source, state, count(*) as count,
      max(${nowMs(kind)} - created_at) as "oldestMs"
    from (select c.short_name, j.created_at, case when j.waits_for is not null then 'waiting'
        when j.status = 'PENDING' then 'pending' else 'running' end as state
      from job_counts as k
      join connections as c on c.id = k.connection_id and c.deleted_at is null
      join sync_jobs as j on j.connection_id = k.connection_id and j.status = k.status
      where k.status in (${sql.join(UNFINISHED)}) and k.count > 0) as unfinished
    group by short_name, state`.execute(db);
  return rows.map((row) => ({
    ...row,
    count: Number(row.count),
    oldestMs: Number(row.oldestMs),
  }));
}

export interface QueueFact {
  readonly job: string;
  readonly state: 'due' | 'running' | 'delayed' | 'behind';
  readonly count: number;
  /** This is the id of the oldest entry that was never put off; ids begin with the time at which they were made. */
  readonly oldest: string | null;
  /** An entry that was put off has been due for so many milliseconds; this is null when none was put off. */
  readonly dueMs: number | null;
}

/** An entry that is behind another one of its lane cannot run yet. */
export async function queue(db: Db, kind: DatabaseKind): Promise<QueueFact[]> {
  const now = nowMs(kind);
  const { rows } = await sql<QueueFact>`
    select name as job, state, count(*) as count,
      min(case when run_at = 0 then id end) as oldest, max(case when run_at > 0 then ${now} - run_at end) as "dueMs"
    from (select id, name, run_at, case when lease_until >= ${now} then 'running'
        when exists (select 1 from jobs as before where before.lane = jobs.lane
          and before.seq < jobs.seq) then 'behind'
        when run_at <= ${now} then 'due' else 'delayed' end as state
      from jobs order by seq limit ${sql.lit(MOST_COUNTED)}) as entries
    group by name, state`.execute(db);
  return rows.map((row) => ({
    ...row,
    count: Number(row.count),
    dueMs: row.dueMs === null ? null : Number(row.dueMs),
  }));
}

/** Deliveries to endpoints that are switched off, or that have asked for a rest, do not count. */
export async function deliveries(
  db: Db,
  kind: DatabaseKind,
): Promise<{ readonly pending: number; readonly overdueMs: number }> {
  const now = nowMs(kind);
  const { rows } = await sql<{ pending: number; overdue: number | null }>`
    select count(*) as pending, max(${now} - due_at) as overdue
    from (select due_at from webhook_deliveries as delivery
      join webhook_subscriptions as subscription on subscription.id = delivery.subscription_id
      where delivery.state = 'PENDING' and disabled_at is null and ${isRestOver(now)}
      limit ${sql.lit(MOST_COUNTED)}) as waiting`.execute(db);
  return { pending: Number(rows[0]?.pending), overdueMs: Number(rows[0]?.overdue ?? 0) };
}

export interface BackupFacts {
  /** It is null when no backup is complete. */
  readonly ageMs: number | null;
  /** The last scheduled backup that has ended failed. */
  readonly hasScheduledFailed: boolean;
  /** So much time has passed since the last complete scheduled backup, or since the first one was asked for. */
  readonly scheduledAgeMs: number | null;
}

/** The table has a row for each file and for the last failures. */
export async function backups(db: Db, kind: DatabaseKind): Promise<BackupFacts> {
  const now = nowMs(kind);
  const { rows } = await sql<Record<'age' | 'scheduled' | 'first', number | null>>`
    select ${now} - max(case when status = 'COMPLETED' then created_at end) as age,
      ${now} - max(case when status = 'COMPLETED' and "trigger" = 'schedule' then created_at end) as scheduled,
      ${now} - min(case when "trigger" = 'schedule' then created_at end) as first
    from backups`.execute(db);
  const last = await db
    .selectFrom('backups')
    .select('status')
    .where('trigger', '=', 'schedule')
    .where('active', 'is', null)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  const { age = null, scheduled = null, first = null } = rows[0] ?? {};
  const scheduledAge = scheduled ?? first;
  return {
    ageMs: age === null ? null : Math.max(0, Number(age)),
    hasScheduledFailed: last?.status === 'FAILED',
    scheduledAgeMs: scheduledAge === null ? null : Number(scheduledAge),
  };
}
