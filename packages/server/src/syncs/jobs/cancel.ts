/** Checks twice a second whether a caller has asked a running job to stop. */
import type { Logger } from 'pino';
import type { Db } from '../../db/schema.ts';
import { statusOf } from './job-store.ts';

const LOOK_MS = 500;

/** The work of a job was stopped from outside. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/**
 * Stops the job soon after a cancel. Without this, a job that waits for its source would stop only at its next commit.
 */
export function watchForCancel(
  deps: { readonly db: Db; readonly log: Logger },
  jobId: string,
  cancelled: AbortController,
) {
  const look = async () => {
    const status = await statusOf(deps.db, jobId);
    if (status !== 'RUNNING') cancelled.abort(new Stopped('the job was cancelled'));
  };
  return setInterval(() => {
    look().catch((error) => deps.log.warn({ err: error, jobId }, 'cannot look for a cancel'));
  }, LOOK_MS);
}
