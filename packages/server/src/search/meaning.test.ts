import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { meaningIn, plainMeaning } from './meaning.ts';

describe('meaning', () => {
  it('[SRH-23] of the built-in model is the cosine, as a number from 0 to 1', () => {
    assert.deepEqual([0.7, 0, -0.2, 1, 1.004].map(plainMeaning), [0.7, 0, 0, 1, 1]);
  });

  it('[SRH-23] of another model is 0 for a usual cosine, and 1 six standard deviations above', () => {
    const meaning = meaningIn({ mean: 0.75, spread: 0.03125 });
    const found = [0.75, 0.84375, 0.9375, 1, 0.5, -1].map(meaning);
    assert.deepEqual(found, [0, 0.5, 1, 1, 0, 0]);
  });
});
