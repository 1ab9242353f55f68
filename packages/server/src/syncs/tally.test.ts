import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addTally, countTypes, noTally } from './tally.ts';

describe('addTally', () => {
  it('adds every counter to its own', () => {
    const one = {
      inserted: 1,
      updated: 2,
      deleted: 3,
      kept: 4,
      skipped: 5,
      failed: 6,
      encountered: { Page: 7 },
      leftOut: { Page: 11 },
      chunks: 8,
    };
    const two = { ...noTally, encountered: { Page: 1, Post: 2 }, leftOut: { File: 3 }, kept: -1 };
    assert.deepEqual(addTally(one, two), {
      ...one,
      kept: 3,
      encountered: { Page: 8, Post: 2 },
      leftOut: { Page: 11, File: 3 },
    });
    assert.deepEqual(addTally(noTally, one), one);
  });
});

describe('countTypes', () => {
  it('takes no type for a property of objects', () => {
    assert.deepEqual(countTypes(['constructor', 'toString']), { constructor: 1, toString: 1 });
    const both = { ...noTally, encountered: { constructor: 2 } };
    assert.deepEqual(addTally(noTally, both).encountered, { constructor: 2 });
  });

  it('counts each type', () => assert.deepEqual(countTypes(['A', 'B', 'A']), { A: 2, B: 1 }));
});
