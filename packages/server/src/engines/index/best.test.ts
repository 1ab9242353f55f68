import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { random } from '../../test/random/random.ts';
import { bestOf } from './best.ts';

const best = (scores: readonly number[], depth: number): number[] => {
  const kept = bestOf(depth);
  scores.forEach((score, position) => {
    if (score > kept.least()) kept.add(position, score);
  });
  return kept.take().map((one) => one.position);
};

describe('bestOf', () => {
  it('keeps the best, and of equals the first', () => {
    assert.deepEqual(best([1, 3, 2, 3, 0], 3), [1, 3, 2]);
    assert.deepEqual(best([2, 2, 2, 2], 2), [0, 1]);
    assert.deepEqual(best([5], 3), [0]);
    assert.deepEqual(best([], 3), []);
    assert.deepEqual(best([1, 2], 0), []);
  });

  it('is a sort that stops early', () => {
    const chance = random(4);
    for (let round = 0; round < 200; round++) {
      const scores = Array.from({ length: chance.below(60) }, () => chance.below(12));
      const sorted = scores
        .map((score, position) => ({ score, position }))
        .sort((a, b) => b.score - a.score || a.position - b.position)
        .map(({ position }) => position);
      const depth = 1 + chance.below(25);
      assert.deepEqual(best(scores, depth), sorted.slice(0, depth));
    }
  });
});
