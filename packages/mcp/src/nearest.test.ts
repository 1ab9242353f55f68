import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nearest } from './nearest.ts';

const NAMES = ['query', 'limit', 'offset', 'score_threshold', 'recency_bias', 'filter'];

describe('nearest', () => {
  for (const [text, expected] of [
    ['limt', 'limit'],
    ['Limit', 'limit'],
    ['limits', 'limit'],
    ['qeury', 'query'],
    ['q', undefined],
    ['filters', 'filter'],
    ['scoreThreshold', 'score_threshold'],
    ['threshold', 'score_threshold'],
    ['recency', 'recency_bias'],
    ['max_results', undefined],
    ['x'.repeat(10_000), undefined],
    ['', undefined],
  ] as const)
    it(`of '${text.slice(0, 20)}' is ${expected}`, () => {
      assert.equal(nearest(text, NAMES), expected);
    });
});
