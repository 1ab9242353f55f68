import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutModel } from './agentic.ts';

describe('an agentic search in words', () => {
  it('says what was done without a language model', () => {
    assert.equal(withoutModel([]), null);
    assert.match(
      withoutModel(['plan', 'evaluate', 'answer']) ?? '',
      /planned, checked and answered by/,
    );
    assert.match(withoutModel(['answer']) ?? '', /Quarry answered by/);
    assert.match(withoutModel(['embedding']) ?? '', /^Nothing was compared by meaning/);
  });
});
