import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AgenticBody } from './schema.ts';

describe('the body of an agentic search', () => {
  it('refuses a filter of more than 50,000 characters before it examines its conditions', () => {
    const groups = (count: number) => Array.from({ length: 50 }, () => Array(count).fill({}));
    const parse = (filter: unknown) => AgenticBody.safeParse({ query: 'dogs', filter });
    const { error } = parse(groups(400));
    assert.deepEqual(
      error?.issues.map(({ path, message }) => [path, message]),
      [[['filter'], 'the filter has more than 50000 characters']],
    );
    assert.doesNotMatch(String(parse(groups(4)).error), /characters/);
    assert.deepEqual(AgenticBody.parse({ query: 'dogs' }).filter, { should: [] });
  });
});
