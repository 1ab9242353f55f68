/** Ends a job that could not go on, as FAILED or CANCELLED. */
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Schema } from '../../db/schema.ts';
import { SourceError } from '../../errors.ts';
import { Stopped } from '../jobs/cancel.ts';
import { describeFailure } from '../jobs/failure.ts';
import { end as endJob, type RunningJob } from '../jobs/job-end-store.ts';
import * as runs from './run-store.ts';

export async function endBadly(
  deps: { readonly db: Kysely<Schema>; readonly log: Logger },
  job: RunningJob & { readonly startedAt: number },
  { error, cancelled }: { readonly error: unknown; readonly cancelled: boolean },
): Promise<'FAILED' | 'CANCELLED'> {
  if (cancelled || error instanceof Stopped) {
    const end = { status: 'CANCELLED', error: null, details: null } as const;
    await deps.db.transaction().execute((tx) => endJob(tx, job, end));
    return 'CANCELLED';
  }
  const failure = describeFailure(error);
  const hasFailed = await deps.db.transaction().execute(async (tx) => {
    const end = { status: 'FAILED', error: failure.error, details: failure.details } as const;
    // A cancel that came in the meantime wins: the job was asked to stop, and it has stopped.
    if (!(await endJob(tx, job, end))) {
      await endJob(tx, job, { status: 'CANCELLED', error: null, details: null });
      return false;
    }
    if (failure.details.code === 'auth') await runs.refuse(tx, job.connectionId, job.startedAt);
    return true;
  });
  // A worker that has lost the job may meet any error, because the data that it works with may be gone.
  if (!hasFailed) deps.log.warn({ err: error, jobId: job.id }, 'a sync stopped');
  else if (!(error instanceof SourceError))
    deps.log.error({ err: error, jobId: job.id }, 'a sync broke');
  return hasFailed ? 'FAILED' : 'CANCELLED';
}
