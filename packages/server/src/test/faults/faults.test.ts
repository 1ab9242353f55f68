import { describe, it } from 'node:test';
import { runSeeds, SYNCS } from './pool.ts';

/** `npm run faults` runs as many seeds as one likes. */
const SEEDS = 30;
/** One test runs this many seeds, so that it also ends in time on a busy machine. */
const TOGETHER = 25;

describe('faults', () => {
  for (let from = 1; from <= SEEDS; from += TOGETHER) {
    const count = Math.min(TOGETHER, SEEDS - from + 1);
    it(`seeds ${from} to ${from + count - 1} find nothing lost, nothing false and nothing left over`, async () => {
      await runSeeds(SYNCS, { from, count });
    });
  }
});
