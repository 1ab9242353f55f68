import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { meaningIn, plainMeaning } from './meaning.ts';

describe('meaning', () => {
  it('[SRH-23] is the cosine with the built-in model, limited to 0 to 1', () => {
    assert.deepEqual([0.7, 0, -0.2, 1, 1.004].map(plainMeaning), [0.7, 0, 0, 1, 1]);
  });

  it('[SRH-23] is 0 for the usual cosine of another model, and 1 from six standard deviations above it', () => {
    const meaning = meaningIn({ mean: 0.75, spread: 0.03125 });
    const found = [0.75, 0.84375, 0.9375, 1, 0.5, -1].map(meaning);
    assert.deepEqual(found, [0, 0.5, 1, 1, 0, 0]);
  });
});
