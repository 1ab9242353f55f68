import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Embedder } from '../../engines/ports.ts';
import { SourceError } from '../../errors.ts';
import { chunkRow } from '../../test/search/chunk-row.ts';
import { toChunkRows, withAverageLength } from './merge.ts';

const never = new AbortController().signal;
const rows = ['dogs travel', 'cats sleep in baskets'].map((text) => chunkRow({ text }));

describe('rows of federated sources', () => {
  /** Makes an embedder of two dimensions. */
  const embedder = (embed: Embedder['embed']): Embedder => ({
    model: 'm',
    isBuiltIn: false,
    dimensions: 2,
    embed,
  });
  const vectors = (found: readonly { scale: number; vector: Uint8Array }[]) =>
    found.map(({ scale, vector }) => [scale > 0, ...new Int8Array(vector).map(Math.sign)]);

  it('get a vector when vectors are compared, and negative numbers that no chunk has', async () => {
    const along = embedder(async (texts, as) =>
      texts.map((_, i) => Float32Array.of(as === 'document' ? 1 - i : -1, i)),
    );
    const found = await toChunkRows(rows, along, { comparesVectors: true, signal: never });
    assert.deepEqual(vectors(found), [
      [true, 1, 0],
      [true, 0, 1],
    ]);
    assert.deepEqual(
      found.map(({ n }) => n),
      [-1, -2],
    );
  });

  it('get no vector when vectors are not compared', async () => {
    let asked = 0;
    const counting = embedder(async () => {
      asked++;
      return [];
    });
    const found = await toChunkRows(rows, counting, { comparesVectors: false, signal: never });
    assert.deepEqual(vectors(found), [
      [false, 0, 0],
      [false, 0, 0],
    ]);
    assert.deepEqual(await toChunkRows([], counting, { comparesVectors: true, signal: never }), []);
    assert.equal(asked, 0);
  });

  it('have no vector when the embedder fails with an error of its provider, and an internal error is thrown', async () => {
    const away = embedder(() => Promise.reject(new SourceError('transient', 'it is away')));
    const found = await toChunkRows(rows, away, { comparesVectors: true, signal: never });
    assert.deepEqual(vectors(found), [
      [false, 0, 0],
      [false, 0, 0],
    ]);
    const fault = new TypeError('of ours');
    const broken = embedder(() => Promise.reject(fault));
    await assert.rejects(
      toChunkRows(rows, broken, { comparesVectors: true, signal: never }),
      fault,
    );
  });

  it('give the average length only when nothing is indexed', () => {
    const none = { chunks: 0, averageLength: 0, documentFrequencies: [] };
    const some = { chunks: 3, averageLength: 7, documentFrequencies: [] };
    assert.equal(withAverageLength(none, rows).averageLength, 2.5);
    assert.equal(withAverageLength(none, []).averageLength, 0);
    assert.equal(withAverageLength(some, rows).averageLength, 7);
  });
});
