import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deal } from './test-deal.ts';

describe('test files', () => {
  it('are dealt so that processes have about the same to do, each in the order given', () => {
    const took = { a: 100, b: 4000, c: 2000, d: 1900 };
    assert.deepEqual(deal(['a', 'b', 'c', 'd'], took, 2), [['b'], ['a', 'c', 'd']]);
  });

  it('that were never timed are dealt too', () => {
    const hands = deal(['a', 'b', 'c', 'd'], {}, 2);
    assert.deepEqual(
      hands.map(({ length }) => length),
      [2, 2],
    );
    assert.deepEqual(hands.flat().toSorted(), ['a', 'b', 'c', 'd']);
  });

  it('that are fewer than the processes leave none with nothing to do', () => {
    assert.deepEqual(deal(['a'], {}, 3), [['a']]);
    assert.deepEqual(deal(['a'], {}, 0), [['a']]);
    assert.deepEqual(deal([], {}, 2), []);
  });
});
