import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stem } from '../../model/word-table.ts';
import { loadModel } from './model-file.ts';
import { createWords } from './words.ts';

const words = createWords(loadModel());

describe('words', () => {
  it('that say little anywhere weigh less than names', () => {
    const weightOf = (word: string) => words.weight(stem(word));
    assert.ok(weightOf('purpose') < weightOf('photosynthesis'));
    assert.ok(weightOf('the') < weightOf('purpose'));
    for (const word of ['purpose', 'photosynthesis', 'zzqqxy', '1234'])
      assert.ok(weightOf(word) > 0.5 && weightOf(word) < 2, `${word}: ${weightOf(word)}`);
  });

  it('of a title are near to those that mean the same', () => {
    const dot = (a: string, b: string) =>
      words.vector(a).reduce((sum, x, i) => sum + x * words.vector(b)[i]!, 0);
    assert.ok(dot('car engine', 'vehicle motor') > dot('car engine', 'garden flowers') + 0.2);
  });

  it('of a title say nothing by numbers and names that nobody has learnt', () => {
    assert.deepEqual(words.vector('finance 93'), words.vector('finance'));
    assert.ok(words.vector('zzqqxy:17').every((x) => x === 0));
  });
});
