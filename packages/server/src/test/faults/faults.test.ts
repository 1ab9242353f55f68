import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeFailure, runSeeds } from './pool.ts';

const SEEDS = 300;
/** Of one test: it ends in time on a busy machine, too. */
const TOGETHER = 50;

describe('faults', () => {
  for (let from = 1; from <= SEEDS; from += TOGETHER)
    it(`seeds ${from} to ${from + TOGETHER - 1} find nothing lost, nothing false and nothing left over`, async () => {
      const failure = await runSeeds({ from, count: TOGETHER });
      assert.equal(failure && describeFailure(failure), undefined);
    });
});
