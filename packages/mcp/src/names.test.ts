import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { searchToolName } from './names.ts';

describe('searchToolName', () => {
  it('[MCP-19] is search-{collection} when that is short enough', () => {
    assert.equal(searchToolName('my-notes'), 'search-my-notes');
    assert.equal(searchToolName('x'.repeat(43)), `search-${'x'.repeat(43)}`);
  });

  it('cuts a long name to 50 characters, and keeps two long names different', () => {
    const [a, b] = ['a', 'b'].map((end) => searchToolName('x'.repeat(63) + end));
    assert.match(a ?? '', /^search-x{36}-[0-9a-f]{6}$/);
    assert.notEqual(a, b);
  });
});
