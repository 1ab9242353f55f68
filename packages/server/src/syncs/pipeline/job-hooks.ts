/** A sync calls these hooks before and after each of its commits. */
import { setImmediate as giveWay, setTimeout as sleep } from 'node:timers/promises';
import { Stopped } from '../jobs/cancel.ts';
import type { JobRow } from '../jobs/job-store.ts';
import type { CommitHooks } from './commit-queue.ts';
import { PAUSE_MS } from './limits.ts';
import type { Upkeep } from './upkeep.ts';

export function hooksOf(upkeep: Upkeep, job: JobRow, collectionId: string): CommitHooks {
  let restsSince = Number.NEGATIVE_INFINITY;
  return {
    // Other writers get their turn between two commits of a bulk load, because SQLite has one writer at a time. Even
    // when no pause is left, the job yields once to the event loop.
    async beforeCommit() {
      const pause = restsSince + PAUSE_MS - performance.now();
      await (pause > 0 ? sleep(pause) : giveWay());
    },
    async afterCommit(status) {
      if (status === 'CANCELLING') throw new Stopped('the job was cancelled');
      if (job.trigger === 'push') upkeep.pushed(collectionId);
      else await upkeep.committed(collectionId);
      restsSince = performance.now();
    },
  };
}
