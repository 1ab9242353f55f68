import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { createBuiltinEmbedder } from './builtin.ts';
import { loadModel } from './model-file.ts';

const { signal } = new AbortController();
const model = loadModel();
const embedder = createBuiltinEmbedder({ model });

async function embed(...texts: string[]): Promise<Float32Array[]> {
  return embedder.embed(texts, 'document', signal);
}

async function similarity(one: string, other: string): Promise<number> {
  const [a, b] = await embed(one, other);
  return a!.reduce((sum, x, i) => sum + x * b![i]!, 0);
}

describe('built-in embedder', () => {
  it('contains exactly the model that its name and hash say', () => {
    const file = new URL('../../../models/static-256-v1.bin', import.meta.url);
    assert.equal(
      createHash('sha256').update(readFileSync(file)).digest('hex'),
      'f8785115b9cf90edeba35ee056b5b6c62586b93d7af8e1bbbfa5c826b2019d6a',
    );
    assert.equal(embedder.model, 'quarry-static-256-v1');
    assert.equal(embedder.dimensions, 256);
  });

  it('gives the same vectors as the training program', async () => {
    // research/embedder/record.mjs makes these vectors.
    const file = new URL('fixtures/vectors.json', import.meta.url);
    const recorded = JSON.parse(readFileSync(file, 'utf8')) as { text: string; vector: string }[];
    assert.equal(recorded.length, 6);
    const vectors = await embed(...recorded.map(({ text }) => text));
    recorded.forEach(({ text, vector }, i) => {
      const expected = new Float32Array(new Uint8Array(Buffer.from(vector, 'base64')).buffer);
      assert.deepEqual(vectors[i], expected, text);
    });
  });

  it('gives unit vectors', async () => {
    for (const vector of await embed('index', 'how are words stemmed', 'zyxqwortle')) {
      const length = Math.hypot(...vector);
      assert.ok(Math.abs(length - 1) < 1e-5, `length ${length}`);
    }
  });

  it('gives zeros for a text without words', async () => {
    for (const vector of await embed('', ' \n', '!?', '\ud800'))
      assert.deepEqual(vector, new Float32Array(256));
  });

  it('is not influenced by earlier texts', async () => {
    const [first, , again] = await embed('red apples', 'red red blue', 'red apples');
    assert.deepEqual(first, again);
  });

  it('embeds a query like a document', async () => {
    const [query] = await embedder.embed(['red apples'], 'query', signal);
    assert.deepEqual([query], await embed('red apples'));
  });

  it('gives texts with the same meaning near vectors', async () => {
    const near = await similarity('delete a file from the disk', 'removing documents from storage');
    const far = await similarity('delete a file from the disk', 'the orchestra played a symphony');
    assert.ok(near > far + 0.2, `${near} against ${far}`);
  });

  it('recognizes an unknown word by its beginning and its end', async () => {
    assert.ok((await similarity('zyxqwortlike', 'zyxqabatbump')) > 0.2);
    assert.ok((await similarity('zyxqwortlike', 'bumpabatlike')) > 0.2);
    assert.ok((await similarity('zyxqwortlike', 'bumpabatdope')) < 0.1);
  });

  it('knows an unknown word of four letters only as a whole', async () => {
    assert.ok((await similarity('zyxq', 'zyxqwortlike')) < 0.15);
    assert.ok((await similarity('zyxqw', 'zyxqwortlike')) > 0.2);
  });

  it('knows a number only as a whole', async () => {
    assert.ok((await similarity('12345678', '12349999')) < 0.15);
    assert.ok((await similarity('12345678', '99995678')) < 0.15);
  });

  it('keeps the order of more texts than it embeds in one go', async () => {
    const texts = Array.from({ length: 300 }, (_, i) => `number ${i}`);
    const together = await embed(...texts);
    assert.equal(together.length, 300);
    for (const i of [0, 127, 128, 129, 256, 299])
      assert.deepEqual([together[i]], await embed(`number ${i}`));
  });

  it('lets other work run while it embeds many texts', async () => {
    let ran = 0;
    const timer = setInterval(() => ran++, 0);
    await embed(...Array.from({ length: 2_000 }, () => 'some words of a text '.repeat(20)));
    clearInterval(timer);
    assert.ok(ran > 1, `ran ${ran} times`);
  });

  it('stops when its signal aborts', async () => {
    const aborter = new AbortController();
    aborter.abort(new Error('enough'));
    await assert.rejects(embedder.embed(['a'], 'document', aborter.signal), /enough/);
    const later = new AbortController();
    setImmediate(() => later.abort(new Error('enough now')));
    const many = Array.from({ length: 1_000 }, () => 'word');
    await assert.rejects(embedder.embed(many, 'document', later.signal), /enough now/);
  });

  it('shares one model between threads', async () => {
    const posted = structuredClone(model); // A worker receives such a clone.
    const there = createBuiltinEmbedder({ model: posted });
    assert.deepEqual(
      await there.embed(['red apples'], 'document', signal),
      await embed('red apples'),
    );
    const before = model.rows[0]!;
    posted.rows[0] = before - 1;
    assert.equal(model.rows[0], before - 1);
    posted.rows[0] = before;
    for (const part of [model.rows, model.scales, ...Object.values(model.vocabulary)])
      if (typeof part !== 'number') assert.ok(part.buffer instanceof SharedArrayBuffer);
  });

  it('loads the model itself when no model is given', async () => {
    const own = createBuiltinEmbedder();
    assert.deepEqual(
      await own.embed(['red apples'], 'document', signal),
      await embed('red apples'),
    );
  });
});
