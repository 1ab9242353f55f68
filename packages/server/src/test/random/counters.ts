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
  readonly entities_by_type: Readonly<Record<string, Readonly<Record<string, number>>>>;
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
  for (const job of jobs) checkTypes(job);
  same(sum, stored, 'counters are facts', 'inserted less deleted');
}

const WORDS = ['inserted', 'updated', 'deleted', 'kept', 'skipped', 'failed'] as const;

/** The counters by type add up to the counters of all types, and to what the job met of each type. */
function checkTypes(job: CountedJob): void {
  const rule = 'the counters of a job by type add up';
  const types = Object.entries(job.entities_by_type);
  for (const word of WORDS) {
    const sum = types.reduce((all, [, counts]) => all + (counts[word] ?? Number.NaN), 0);
    same(sum, job[`entities_${word}`], rule, `${word} of ${JSON.stringify(job)}`);
  }
  for (const [type, { deleted, ...met }] of types) {
    const sum = Object.values(met).reduce((a, b) => a + b, 0);
    same(sum, job.entities_encountered[type] ?? 0, rule, `${type} of ${JSON.stringify(job)}`);
    same(Math.min(...Object.values(met)) >= 0, true, rule, `${type} below zero`);
  }
}
