import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stepLine, withoutModel } from './agentic.ts';

describe('an agentic search in words', () => {
  it('has a line for each step', () => {
    const lines = [
      { type: 'planning', reasoning: 'Two parts.', strategy: 'x' },
      { type: 'search', query: 'weir', results_found: 1 },
      { type: 'evaluation', quality_score: 0.62, needs_refinement: true },
    ] as const;
    assert.deepEqual(lines.map(stepLine), [
      'Two parts.',
      'Searched “weir”: 1 passage',
      'The passages answer 62 of 100, so the search goes on',
    ]);
  });

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
