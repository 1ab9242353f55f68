/**
 * Whether a job waits for its source, and how long. A source that asks for patience gets it, a broken
 * line is tried again a few times; the job goes on at its bookmark, and nobody holds a place meanwhile.
 */
import type { SourceError } from '../../errors.ts';

/** Before each attempt after one that came no further than the one before. */
const RETRY_MS = [1000, 4000];
/** When the source does not say. */
const PATIENCE_MS = 60_000;
/** A job that has come no further for so long fails with what it waits for. */
const LONGEST_MS = 24 * 3_600_000;

export interface Wait {
  readonly until: number;
  readonly reason: string;
  /** Attempts that came no further, this one included. */
  readonly retries: number;
}

/**
 * Null when waiting would not help, or has not helped. `progressedAt` is when the job came further last,
 * in milliseconds since 1970. A source that asks for more than a day at once is not waited for.
 */
export function waitFor(
  error: SourceError,
  job: { readonly retries: number; readonly progressedAt: number },
  now: number,
): Wait | null {
  const { kind, message: reason, retryAfter } = error;
  if (kind === 'rate_limited') {
    const ms = retryAfter === undefined ? PATIENCE_MS : retryAfter * 1000;
    if (ms > LONGEST_MS || now - job.progressedAt >= LONGEST_MS) return null;
    return { until: now + ms, reason, retries: job.retries };
  }
  const ms = kind === 'transient' ? RETRY_MS[job.retries] : undefined;
  return ms === undefined ? null : { until: now + ms, reason, retries: job.retries + 1 };
}
