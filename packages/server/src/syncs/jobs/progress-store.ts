/** This is the query behind a watched job. It runs about twice a second for each watcher. */
import type { Db } from '../../db/schema.ts';
import type { JobRow } from './job-store.ts';

/**
 * This is the oldest entry in the connection's lane: the job's own entry, or an entry that must end before the job can
 * run.
 */
export interface QueueHead {
  /** The id is null for an entry that is not a sync. */
  readonly jobId: string | null;
  /** The time is null while no worker has the entry. */
  readonly leaseUntil: number | null;
  readonly runAt: number;
}

export interface JobInQueue {
  readonly job: JobRow;
  /** The head is null when the lane is empty. */
  readonly head: QueueHead | null;
}

/** Returns undefined when the row of the job is gone. */
export async function progressOf(db: Db, jobId: string): Promise<JobInQueue | undefined> {
  const row = await db
    .selectFrom('sync_jobs')
    .leftJoin('jobs', (join) =>
      join.on('jobs.seq', '=', (eb) =>
        eb
          .selectFrom('jobs as queued')
          .select((min) => min.fn.min('queued.seq').as('seq'))
          .whereRef('queued.lane', '=', 'sync_jobs.connection_id'),
      ),
    )
    .selectAll('sync_jobs')
    .select(['jobs.seq', 'jobs.data', 'jobs.lease_until', 'jobs.run_at'])
    .where('sync_jobs.id', '=', jobId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { seq, data, lease_until: leaseUntil, run_at: runAt, ...job } = row;
  if (seq === null || runAt === null) return { job, head: null };
  return { job, head: { jobId: (data as { jobId?: string }).jobId ?? null, leaseUntil, runAt } };
}
