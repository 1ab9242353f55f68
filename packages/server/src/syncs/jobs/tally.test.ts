import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addTally, noTally } from './tally.ts';

describe('addTally', () => {
  it('adds each counter to the same counter', () => {
    const one = {
      inserted: 1,
      updated: 2,
      deleted: 3,
      missing: 12,
      heldBack: 13,
      kept: 4,
      skipped: 5,
      failed: 6,
      encountered: { Page: 7 },
      leftOut: { Page: 11 },
      byType: {
        inserted: { Page: 1 },
        updated: { Page: 2 },
        deleted: { Page: 3 },
        failed: { Page: 6 },
      },
      skippedBy: { 'too large': 5 },
      secrets: 9,
      secretExamples: ['a'],
      chunks: 8,
    };
    const two = {
      ...noTally,
      encountered: { Page: 1, Post: 2 },
      leftOut: { File: 3 },
      byType: {
        inserted: { Post: 1 },
        updated: { Page: 1 },
        deleted: { constructor: 1 },
        failed: { File: 3 },
      },
      kept: -1,
    };
    assert.deepEqual(addTally(one, two), {
      ...one,
      kept: 3,
      encountered: { Page: 8, Post: 2 },
      leftOut: { Page: 11, File: 3 },
      byType: {
        inserted: { Page: 1, Post: 1 },
        updated: { Page: 3 },
        deleted: { Page: 3, constructor: 1 },
        failed: { Page: 6, File: 3 },
      },
    });
    assert.deepEqual(addTally(noTally, one), one);
  });

  it('[CON-41] keeps the first ten examples of secrets, and counts all secrets', () => {
    const of = (id: number) => ({
      ...noTally,
      secrets: 1,
      secretExamples: [`e${id}`] as readonly string[],
    });
    const { secrets, secretExamples } = Array.from({ length: 12 }, (_, i) => of(i)).reduce(
      addTally,
    );
    assert.equal(secrets, 12);
    assert.deepEqual(
      secretExamples,
      Array.from({ length: 10 }, (_, i) => `e${i}`),
    );
  });

  it('[JOB-49] counts skipped records by reason, with a limited number of reasons', () => {
    const of = (from: number, count: number) => ({
      ...noTally,
      skippedBy: Object.fromEntries(Array.from({ length: count }, (_, i) => [`r${from + i}`, 2])),
    });
    const { skippedBy } = [of(0, 40), of(30, 30), of(0, 1000)].reduce(addTally);
    const counts = Object.values(skippedBy);
    assert.equal(counts.length, 51);
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      2 * 1070,
    );
    assert.deepEqual([skippedBy.r0, skippedBy.r30, skippedBy.r49], [4, 6, 4]);
    assert.equal(skippedBy['for other reasons'], 2 * 1070 - 2 * (2 * 30 + 10 * 3 + 10 * 2));
  });
});
