/**
 * These queries on sync_jobs start and park jobs. Those that make them are in new-job-store.ts, and those that end them in
 * job-end-store.ts.
 *
 * A transaction that creates or moves a job first locks its living connection, and writes the event of the move. So
 * no job moves once its connection is deleted, and the events of a connection are in the order of the moves.
 */
import { type Selectable, sql } from 'kysely';
import { nowMs, timeAfter } from '../../db/clock.ts';
import type { DatabaseKind } from '../../db/connect.ts';
import type { ConnectionTable, Db, SyncConfig, SyncJobTable, Tx } from '../../db/schema.ts';
import { type ClaimedJob, heartbeat, LONGEST_WAIT_MS, release } from '../../jobs/queue.ts';
import { PostponeJob, waitForWrites } from '../../jobs/work.ts';
import { type SyncStatus, statusesBefore, UNFINISHED } from '../../model/sync-status.ts';
import { must } from '../../util.ts';
import { forgetPartitions } from './bookmark-store.ts';
import { lockConnection } from './connection-store.ts';
import { emitJobEvents } from './event-store.ts';
import { Fenced } from './fence.ts';
import { collectionConfig } from './list-store.ts';
import type { RetriedJob, Wait } from './patience.ts';
import { leftOutUntil, placeOf } from './place.ts';

/** This is the claim of a job that runs a sync. */
export type SyncClaim = Extract<ClaimedJob, { name: 'sync.run' | 'sync.push' }>;

export type JobRow = Selectable<SyncJobTable>;

export const isUnfinished = (status: SyncStatus): boolean => UNFINISHED.includes(status);

/**
 * Each change of a job has a later `modified_at` than the change before it, even within one millisecond or after the
 * clock was set back.
 */
export const nextModifiedAt = (now: number) =>
  sql<number>`case when modified_at >= ${now} then modified_at + 1 else cast(${now} as bigint) end`;

/** Returns false for pushes and for reprocessing, because these do not ask the source. */
export const isPull = (trigger: SyncJobTable['trigger']): boolean =>
  trigger !== 'push' && trigger !== 'reprocess';

/** Returns true when the next sync can be incremental. */
export const canGoOn = ({
  continuous,
  cursor,
}: Pick<Selectable<ConnectionTable>, 'continuous' | 'cursor'>): boolean =>
  continuous && cursor !== null;

/** Counts the jobs of the connection that have not ended. */
export async function countUnfinished(db: Db, connectionId: string): Promise<number> {
  const row = await db
    .selectFrom('sync_jobs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('connection_id', '=', connectionId)
    .where('status', 'in', UNFINISHED)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/**
 * Finds the configuration of the connection's last full sync that completed. Returns undefined when none has completed.
 */
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
 * Starts an attempt of the job. The attempt goes on at the bookmark, or starts the pull again under a new generation,
 * so that its sweep also finds records that only an earlier attempt has seen. Records that the earlier attempt left out
 * after the bookmark, or after the cursor of an incremental job, are counted again. An incremental job whose cursor was removed becomes a full one.
 *
 * Returns undefined when the job has ended, was cancelled, or its connection is deleted. Throws Fenced when another
 * worker has the job. Throws PostponeJob while the database takes no writes, and when the job still waits for its
 * source.
 */
export async function start(
  tx: Tx,
  kind: DatabaseKind,
  claim: SyncClaim,
): Promise<JobRow | undefined> {
  const { jobId } = claim.data;
  const connectionId = await connectionOfJob(tx, jobId);
  if (!connectionId || !(await lockConnection(tx, connectionId))) return undefined;
  // A worker that slept past its lease must not take the job back from its new worker.
  if (!(await heartbeat(tx, kind, claim))) throw new Fenced('the job is no longer ours');
  const job = await tx
    .selectFrom('sync_jobs')
    .selectAll()
    .select(sql<number | null>`waits_until - ${nowMs(kind)}`.as('wait_ms'))
    .where('id', '=', jobId)
    .where('status', 'in', statusesBefore('start'))
    .executeTakeFirst();
  if (!job) return undefined;
  const { wait_ms: waitMs } = job;
  // A wait that ends later than any wait may was written before the clock was set back.
  if (waitMs !== null && waitMs > 0 && waitMs <= LONGEST_WAIT_MS)
    throw new PostponeJob(waitMs, must(job.waits_for));
  // The source should not be asked for records that cannot be written.
  await waitForWrites(tx);
  const connection = await tx
    .selectFrom('connections')
    .select(['collection_id', 'configured_at', 'continuous', 'cursor', 'cursor_field'])
    .where('id', '=', connectionId)
    .executeTakeFirstOrThrow();
  // The cursor from which the job should go on has been removed since the job was created.
  const becomesFull = isPull(job.trigger) && !job.full && !canGoOn(connection);
  const { bookmark, settled } = placeOf({ ...job, full: job.full || becomesFull }, connection);
  const generation = bookmark ? job.generation : await drawGeneration(tx, connectionId);
  await tx
    .deleteFrom('left_out_records')
    .where('job_id', '=', jobId)
    .where('settled', 'in', bookmark || settled ? [false] : [false, true])
    .execute();
  if (!bookmark) await forgetPartitions(tx, jobId);
  const now = Date.now();
  const started = await tx
    .updateTable('sync_jobs')
    .set({
      status: 'RUNNING',
      attempt: sql`attempt + 1`,
      ...(becomesFull && (await columnsOfFull(tx, connection.collection_id))),
      generation,
      first_generation: job.attempt === 0 ? generation : job.first_generation,
      bookmark: bookmark && JSON.stringify(bookmark),
      settled: settled && JSON.stringify(settled),
      waits_for: null,
      waits_until: null,
      ...leftOutUntil(bookmark ?? settled, job),
      started_at: job.started_at ?? now,
      progressed_at: job.progressed_at ?? now,
      modified_at: nextModifiedAt(now),
    })
    .where('id', '=', jobId)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (job.status === 'PENDING') await emitJobEvents(tx, [started], claim.cause);
  return started;
}

/** Returns the columns that make a job full. A full sync takes its configuration from the collection. */
async function columnsOfFull(tx: Tx, collectionId: string) {
  const config = await collectionConfig(tx, collectionId);
  return { full: true, sync_config: config && JSON.stringify(config) };
}

async function drawGeneration(tx: Tx, connectionId: string): Promise<number> {
  const drawn = await tx
    .updateTable('connections')
    .set({ generation: sql`generation + 1` })
    .where('id', '=', connectionId)
    .returning('generation')
    .executeTakeFirstOrThrow();
  return drawn.generation;
}

/**
 * Lets the job wait without a worker. Resolves false when another worker has the job or when it was asked to stop.
 * The same transaction gives back the lease. So a cancel finds the job either running or waiting, and makes a waiting
 * job due.
 */
export async function park(
  tx: Tx,
  kind: DatabaseKind,
  { claim, wait }: { readonly claim: SyncClaim; readonly wait: Wait },
): Promise<boolean> {
  if (!(await heartbeat(tx, kind, claim))) return false;
  const { ms, reason, retries } = wait;
  const parked = await tx
    .updateTable('sync_jobs')
    .set({
      waits_for: reason,
      waits_until: timeAfter(kind, ms),
      retries,
      modified_at: nextModifiedAt(Date.now()),
    })
    .where('id', '=', claim.data.jobId)
    .where('status', '=', 'RUNNING')
    .executeTakeFirst();
  if (parked.numUpdatedRows === 0n) return false;
  await release(tx, kind, { job: claim, afterMs: ms });
  return true;
}

/** Returns undefined when the job does not exist. */
export async function connectionOfJob(tx: Tx, jobId: string): Promise<string | undefined> {
  const job = await tx
    .selectFrom('sync_jobs')
    .select('connection_id')
    .where('id', '=', jobId)
    .executeTakeFirst();
  return job?.connection_id;
}

/**
 * Reads the values by which patience.ts decides whether the job goes on waiting. Returns undefined when the row of the
 * job is gone.
 */
export async function retriedJob(db: Db, jobId: string): Promise<RetriedJob | undefined> {
  const row = await db
    .selectFrom('sync_jobs')
    .innerJoin('connections', 'connections.id', 'sync_jobs.connection_id')
    .select(['retries', 'progressed_at', 'trigger', 'next_run_at'])
    .where('sync_jobs.id', '=', jobId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { retries, progressed_at, trigger, next_run_at } = row;
  return {
    retries,
    progressedAt: must(progressed_at),
    isScheduled: trigger === 'schedule',
    nextRunAt: next_run_at,
  };
}

export async function statusOf(db: Db, jobId: string): Promise<SyncStatus | undefined> {
  const row = await db
    .selectFrom('sync_jobs')
    .select('status')
    .where('id', '=', jobId)
    .executeTakeFirst();
  return row?.status;
}
