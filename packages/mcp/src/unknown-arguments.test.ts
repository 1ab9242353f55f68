import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { unknownArgument } from './unknown-arguments.ts';

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
