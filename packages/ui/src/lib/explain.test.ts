import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { shownPartsOf } from './explain.ts';

describe('the groups of a score', () => {
  it('add the parts that a person would call by the same name', () => {
    const parts = [
      { name: 'lexical', adds: 0.2 },
      { name: 'near', adds: 0.01 },
      { name: 'meaning', adds: 0.1 },
      { name: 'titleMeaning', adds: 0.05 },
      { name: 'run', adds: 0 },
    ];
    assert.deepEqual(shownPartsOf(parts, 0.36), [
      { group: 'words', adds: 0.21 },
      { group: 'meaning', adds: 0.1 },
      { group: 'title', adds: 0.05 },
    ]);
  });

  it('show a part below zero', () => {
    const shown = shownPartsOf(
      [
        { name: 'lexical', adds: 0.5 },
        { name: 'place', adds: -0.1 },
      ],
      0.4,
    );
    assert.deepEqual(shown, [
      { group: 'words', adds: 0.5 },
      { group: 'place', adds: -0.1 },
    ]);
  });

  it('add up to the shown score, whatever rounding does', () => {
    const names = ['lexical', 'meaning', 'title', 'recency', 'near', 'topic'];
    const part = fc.record({
      name: fc.constantFrom(...names),
      adds: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 12 }), (parts) => {
        const score = parts.reduce((sum, { adds }) => sum + adds, 0);
        const shown = shownPartsOf(parts, score);
        if (shown.length === 0) return score < 0.01;
        const total = shown.reduce((sum, { adds }) => sum + Math.round(adds * 1000), 0);
        return total === Math.round(score * 1000);
      }),
    );
  });
});
