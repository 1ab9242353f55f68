import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { nearest, unknownArgument } from './unknown-arguments.ts';

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

describe('unknownArgument', () => {
  it('names the nearest argument and the existing ones', () => {
    const input = z.object({ query: z.string(), limit: z.int() });
    assert.equal(unknownArgument(input, { query: 'x' }), undefined);
    assert.equal(
      unknownArgument(input, { query: 'x', limt: 3 }),
      "'limt' is not an argument: did you mean 'limit'? the tool takes query, limit",
    );
    assert.equal(
      unknownArgument(z.object({}), { verbose: true }),
      "'verbose' is not an argument: the tool takes none",
    );
  });
});
