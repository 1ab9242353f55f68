import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deal, ofTestFiles } from './test-deal.ts';

describe('test files', () => {
  it('are dealt so that processes have about the same to do, each in the order given', () => {
    const took = { a: 100, b: 4000, c: 2000, d: 1900 };
    assert.deepEqual(deal(['a', 'b', 'c', 'd'], took, 2), [['b'], ['a', 'c', 'd']]);
  });

  it('share what a file took in which they declare their tests', () => {
    const testsThatReach = (file: string) => (file === 'shared' ? ['a', 'b'] : [file]);
    assert.deepEqual(ofTestFiles({ a: 100, shared: 500 }, testsThatReach), { a: 350, b: 250 });
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
