import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Reranker } from '../../engines/ports.ts';
import { chunkRow } from '../../test/search/chunk-row.ts';
import { createModelCache, type ModelCache } from './model-cache.ts';
import { rescore, textForModel } from './rescore.ts';

const never = new AbortController().signal;
const ROWS = ['dogs travel', 'cats travel'].map((text) => chunkRow({ text }));

describe('scores of a reranking model', () => {
  let kept: ModelCache;
  let asked: { query: string; texts: readonly string[] }[];
  beforeEach(() => {
    kept = createModelCache();
    asked = [];
  });
  /** This reranker answers with other scores each time. */
  const reranker = (model = 'm'): Reranker => ({
    model,
    async rerank(query, texts) {
      asked.push({ query, texts });
      return texts.map(() => asked.length / 10);
    },
  });
  /** Returns the scores in the order of the texts. */
  const ask = async (query: string, rows = ROWS, by = reranker()) => {
    const scores = await rescore({ reranker: by, kept }, { query, rows }, never);
    return scores && rows.map((row) => scores.get(textForModel(row)));
  };

  it('[SRH-22] are cached for the same query and the same texts', async () => {
    assert.deepEqual(await ask('dogs'), [0.1, 0.1]);
    assert.deepEqual(await ask('dogs'), [0.1, 0.1]);
    assert.equal(asked.length, 1);
  });

  it('[SRH-22] are requested again for another query, other texts, another order or another model', async () => {
    await ask('dogs');
    const others: Parameters<typeof ask>[] = [
      ['cats'],
      ['dogs', ROWS.toReversed()],
      ['dogs', ROWS.slice(1)],
      ['dogs', [chunkRow({ text: 'dogs travel', name: 'Rules' }), ...ROWS.slice(1)]],
      ['dogs', [chunkRow({ text: 'dogs travel', heading: 'Fares' }), ...ROWS.slice(1)]],
      ['dogs', ROWS, reranker('another')],
    ];
    for (const [i, other] of others.entries()) {
      const scores = await ask(...other);
      assert.equal(asked.length, i + 2, JSON.stringify(other[0]));
      assert.equal(scores?.[0], (i + 2) / 10);
    }
    assert.deepEqual(await ask('dogs'), [0.1, 0.1]);
  });

  it('are requested for name, heading and text, up to the length that the model reads', async () => {
    const row = chunkRow({ name: 'Rules', heading: 'Fares', text: 'x'.repeat(5000) });
    await ask('dogs', [row]);
    const [{ texts } = { texts: [] }] = asked;
    assert.match(texts[0] ?? '', /^Rules\nFares\nx+$/);
    assert.ok((texts[0] ?? '').length <= 2000);
    assert.deepEqual(await ask('dogs', []), []);
    assert.equal(asked.length, 1);
  });

  it('[SRH-32] are undefined after a failure, and requested again the next time', async () => {
    const broken: Reranker = { model: 'm', rerank: () => Promise.reject(new Error('down')) };
    assert.equal(await ask('dogs', ROWS, broken), undefined);
    assert.deepEqual(await ask('dogs'), [0.1, 0.1]);
  });

  it('are not awaited by an aborted search', async () => {
    const over = new Error('over');
    const late: Reranker = { model: 'm', rerank: () => Promise.reject(new Error('down')) };
    await assert.rejects(
      rescore({ reranker: late, kept }, { query: 'dogs', rows: ROWS }, AbortSignal.abort(over)),
      over,
    );
  });
});
