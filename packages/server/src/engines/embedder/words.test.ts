import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stem } from '../../model/word-table.ts';
import { createBuiltinEmbedder } from './builtin.ts';
import { loadModel } from './model-file.ts';
import { createWords } from './words.ts';

const model = loadModel();
const words = createWords(model);

describe('the weights and vectors of words', () => {
  it('give frequent words less weight than names', () => {
    const weightOf = (word: string) => words.weight(stem(word));
    assert.ok(weightOf('purpose') < weightOf('photosynthesis'));
    assert.ok(weightOf('the') < weightOf('purpose'));
    for (const word of ['purpose', 'photosynthesis', 'zzqqxy', '1234'])
      assert.ok(weightOf(word) > 0.5 && weightOf(word) < 2, `${word}: ${weightOf(word)}`);
  });

  it('bring titles with the same meaning close together', () => {
    const likeness = words.likenessTo('car engine');
    assert.ok(likeness('vehicle motor') > likeness('garden flowers') + 0.2);
    for (const time of ['first', 'second'])
      assert.ok(Math.abs(likeness('engine, car') - 1) < 1e-6, time);
  });

  it('give two titles the cosine of their vectors as closeness', async () => {
    const titles = ['car engine', 'garden flowers and a garden', 'motor of the vehicle'];
    const { signal } = new AbortController();
    const vectors = await createBuiltinEmbedder({ model }).embed(titles, 'document', signal);
    for (const [i, one] of titles.entries())
      for (const [j, other] of titles.entries()) {
        const cosine = vectors[i]!.reduce((sum, x, at) => sum + x * vectors[j]![at]!, 0);
        assert.ok(Math.abs(words.likenessTo(one)(other) - cosine) < 1e-5, `${one}, ${other}`);
      }
  });

  it('ignore numbers and unknown names in titles', () => {
    const likeness = words.likenessTo('money');
    assert.ok(likeness('finance') > 0.2);
    assert.equal(likeness('finance 93'), likeness('finance'));
    assert.equal(likeness('zzqqxy:17'), 0);
    assert.equal(words.likenessTo('zzqqxy:17')('finance'), 0);
  });
});
