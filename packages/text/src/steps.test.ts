import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stepLine } from './steps.ts';

describe('the steps of an agentic search', () => {
  it('have a line each', () => {
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
});
