import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createBuiltinEmbedder } from './builtin.ts';
import { createCloseness } from './closeness.ts';
import { loadModel } from './model-file.ts';

const model = loadModel();
const closeness = createCloseness(model);

describe('the closeness of words', () => {
  it('is the cosine of their vectors', async () => {
    const stems = ['car', 'bank', 'garden'];
    const embedded = createBuiltinEmbedder({ model });
    const vectors = await embedded.embed(
      [...stems, 'engin'],
      'query',
      new AbortController().signal,
    );
    const found = closeness(stems)('engin');
    for (const k of stems.keys()) {
      const cosine = vectors[k]!.reduce((sum, x, i) => sum + x * vectors[3]![i]!, 0);
      assert.ok(Math.abs(found![k]! - cosine) < 1e-5, `${stems[k]}: ${found![k]}`);
    }
  });

  it('is null when the query word is unknown, and 0 when the other word is unknown', () => {
    assert.equal(closeness(['car'])('zzqqxy'), null);
    const near = closeness(['zzqqxy', 'car']);
    assert.equal(near('car')?.[0], 0);
    assert.ok(Math.abs(near('car')![1]! - 1) < 1e-5);
    assert.equal(near('car'), near('car'));
  });
});
