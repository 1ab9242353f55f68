import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { quantize } from '../../model/vector.ts';
import { rangeOf } from './cosines.ts';

/** Returns unit vectors in a plane, at these angles in degrees. */
const vectorsAt = (angles: readonly number[]) =>
  angles.map((angle) => {
    const radians = (angle / 180) * Math.PI;
    return quantize(Float32Array.from([Math.cos(radians), Math.sin(radians)]));
  });

describe('the range of cosines', () => {
  it('is the mean and the standard deviation over all pairs, rounded', () => {
    const angles = [0, 90, 0, 90, 0, 90, 0, 90];
    // The cosine is 1 for 12 of the 28 pairs, and 0 for 16 of them.
    assert.deepEqual(rangeOf(vectorsAt(angles)), { mean: 0.43, spread: 0.49 });
  });

  it('is unknown with few vectors, and where all are equal', () => {
    assert.equal(rangeOf(vectorsAt([0, 10, 20, 30, 40, 50, 60])), null);
    assert.notEqual(rangeOf(vectorsAt([0, 10, 20, 30, 40, 50, 60, 70])), null);
    assert.equal(rangeOf(vectorsAt(Array(20).fill(30))), null);
  });
});
