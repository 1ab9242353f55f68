import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bySize } from './pages.ts';

describe('bySize', () => {
  const groups = (...sizes: number[]) =>
    [
      ...bySize(
        sizes.map((size, i) => ({ id: `${i}`, entity_id: `${i}`, size })),
        10,
      ),
    ].map((some) => some.map(({ size }) => size));

  it('gives every record once, in order, as many at a time as the bytes allow', () => {
    assert.deepEqual(groups(), []);
    assert.deepEqual(groups(4, 6, 1, 9, 9, 2), [[4, 6], [1, 9], [9], [2]]);
  });

  it('gives one that is larger alone', () => {
    assert.deepEqual(groups(1, 50, 1, 1), [[1], [50], [1, 1]]);
    assert.deepEqual(groups(50), [[50]]);
  });
});
