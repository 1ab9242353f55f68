/** Follows one job until it has ended. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ctx } from '../../context.ts';
import type { WhyRefused } from '../../db/refused-writes.ts';
import type { Db } from '../../db/schema.ts';
import { notFound } from '../../errors.ts';
import type { JobDone, JobProgress } from '../schema.ts';
import { isUnfinished } from './job-store.ts';
import { processedCount, speedometer, toDone, toProgress } from './progress.ts';
import { progressOf } from './progress-store.ts';
import { shownTo } from './view.ts';

const LOOK_MS = 500;

interface FollowOptions {
  /** This caller watches. */
  readonly ctx: Pick<Ctx, 'person'>;
  readonly signal: AbortSignal;
  readonly whyRefused: WhyRefused;
}

/**
 * Yields the job's progress whenever the progress changes, and at last the job's end. Throws the reason of `signal`
 * when the signal aborts, and notFound when the job is deleted with its connection.
 */
export async function* follow(
  db: Db,
  jobId: string,
  { ctx, signal, whyRefused }: FollowOptions,
): AsyncGenerator<JobProgress | JobDone, void, void> {
  const rateAt = speedometer();
  for (let last = ''; ; await sleep(LOOK_MS, undefined, { signal })) {
    const seen = await progressOf(db, jobId);
    if (!seen) throw notFound('job', jobId);
    if (!isUnfinished(seen.job.status)) {
      const { type, job } = toDone(seen.job);
      yield { type, job: shownTo(ctx, job) };
      return;
    }
    const rate = rateAt(processedCount(seen.job), performance.now());
    const progress = toProgress(seen, rate, await whyRefused());
    const text = JSON.stringify(progress);
    if (text !== last) yield progress;
    last = text;
  }
}
