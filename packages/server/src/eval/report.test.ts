import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CollectionWeights } from '../search/own-weights.ts';
import { RERANK } from '../search/rank.ts';
import { tablesOf, tableText } from './report.ts';

const own = {
  ...{ weights: RERANK, embedder: 'e', fittedAt: 0, queries: 40 },
  gain: { mean: 0.02, low: 0.01, high: 0.03 },
};

describe('the report of an evaluation', () => {
  for (const [weights, beginning] of [
    [{ own: null, outdated: null }, /^notes: 9 documents, 1 queries\n\n\| stage /],
    [
      { own, outdated: null },
      /\n\nThe collection uses its own weights since 1970-01-01T00:00:00\.000Z \(40 queries, \+0\.0200 \(\+0\.0100 \.\. \+0\.0300\) nDCG@10\)\.\n\n\| stage /,
    ],
    [
      { own, outdated: 'the moon is new' },
      /own weights of 1970-01-01T00:00:00\.000Z \(.*\) are outdated and not used: the moon is new\.\n/,
    ],
  ] as const satisfies readonly (readonly [Omit<CollectionWeights, 'used'>, RegExp])[])
    it(`names the weights of the collection: ${weights.own ? (weights.outdated ?? 'its own') : 'the default ones'}`, () => {
      const stages = [{ stage: 'bm25', against: null, qualities: [], took: [] }];
      const set = { set: 'notes', documents: 9, queries: 1, stages };
      const [table] = tablesOf([{ ...set, weights: { used: RERANK, ...weights } }]);
      assert.match(tableText(table!), beginning);
      assert.equal('note' in table!, weights.own !== null);
    });
});
