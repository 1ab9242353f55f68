/** Decides what becomes of a job whose attempt ended with an error of its source. */
import type { Kysely } from 'kysely';
import type { DatabaseKind } from '../../db/connect.ts';
import type { Schema } from '../../db/schema.ts';
import { SourceError } from '../../errors.ts';
import { PostponeJob } from '../../jobs/work.ts';
import { beginAgain } from './begin-again-store.ts';
import * as jobs from './job-store.ts';
import { waitFor } from './patience.ts';

/**
 * Gives the job back to the queue when another attempt may succeed: from the start when the source no longer knows
 * where to go on, or after a wait (patience.ts). Returns null when the job must end.
 */
export async function postpone(
  { db, kind }: { readonly db: Kysely<Schema>; readonly kind: DatabaseKind },
  claim: jobs.SyncClaim,
  error: unknown,
): Promise<PostponeJob | null> {
  if (!(error instanceof SourceError)) return null;
  if (error.kind === 'outdated') {
    const reason = `${error.message}: the sync begins again from the start`;
    const begins = await db.transaction().execute((tx) => beginAgain(tx, kind, { claim, reason }));
    return begins ? new PostponeJob(0, reason) : null;
  }
  // The caller read the job before the commits of this attempt, so these values are read again.
  const job = await jobs.retriedJob(db, claim.data.jobId);
  const wait = job ? waitFor(error, job, Date.now()) : null;
  if (!wait) return null;
  const parked = await db.transaction().execute((tx) => jobs.park(tx, kind, { claim, wait }));
  return parked ? new PostponeJob(wait.ms, wait.reason) : null;
}
