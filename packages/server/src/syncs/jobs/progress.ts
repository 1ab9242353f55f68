/** Computes what a caller sees who watches a job: its counters, its speed, and what it waits for. */
import { instantOrNull } from '../../util.ts';
import type { JobDone, JobProgress } from '../schema.ts';
import type { JobRow } from './job-store.ts';
import type { JobInQueue, QueueHead } from './progress-store.ts';
import { addCounts } from './tally.ts';
import { byTypeOf, type RefusalReason, toSourceConnectionJob, waitInRow } from './view.ts';

const WINDOW_MS = 10_000;

export const toProgress = (
  { job, head }: JobInQueue,
  rate: number,
  refusalReason: RefusalReason,
): JobProgress => ({
  type: 'progress',
  status: job.status,
  ...countersOf(job),
  rate,
  waits_for: waitOf({ job, head }, refusalReason, Date.now()),
});

export const toDone = (job: JobRow): JobDone => ({
  type: 'done',
  job: { ...toSourceConnectionJob(job, null), ...countersOf(job) },
});

const countersOf = (job: JobRow) => ({
  entities_inserted: job.entities_inserted,
  entities_updated: job.entities_updated,
  entities_deleted: job.entities_deleted,
  entities_kept: job.entities_kept,
  entities_skipped: job.entities_skipped,
  entities_failed: job.entities_failed,
  entities_encountered: addCounts(job.encountered, job.left_out),
  entities_by_type: byTypeOf(job),
  skipped_by_reason: job.skipped_by_reason,
  chunks_written: job.chunks_written,
  bytes_fetched: job.bytes_fetched,
  requests: job.requests,
});

export interface WaitingJob {
  readonly job: Pick<JobRow, 'id' | 'status' | 'waits_for' | 'waits_until'>;
  readonly head: QueueHead | null;
}

/** Returns what a job that has not ended waits for, or null when it does not wait. */
export function waitOf(
  { job, head }: WaitingJob,
  refusalReason: RefusalReason,
  now: number,
): JobProgress['waits_for'] {
  const wait = waitInRow(job, refusalReason, now);
  if (wait) return wait;
  // A lane without entries means that the job is just ending.
  if (!head) return null;
  const { jobId, leaseUntil, runAt } = head;
  const later = runAt > now ? runAt : null;
  if (jobId !== job.id && (leaseUntil !== null || later !== null))
    return { reason: 'the job before it', until: null };
  if (leaseUntil === null) return { reason: 'a worker', until: instantOrNull(later) };
  if (leaseUntil >= now) return null;
  return { reason: job.status === 'PENDING' ? 'a worker' : 'its worker', until: null };
}

/** Counts all records that the job has processed, whatever the result was. */
export const processedCount = (job: JobRow): number =>
  job.entities_inserted +
  job.entities_updated +
  job.entities_deleted +
  job.entities_kept +
  job.entities_skipped +
  job.entities_failed;

/**
 * Measures how fast a count grows. The returned function must be called with the count and with the time in milliseconds
 * at which the count was read. It returns the growth per second over the last 10 seconds.
 */
export function speedometer(): (count: number, at: number) => number {
  const seen: { count: number; at: number }[] = [];
  return (count, at) => {
    seen.push({ count, at });
    while (seen.length > 2 && (seen[0]?.at ?? at) < at - WINDOW_MS) seen.shift();
    const [first = { count, at }] = seen;
    if (at === first.at) return 0;
    const rate = (count - first.count) / ((at - first.at) / 1000);
    // When a new attempt starts, the count loses the records that were left out after the bookmark, because the attempt
    // meets and counts them again. So the count may become smaller.
    return Math.max(0, Math.round(rate * 10) / 10);
  };
}
