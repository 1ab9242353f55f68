import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crossValidate, FOLDS, foldsOf } from './cross-validate.ts';

const texts = Array.from({ length: 53 }, (_, i) => `query ${i % 50}`);

describe('cross-validation', () => {
  it('measures every query once, with a fit that has not seen its text', async () => {
    const queries = texts.map((text, i) => ({ text, i }));
    const measured: number[] = [];
    const { fits, values } = await crossValidate(queries, foldsOf(texts, 1), {
      fit: (training) => new Set(training.map(({ text }) => text)),
      measure: ({ text, i }, seen) => {
        assert.ok(!seen.has(text), text);
        assert.ok(seen.size >= 39, `${seen.size} texts remain for the fit`);
        measured.push(i);
        return i;
      },
    });
    assert.equal(fits.length, FOLDS);
    assert.deepEqual(
      values,
      queries.map(({ i }) => i),
    );
    assert.deepEqual(
      measured.toSorted((a, b) => a - b),
      values,
    );
  });

  it('distributes the queries evenly, and equally for the same seed', () => {
    const folds = foldsOf(texts.slice(0, 50), 1);
    for (let fold = 0; fold < FOLDS; fold++)
      assert.equal(folds.filter((one) => one === fold).length, 10);
    assert.deepEqual(folds, foldsOf(texts.slice(0, 50), 1));
    assert.notDeepEqual(folds, foldsOf(texts.slice(0, 50), 2));
    const [first, again] = foldsOf([' Old harbour', 'old Harbour '], 1);
    assert.equal(first, again);
  });
});
