/** A sync calls these hooks before and after each of its commits. */
import { setImmediate as giveWay, setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Stopped } from '../jobs/cancel.ts';
import type { JobRow } from '../jobs/job-store.ts';
import type { CommitHooks } from './commit-queue.ts';
import { PAUSE_MS } from './limits.ts';
import type { Upkeep } from './upkeep.ts';

export function hooksOf(
  { upkeep, log }: { readonly upkeep: Upkeep; readonly log: Logger },
  job: Pick<JobRow, 'id' | 'trigger'>,
  collectionId: string,
): CommitHooks {
  let restsSince = Number.NEGATIVE_INFINITY;
  let isInIdleMoments = job.trigger === 'push';

  /** The data is committed, so a failure in the index must not fail the sync. The worker tries again in idle moments. */
  async function maintain(): Promise<void> {
    if (isInIdleMoments) return upkeep.pushed(collectionId);
    try {
      await upkeep.committed(collectionId);
    } catch (error) {
      log.error({ err: error, jobId: job.id, collectionId }, 'the upkeep of the index failed');
      isInIdleMoments = true;
    }
  }

  return {
    // Other writers get their turn between two commits of a bulk load, because SQLite has one writer at a time. Even
    // when no pause is left, the job yields once to the event loop.
    async beforeCommit() {
      const pause = restsSince + PAUSE_MS - performance.now();
      await (pause > 0 ? sleep(pause) : giveWay());
    },
    async afterCommit(status) {
      if (status === 'CANCELLING') throw new Stopped('the job was cancelled');
      await maintain();
      restsSince = performance.now();
    },
  };
}
