/** Counts checks, so that a test file can say at its end how many exchanges were checked, and by which document. */
import { after } from 'node:test';
import { isMainThread } from 'node:worker_threads';
import { dateOf, type HttpContract } from './contract.ts';

export interface CheckCounts {
  requests: number;
  answers: number;
}

type Document = Pick<HttpContract, 'title' | 'origin'>;

/** The line is a diagnostic of the test file in which the contract is opened. `npm test` adds up the lines of all files. */
export function countChecks(...documents: readonly Document[]): CheckCounts {
  const counts: CheckCounts = { requests: 0, answers: 0 };
  // The threads of a simulation run no tests, and a hook of a test would slow down all promises of a thread.
  if (!isMainThread) return counts;
  const by = documents.map(({ title, origin }) => `${title} of ${dateOf(origin)}`).join(' and ');
  after((t) => {
    const { requests, answers } = counts;
    if (requests + answers > 0 && 'diagnostic' in t)
      t.diagnostic(`${requests} requests and ${answers} answers were checked by ${by}`);
  });
  return counts;
}
