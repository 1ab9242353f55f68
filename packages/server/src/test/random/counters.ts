/** Checks the counters of jobs as the API shows them. */
import { same } from './violation.ts';

export interface CountedJob {
  readonly entities_inserted: number;
  readonly entities_updated: number;
  readonly entities_deleted: number;
  readonly entities_kept: number;
  readonly entities_skipped: number;
  readonly entities_failed: number;
  readonly entities_encountered: Readonly<Record<string, number>>;
}

export const encounteredBy = ({ entities_encountered }: CountedJob): number =>
  Object.values(entities_encountered).reduce((a, b) => a + b, 0);

/** The jobs are all those of one connection, which has so many entities now. */
export function checkCounters(jobs: readonly CountedJob[], stored: number): void {
  let sum = 0;
  for (const job of jobs) {
    sum += job.entities_inserted - job.entities_deleted;
    const { entities_inserted, entities_updated, entities_kept } = job;
    const leftOut = job.entities_skipped + job.entities_failed;
    const counted = entities_inserted + entities_updated + entities_kept + leftOut;
    same(encounteredBy(job), counted, 'the counters of a job add up', JSON.stringify(job));
  }
  same(sum, stored, 'counters are facts', 'inserted less deleted');
}
