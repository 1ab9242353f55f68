import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeFailure, runSeeds } from './pool.ts';

const SEEDS = 300;

describe('faults', () => {
  it(`${SEEDS} seeds find nothing lost, nothing false and nothing left over`, {
    timeout: 600_000,
  }, async () => {
    const failure = await runSeeds({ from: 1, count: SEEDS });
    assert.equal(failure && describeFailure(failure), undefined);
  });
});
