/**
 * Queries on sync_jobs: making and moving them.
 *
 * Whoever makes or moves a job holds its living connection first, and writes the event of the move: so
 * nothing moves once the connection is deleted, and its events are in the order of the moves.
 */
import { type Selectable, sql } from 'kysely';
import type { Db, ErrorDetails, SyncConfig, SyncJobTable, SyncStatus, Tx } from '../db/schema.ts';
import { newId } from '../util.ts';
import { tell } from './event-store.ts';
import { holdConnection } from './store.ts';

export type JobRow = Selectable<SyncJobTable>;

const LIVE: readonly SyncStatus[] = ['PENDING', 'RUNNING', 'CANCELLING'];

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
  await tell(tx, [row]);
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
 * Takes the job under a lease. The first attempt draws the generation of its pull; a later one starts
 * the pull again, so what the one before left out is counted anew. Gives undefined when the job has
 * ended, was cancelled, or its connection is gone.
 */
export async function start(
  tx: Tx,
  jobId: string,
  leaseToken: string,
): Promise<JobRow | undefined> {
  const connectionId = await connectionOfJob(tx, jobId);
  if (!connectionId || !(await holdConnection(tx, connectionId))) return undefined;
  const job = await tx
    .selectFrom('sync_jobs')
    .selectAll()
    .where('id', '=', jobId)
    .where('status', 'in', ['PENDING', 'RUNNING'])
    .executeTakeFirst();
  if (!job) return undefined;
  const now = Date.now();
  await tx.deleteFrom('job_failures').where('job_id', '=', jobId).execute();
  const started = await tx
    .updateTable('sync_jobs')
    .set({
      status: 'RUNNING',
      lease_token: leaseToken,
      attempt: sql`attempt + 1`,
      generation: job.attempt === 0 ? await nextGeneration(tx, connectionId) : job.generation,
      entities_skipped: 0,
      entities_failed: 0,
      left_out: '{}',
      started_at: job.started_at ?? now,
      modified_at: now,
    })
    .where('id', '=', jobId)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (job.status === 'PENDING') await tell(tx, [started]);
  return started;
}

async function nextGeneration(tx: Tx, connectionId: string): Promise<number> {
  const { generation } = await tx
    .updateTable('connections')
    .set({ generation: sql`generation + 1` })
    .where('id', '=', connectionId)
    .returning('generation')
    .executeTakeFirstOrThrow();
  return generation;
}

export interface End {
  readonly status: 'COMPLETED' | 'FAILED' | 'CANCELLED';
  readonly error: string | null;
  readonly details: ErrorDetails | null;
}

/**
 * Ends the job if the lease still stands and its connection lives; false otherwise. A cancelled job ends
 * as CANCELLED.
 */
export async function end(
  tx: Tx,
  job: { id: string; leaseToken: string; connectionId: string },
  { status, error, details }: End,
): Promise<boolean> {
  const from: SyncStatus = status === 'CANCELLED' ? 'CANCELLING' : 'RUNNING';
  if (!(await holdConnection(tx, job.connectionId))) return false;
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
      modified_at: now,
    })
    .where('id', '=', job.id)
    .where('lease_token', '=', job.leaseToken)
    .where('status', '=', from)
    .returningAll()
    .executeTakeFirst();
  if (!ended) return false;
  await tx.deleteFrom('pushes').where('job_id', '=', job.id).execute();
  if (status !== 'CANCELLED') {
    const counter = status === 'COMPLETED' ? 'successful_runs' : 'failed_runs';
    await tx
      .updateTable('connections')
      .set({ [counter]: sql`${sql.ref(counter)} + 1` })
      .where('id', '=', job.connectionId)
      .execute();
  }
  await tell(tx, [ended]);
  return true;
}

/**
 * Asks the job, or all jobs of the connection, to stop: a pending one has ended with that, a running
 * one ends after the operation in hand. Gives the changed rows.
 */
export async function cancel(
  tx: Tx,
  of: { readonly connectionId: string; readonly jobId?: string },
  email: string | null,
): Promise<JobRow[]> {
  if (!(await holdConnection(tx, of.connectionId))) return [];
  const now = Date.now();
  const changed = await tx
    .updateTable('sync_jobs')
    .set({
      status: sql<SyncStatus>`case status when 'PENDING' then 'CANCELLED' else 'CANCELLING' end`,
      completed_at: sql`case status when 'PENDING' then cast(${now} as bigint) else completed_at end`,
      modified_at: laterThanBefore(now),
      modified_by_email: email,
    })
    .where('connection_id', '=', of.connectionId)
    .where((eb) => (of.jobId === undefined ? eb.lit(true) : eb('id', '=', of.jobId)))
    .where('status', 'in', ['PENDING', 'RUNNING'])
    .returningAll()
    .execute();
  await tell(
    tx,
    changed.filter(({ status }) => status === 'CANCELLED'),
  );
  return changed;
}

/**
 * Ends every job of what is deleted in this transaction, which holds the connections: who works on one
 * is fenced off with the commit. The jobs of a collection end in silence, because its deletion says it all.
 */
export async function endAll(
  tx: Tx,
  of: { readonly connectionId: string } | { readonly collectionId: string },
  email: string | null,
): Promise<void> {
  const now = Date.now();
  const ended = await tx
    .updateTable('sync_jobs')
    .set({
      status: 'CANCELLED',
      completed_at: now,
      modified_at: laterThanBefore(now),
      modified_by_email: email,
      lease_token: null,
    })
    .where((eb) => {
      if ('connectionId' in of) return eb('connection_id', '=', of.connectionId);
      const connections = eb.selectFrom('connections').select('id');
      return eb('connection_id', 'in', connections.where('collection_id', '=', of.collectionId));
    })
    .where('status', 'in', LIVE)
    .returningAll()
    .execute();
  if ('connectionId' in of) await tell(tx, ended);
}

/** A job that was asked to stop while nobody worked on it has stopped; what it was to push goes. */
export async function settle(tx: Tx, jobId: string): Promise<void> {
  await tx.deleteFrom('pushes').where('job_id', '=', jobId).execute();
  const connectionId = await connectionOfJob(tx, jobId);
  if (!connectionId || !(await holdConnection(tx, connectionId))) return;
  const now = Date.now();
  const settled = await tx
    .updateTable('sync_jobs')
    .set({ status: 'CANCELLED', completed_at: now, modified_at: now, lease_token: null })
    .where('id', '=', jobId)
    .where('status', '=', 'CANCELLING')
    .returningAll()
    .execute();
  await tell(tx, settled);
}

const laterThanBefore = (now: number) =>
  sql<number>`case when modified_at >= ${now} then modified_at + 1 else cast(${now} as bigint) end`;

async function connectionOfJob(tx: Tx, jobId: string): Promise<string | undefined> {
  const job = await tx
    .selectFrom('sync_jobs')
    .select('connection_id')
    .where('id', '=', jobId)
    .executeTakeFirst();
  return job?.connection_id;
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
