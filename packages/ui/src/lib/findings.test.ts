import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findingOf } from './findings.ts';

describe('the findings of the doctor in words', () => {
  it('say how many are concerned, and what a repair does', () => {
    assert.deepEqual(findingOf({ kind: 'missing_chunk', count: 3 }), {
      title: '3 records have a passage that searches cannot find',
      meaning: 'Repairing makes it again from what is stored.',
    });
    const { title, meaning } = findingOf({ kind: 'gone_at_source', count: 1 });
    assert.equal(title, '1 record is gone at the source and still here');
    assert.equal(meaning, 'Run a full sync of the connection.');
    assert.equal(
      findingOf({ kind: 'chunk_without_words', count: 1200 }).title,
      '1,200 passages cannot be found by words',
    );
  });
});
