/** Queries on sync_jobs: making, moving and showing them. */
import { type Selectable, sql } from 'kysely';
import type { Db, ErrorDetails, SyncConfig, SyncJobTable, SyncStatus, Tx } from '../db/schema.ts';
import { hurry } from '../jobs/queue.ts';
import { newId } from '../util.ts';
import { forgetParts } from './bookmark-store.ts';
import type { Wait } from './patience.ts';

export type JobRow = Selectable<SyncJobTable>;

const LIVE: readonly SyncStatus[] = ['PENDING', 'RUNNING', 'CANCELLING'];

export const isLive = (status: SyncStatus): boolean => LIVE.includes(status);

export interface NewJob {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly syncId: string;
  readonly trigger: SyncJobTable['trigger'];
  readonly full: boolean;
  readonly acceptDeletions: boolean;
  readonly syncConfig: SyncConfig | null;
  readonly email: string | null;
}

export async function insert(tx: Tx, job: NewJob): Promise<JobRow> {
  const now = Date.now();
  const row = await tx
    .insertInto('sync_jobs')
    .values({
      id: newId(),
      organization_id: job.organizationId,
      connection_id: job.connectionId,
      sync_id: job.syncId,
      status: 'PENDING',
      trigger: job.trigger,
      full: job.full,
      accept_deletions: job.acceptDeletions,
      attempt: 0,
      generation: 0,
      entities_inserted: 0,
      entities_updated: 0,
      entities_deleted: 0,
      entities_kept: 0,
      entities_skipped: 0,
      entities_failed: 0,
      encountered: '{}',
      left_out: '{}',
      chunks_written: 0,
      bytes_fetched: 0,
      requests: 0,
      sync_config: job.syncConfig && JSON.stringify(job.syncConfig),
      created_at: now,
      modified_at: now,
      created_by_email: job.email,
      modified_by_email: job.email,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await tx
    .updateTable('connections')
    .set({ total_runs: sql`total_runs + 1` })
    .where('id', '=', job.connectionId)
    .execute();
  return row;
}

/** Jobs of the connection that have not ended. */
export async function countLive(db: Db, connectionId: string): Promise<number> {
  const row = await db
    .selectFrom('sync_jobs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('connection_id', '=', connectionId)
    .where('status', 'in', LIVE)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** The configuration under which the connection was last synced in full. */
export async function lastFullConfig(
  db: Db,
  connectionId: string,
): Promise<SyncConfig | null | undefined> {
  const row = await db
    .selectFrom('sync_jobs')
    .select('sync_config')
    .where('connection_id', '=', connectionId)
    .where('full', '=', true)
    .where('status', '=', 'COMPLETED')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.sync_config;
}

/**
 * Takes the job under a lease. The first attempt draws the generation of its pull; a later one goes on
 * at the bookmark, or starts the pull again, so what the one before left out since then is counted anew.
 * Gives undefined when the job has ended, was cancelled, or its connection is gone.
 */
export async function start(
  tx: Tx,
  jobId: string,
  leaseToken: string,
): Promise<JobRow | undefined> {
  const job = await tx
    .selectFrom('sync_jobs')
    .selectAll()
    .where('id', '=', jobId)
    .executeTakeFirst();
  if (!job || (job.status !== 'PENDING' && job.status !== 'RUNNING')) return undefined;
  const connection = await tx
    .updateTable('connections')
    .set({ generation: job.attempt === 0 ? sql`generation + 1` : sql`generation` })
    .where('id', '=', job.connection_id)
    .where('deleted_at', 'is', null)
    .returning(['generation', 'configured_at'])
    .executeTakeFirst();
  if (!connection) return undefined;
  const now = Date.now();
  // Under another configuration the position may mean anything.
  const bookmark = job.bookmark?.configuredAt === connection.configured_at ? job.bookmark : null;
  await tx
    .deleteFrom('job_failures')
    .where('job_id', '=', jobId)
    .where('settled', 'in', bookmark ? [false] : [false, true])
    .execute();
  if (!bookmark) await forgetParts(tx, jobId);
  return tx
    .updateTable('sync_jobs')
    .set({
      status: 'RUNNING',
      lease_token: leaseToken,
      attempt: sql`attempt + 1`,
      generation: job.attempt === 0 ? connection.generation : job.generation,
      bookmark: bookmark && JSON.stringify(bookmark),
      waits_for: null,
      waits_until: null,
      entities_skipped: bookmark?.skipped ?? 0,
      entities_failed: bookmark?.failed ?? 0,
      left_out: JSON.stringify(bookmark?.leftOut ?? {}),
      started_at: job.started_at ?? now,
      modified_at: now,
    })
    .where('id', '=', jobId)
    .where('status', 'in', ['PENDING', 'RUNNING'])
    .returningAll()
    .executeTakeFirst();
}

/** The job waits without a worker. False when it is no longer this worker's, or shall stop. */
export async function park(
  db: Db,
  job: { id: string; leaseToken: string },
  { until, reason, retries }: Wait,
): Promise<boolean> {
  const parked = await db
    .updateTable('sync_jobs')
    .set({ waits_for: reason, waits_until: until, retries, modified_at: Date.now() })
    .where('id', '=', job.id)
    .where('lease_token', '=', job.leaseToken)
    .where('status', '=', 'RUNNING')
    .executeTakeFirst();
  return parked.numUpdatedRows > 0n;
}

export interface End {
  readonly status: 'COMPLETED' | 'FAILED' | 'CANCELLED';
  readonly error: string | null;
  readonly details: ErrorDetails | null;
}

/** Ends the job if the lease still stands; false otherwise. A cancelled job ends as CANCELLED. */
export async function end(
  tx: Tx,
  job: { id: string; leaseToken: string; connectionId: string },
  { status, error, details }: End,
): Promise<boolean> {
  const from: SyncStatus = status === 'CANCELLED' ? 'CANCELLING' : 'RUNNING';
  const now = Date.now();
  const ended = await tx
    .updateTable('sync_jobs')
    .set({
      status,
      error,
      error_details: details && JSON.stringify(details),
      completed_at: now,
      failed_at: status === 'FAILED' ? now : null,
      lease_token: null,
      bookmark: null,
      waits_for: null,
      waits_until: null,
      modified_at: now,
    })
    .where('id', '=', job.id)
    .where('lease_token', '=', job.leaseToken)
    .where('status', '=', from)
    .executeTakeFirst();
  if (ended.numUpdatedRows === 0n) return false;
  await tx.deleteFrom('pushes').where('job_id', '=', job.id).execute();
  await forgetParts(tx, job.id);
  if (status !== 'CANCELLED') {
    const counter = status === 'COMPLETED' ? 'successful_runs' : 'failed_runs';
    await tx
      .updateTable('connections')
      .set({ [counter]: sql`${sql.ref(counter)} + 1` })
      .where('id', '=', job.connectionId)
      .execute();
  }
  return true;
}

/**
 * Asks the jobs to stop: a pending one has ended with that, a running one ends after the operation in
 * hand. Gives the changed rows.
 */
export async function cancel(
  tx: Tx,
  by:
    | { readonly jobId: string }
    | { readonly connectionId: string }
    | { readonly collectionId: string },
  email: string | null,
): Promise<JobRow[]> {
  const now = Date.now();
  const rows = await tx
    .updateTable('sync_jobs')
    .set({
      status: sql<SyncStatus>`case status when 'PENDING' then 'CANCELLED' else 'CANCELLING' end`,
      completed_at: sql`case status when 'PENDING' then cast(${now} as bigint) else completed_at end`,
      modified_at: sql`case when modified_at >= ${now} then modified_at + 1 else cast(${now} as bigint) end`,
      modified_by_email: email,
    })
    .where((eb) => {
      if ('jobId' in by) return eb('id', '=', by.jobId);
      if ('connectionId' in by) return eb('connection_id', '=', by.connectionId);
      const connections = eb.selectFrom('connections').select('id');
      return eb('connection_id', 'in', connections.where('collection_id', '=', by.collectionId));
    })
    .where('status', 'in', ['PENDING', 'RUNNING'])
    .returningAll()
    .execute();
  await hurry(
    tx,
    rows.map((row) => row.connection_id),
  );
  return rows;
}

export async function statusOf(db: Db, jobId: string): Promise<SyncStatus | undefined> {
  const row = await db
    .selectFrom('sync_jobs')
    .select('status')
    .where('id', '=', jobId)
    .executeTakeFirst();
  return row?.status;
}

export async function keepPush(tx: Tx, jobId: string, body: Uint8Array): Promise<void> {
  await tx.insertInto('pushes').values({ job_id: jobId, body }).execute();
}
