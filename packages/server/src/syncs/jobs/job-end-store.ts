/**
 * These queries end sync jobs: after their work, by a cancel, or with the deletion of their connection, collection or
 * organization. They follow the rule at the beginning of job-store.ts.
 */
import { sql } from 'kysely';
import type { ErrorDetails, Tx } from '../../db/schema.ts';
import { makeDue } from '../../jobs/queue.ts';
import { MOVES, type SyncStatus, statusesBefore } from '../../model/sync-status.ts';
import { forgetPartitions } from './bookmark-store.ts';
import { lockConnection } from './connection-store.ts';
import { noteCounts } from './count-point-store.ts';
import { emitJobEvents } from './event-store.ts';
import { type Fence, holdOrReason } from './fence.ts';
import { connectionOfJob, type JobRow, nextModifiedAt } from './job-store.ts';

/** These moves lead a running job to its final status. */
const END_MOVES = { COMPLETED: 'complete', FAILED: 'fail', CANCELLED: 'stop' } as const;

export interface End {
  readonly status: keyof typeof END_MOVES;
  readonly error: string | null;
  readonly details: ErrorDetails | null;
}

/** A job that a worker runs under a lease. */
export interface RunningJob extends Fence {
  readonly id: string;
  readonly connectionId: string;
}

/**
 * Ends the job. Resolves false when the worker has lost the lease or the connection is deleted. Resolves false also when
 * the status does not allow this end: a job in CANCELLING can end only as CANCELLED, and a RUNNING one only as COMPLETED
 * or FAILED.
 */
export async function end(
  tx: Tx,
  job: RunningJob,
  { status, error, details }: End,
): Promise<boolean> {
  if ((await holdOrReason(tx, job)) !== null) return false;
  const now = Date.now();
  const ended = await tx
    .updateTable('sync_jobs')
    .set({
      status,
      error,
      error_details: details && JSON.stringify(details),
      completed_at: now,
      failed_at: status === 'FAILED' ? now : null,
      bookmark: null,
      settled: null,
      waits_for: null,
      waits_until: null,
      modified_at: nextModifiedAt(now),
    })
    .where('id', '=', job.id)
    .where('status', 'in', statusesBefore(END_MOVES[status]))
    .returningAll()
    .executeTakeFirst();
  if (!ended) return false;
  await tx.deleteFrom('pushes').where('job_id', '=', job.id).execute();
  await forgetPartitions(tx, job.id);
  if (status !== 'CANCELLED') {
    const counter = status === 'COMPLETED' ? 'successful_runs' : 'failed_runs';
    await tx
      .updateTable('connections')
      .set({ [counter]: sql`${sql.ref(counter)} + 1` })
      .where('id', '=', job.connectionId)
      .execute();
  }
  await noteCounts(tx, job.connectionId, now);
  await emitJobEvents(tx, [ended], job.claim.cause);
  return true;
}

/** This expression gives the status to which a cancel moves a job. */
const statusAfterCancel = sql<SyncStatus>`case status ${sql.join(
  Object.entries(MOVES.cancel).map(([from, to]) => sql`when ${sql.lit(from)} then ${sql.lit(to)}`),
  sql` `,
)} end`;

/**
 * Asks the job, or all jobs of the connection, to stop. A pending job ends at once. A running job ends at its next
 * commit, or earlier (cancel.ts). Returns the changed rows.
 */
export async function cancel(
  tx: Tx,
  scope: { readonly connectionId: string; readonly jobId?: string },
  email: string | null,
): Promise<JobRow[]> {
  if (!(await lockConnection(tx, scope.connectionId))) return [];
  const now = Date.now();
  const changed = await tx
    .updateTable('sync_jobs')
    .set({
      status: statusAfterCancel,
      completed_at: sql`case ${statusAfterCancel} when 'CANCELLED' then cast(${now} as bigint) else completed_at end`,
      modified_at: nextModifiedAt(now),
      modified_by_email: email,
    })
    .where('connection_id', '=', scope.connectionId)
    .where((eb) => (scope.jobId === undefined ? eb.lit(true) : eb('id', '=', scope.jobId)))
    .where('status', 'in', statusesBefore('cancel'))
    .returningAll()
    .execute();
  await emitJobEvents(
    tx,
    changed.filter(({ status }) => status === 'CANCELLED'),
  );
  // Otherwise a cancelled job that waits for its source would block its lane until the wait is over.
  await makeDue(tx, lanesOf(changed));
  return changed;
}

/**
 * Ends every job of the connection, collection or organization that this transaction deletes. The caller has marked
 * the connections deleted, and so locked them. After the commit the fence refuses every commit of a worker on such a
 * job. The jobs of a collection or an organization end without events, because the deletion implies their end.
 */
export async function endAll(
  tx: Tx,
  scope:
    | { readonly connectionId: string }
    | { readonly collectionId: string }
    | { readonly organizationId: string },
  email: string | null,
): Promise<void> {
  const now = Date.now();
  const ended = await tx
    .updateTable('sync_jobs')
    .set({
      status: 'CANCELLED',
      completed_at: now,
      modified_at: nextModifiedAt(now),
      modified_by_email: email,
    })
    .where((eb) => {
      if ('connectionId' in scope) return eb('connection_id', '=', scope.connectionId);
      if ('organizationId' in scope) return eb('organization_id', '=', scope.organizationId);
      const connections = eb.selectFrom('connections').select('id');
      return eb('connection_id', 'in', connections.where('collection_id', '=', scope.collectionId));
    })
    .where('status', 'in', statusesBefore('delete'))
    .returningAll()
    .execute();
  if ('connectionId' in scope) await emitJobEvents(tx, ended);
  // The cleanup of a connection runs in its lane, after all waiting entries, among which may be tasks of the doctor. So
  // the lane of a deleted connection becomes due even if none of its sync jobs has ended here.
  await makeDue(tx, 'connectionId' in scope ? [scope.connectionId] : lanesOf(ended));
}

/**
 * Cleans up when a worker gets the entry of a job that must not run any more: deletes the stored body of its push and
 * its partitions, and ends the job if it is still CANCELLING and its connection is not deleted.
 */
export async function endIfCancelled(tx: Tx, jobId: string): Promise<void> {
  await tx.deleteFrom('pushes').where('job_id', '=', jobId).execute();
  await forgetPartitions(tx, jobId);
  const connectionId = await connectionOfJob(tx, jobId);
  if (!connectionId || !(await lockConnection(tx, connectionId))) return;
  const now = Date.now();
  const ended = await tx
    .updateTable('sync_jobs')
    .set({ status: 'CANCELLED', completed_at: now, modified_at: nextModifiedAt(now) })
    .where('id', '=', jobId)
    .where('status', 'in', statusesBefore('stop'))
    .returningAll()
    .execute();
  await emitJobEvents(tx, ended);
}

const lanesOf = (rows: readonly JobRow[]) => rows.map((row) => row.connection_id);
