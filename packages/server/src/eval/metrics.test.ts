import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createBm25 } from './bm25.ts';
import { differenceInterval, percentile, qualityOf } from './metrics.ts';

const close = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 1e-12, `${actual} is not ${expected}`);

describe('the quality of a ranking', () => {
  it('is 1 for the best possible ranking', () => {
    const relevant = new Map([
      ['a', 2],
      ['b', 1],
    ]);
    assert.deepEqual(qualityOf(['a', 'b', 'c'], relevant), { ndcg10: 1, recall100: 1, mrr: 1 });
  });

  it('equals values that were computed by hand', () => {
    const relevant = new Map([
      ['a', 2],
      ['b', 1],
    ]);
    const { ndcg10, recall100, mrr } = qualityOf(['x', 'b'], relevant);
    close(ndcg10, 1 / Math.log2(3) / (2 + 1 / Math.log2(3)));
    assert.deepEqual([recall100, mrr], [0.5, 0.5]);
  });

  it('uses the first ten results for ndcg10, and the first hundred for the others', () => {
    const filler = (count: number) => Array.from({ length: count }, (_, i) => `x${i}`);
    const relevant = new Map([['a', 1]]);
    assert.equal(qualityOf([...filler(10), 'a'], relevant).ndcg10, 0);
    close(qualityOf([...filler(99), 'a'], relevant).mrr, 0.01);
    assert.deepEqual(qualityOf([...filler(100), 'a'], relevant), {
      ndcg10: 0,
      recall100: 0,
      mrr: 0,
    });
  });
});

describe('the interval of a difference', () => {
  const values = Array.from({ length: 200 }, (_, i) => ((i * 37) % 100) / 100);

  it('excludes zero when every query gains, and is zero when nothing changes', () => {
    const better = differenceInterval([{ a: values, b: values.map((value) => value + 0.1) }]);
    close(better.low, 0.1);
    close(better.high, 0.1);
    assert.deepEqual(differenceInterval([{ a: values, b: values }]), { low: 0, high: 0 });
  });

  it('is paired, is about as wide as the normal interval, and gives each set the same weight', () => {
    const noise = values.map((value, i) => (i % 2 === 0 ? value + 1 : value - 1));
    const { low, high } = differenceInterval([{ a: values, b: noise }]);
    // These are two standard errors of a difference of ±1 in 200 queries.
    assert.ok(Math.abs(low + 0.139) < 0.02 && Math.abs(high - 0.139) < 0.02, `${low} ${high}`);
    const both = differenceInterval([
      { a: [0], b: [1] },
      { a: values, b: values },
    ]);
    assert.deepEqual(both, { low: 0.5, high: 0.5 });
  });
});

describe('a percentile', () => {
  it('is one of the given values', () => {
    assert.equal(percentile([3, 1, 2, 4], 0.5), 3);
    assert.equal(percentile([3, 1, 2, 4], 0.95), 4);
    assert.equal(percentile([], 0.5), 0);
  });
});

describe('plain BM25', () => {
  const rank = createBm25([
    { id: 'short', title: '', text: 'wing' },
    { id: 'titled', title: 'Wings', text: 'the plane' },
    { id: 'none', title: '', text: 'garden' },
  ]);

  it('treats title and text as one field, and returns no document without a shared term', () => {
    assert.deepEqual(rank('the wings', 10), ['short', 'titled']);
    assert.deepEqual(rank('wing garden', 1), ['none']);
    assert.deepEqual(rank('the', 10), []);
  });
});
