/** The query behind a watched job. It runs about twice a second for everybody who looks on. */
import type { Db } from '../../db/schema.ts';
import type { JobRow } from './job-store.ts';

/** First in the queue of the connection: the job itself, or what it has to wait for. */
export interface QueueHead {
  /** Null for what is no sync. */
  readonly jobId: string | null;
  /** Null while no worker has it. */
  readonly leaseUntil: number | null;
  readonly runAt: number;
}

/** Undefined when the job's row is gone; the head is null when nothing is queued. */
export async function progressOf(
  db: Db,
  jobId: string,
): Promise<{ job: JobRow; head: QueueHead | null } | undefined> {
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
