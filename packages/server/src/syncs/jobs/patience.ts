/**
 * Decides whether a job waits for its source, and for how long. When the source asks us to wait, the job waits for as
 * long as the source says, but longer each time when it makes no progress between its waits: a source may ask for no
 * time at all, and would then be asked without a pause. After a network error the job waits a few seconds, and fails at
 * the third such error since its last bookmark. One that a schedule has started waits longer, and fails at the sixth:
 * nobody looks on, and its next run may be a day away. But it waits no longer than until that run, which would ask the
 * source then and is skipped while the job waits. A job that has waited goes on at its bookmark. While it waits, it
 * takes no place among the running jobs.
 */
import { type SourceError, SourceRateLimitExceededException } from '../../errors.ts';

/** The job waits for these times after the first and each further network error since its last bookmark. */
const RETRY_MS = [1000, 4000];
const SCHEDULED_RETRY_MS = [...RETRY_MS, 30_000, 2 * 60_000, 10 * 60_000];
/** The job waits this long when the source does not say how long. */
const DEFAULT_WAIT_MS = 60_000;
/** A wait for a source lasts at least this long. */
const MIN_WAIT_MS = 1000;
/** A job fails when its source asks it to wait for longer than this, or when its last progress is this long ago. */
const MAX_WAIT_MS = 24 * 3_600_000;
/**
 * A job that waits for a limit of its organization tries again after this time at the latest, because an admin may have
 * raised the limit.
 */
const LIMIT_MS = 5 * 60_000;

export interface Wait {
  readonly ms: number;
  readonly reason: string;
  /** This counts the attempts since the last bookmark that ended with a network error, this one included. */
  readonly retries: number;
}

/** Times are in milliseconds since 1970. */
export interface RetriedJob {
  readonly retries: number;
  /** The job last made progress at this time. */
  readonly progressedAt: number;
  readonly isScheduled?: boolean;
  /** The schedule of its connection starts the next run at this time; null when it starts none. */
  readonly nextRunAt?: number | null;
}

/** Returns null when the job must fail with the error instead of waiting. */
export function waitFor(error: SourceError, job: RetriedJob, now: number): Wait | null {
  const { kind, message: reason, retryAfter } = error;
  if (kind === 'rate_limited') {
    const asked = retryAfter === undefined ? DEFAULT_WAIT_MS : retryAfter * 1000;
    const ms = Math.max(
      MIN_WAIT_MS,
      // Our own limits know exactly when there is room, and keep the turn of the connection only until then.
      error instanceof SourceRateLimitExceededException
        ? Math.min(asked, LIMIT_MS)
        : Math.max(asked, leastAfter(now - job.progressedAt)),
    );
    if (ms > MAX_WAIT_MS || now - job.progressedAt >= MAX_WAIT_MS) return null;
    return { ms, reason, retries: job.retries };
  }
  const steps = job.isScheduled ? SCHEDULED_RETRY_MS : RETRY_MS;
  const step = kind === 'transient' ? steps[job.retries] : undefined;
  if (step === undefined) return null;
  const untilNextRun = (job.nextRunAt ?? Number.POSITIVE_INFINITY) - now;
  const ms = Math.max(MIN_WAIT_MS, Math.min(step, untilNextRun));
  return { ms, reason, retries: job.retries + 1 };
}

/** Several waits in a row grow, because each of them adds to the time without progress. */
const leastAfter = (msWithoutProgress: number): number =>
  Math.min(msWithoutProgress / 2, DEFAULT_WAIT_MS);
