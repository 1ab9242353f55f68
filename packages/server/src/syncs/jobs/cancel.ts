/** Checks twice a second whether a caller has asked a running job to stop. */
import type { Logger } from 'pino';
import type { Db } from '../../db/schema.ts';
import { withDeadline } from '../../db/short.ts';
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
  const db = withDeadline(deps.db);
  let isLooking = false;
  let isOut = false;
  const look = async () => {
    try {
      const status = await statusOf(db, jobId);
      isOut = false;
      if (status !== 'RUNNING') cancelled.abort(new Stopped('the job was cancelled'));
    } catch (error) {
      // One line says that the database cannot be read, however long that lasts.
      if (!isOut) deps.log.warn({ err: error, jobId }, 'cannot look for a cancel');
      isOut = true;
    }
  };
  return setInterval(() => {
    // A look may wait for the database, and further ones would take its other connections.
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => {
      isLooking = false;
    });
  }, LOOK_MS);
}
