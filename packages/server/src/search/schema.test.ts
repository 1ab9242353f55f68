import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SearchBody } from './schema.ts';

const accepts = (options: object) => SearchBody.safeParse({ query: 'q', ...options }).success;

describe('SearchBody', () => {
  it('accepts a filter of 50,000 characters of JSON, and no longer one', () => {
    const filter = (length: number) => {
      const of = (value: string) => ({ must: { key: 'name', match: { value } } });
      return of('x'.repeat(length - JSON.stringify(of('')).length));
    };
    assert.equal(JSON.stringify(filter(50_000)).length, 50_000);
    assert.ok(accepts({ filter: filter(50_000) }));
    const { error } = SearchBody.safeParse({ query: 'q', filter: filter(50_001) });
    assert.match(error?.issues[0]?.message ?? '', /more than 50000 characters/);
  });

  it('accepts pages of 1 to 1,000 results, from the first result on', () => {
    const limits = [0, 1, 1000, 1001].map((limit) => accepts({ limit }));
    assert.deepEqual(limits, [false, true, true, false]);
    const offsets = [-1, 0, 1, 0.5].map((offset) => accepts({ offset }));
    assert.deepEqual(offsets, [false, true, true, false]);
  });

  it('accepts shares from 0 to 1', () => {
    for (const option of ['score_threshold', 'recency_bias']) {
      const taken = [-0.01, 0, 1, 1.01].map((share) => accepts({ [option]: share }));
      assert.deepEqual(taken, [false, true, true, false], option);
    }
  });
});
