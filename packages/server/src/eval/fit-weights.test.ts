import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { columns, FEATURES, RERANK, type RerankWeights, weightedMeans } from '../search/rank.ts';
import { crossValidate, foldsOf } from './cross-validate.ts';
import { fitWeights, ndcgsOf, type RankedQuery } from './fit-weights.ts';
import { differenceInterval, mean } from './metrics.ts';
import { createRandom } from './random.ts';

const QUERIES = 120;
const CANDIDATES = 20;
const documents = Array.from({ length: CANDIDATES }, (_, i) => `d${i}`);

/** Makes queries with random features. `best` selects the one right candidate of each query. */
function planted(
  seed: number,
  best: (features: RankedQuery['features'], random: () => number) => number,
): RankedQuery[] {
  const random = createRandom(seed);
  return Array.from({ length: QUERIES }, () => {
    const features = columns(FEATURES, CANDIDATES);
    for (const name of FEATURES)
      for (let row = 0; row < CANDIDATES; row++) features[name][row] = random();
    return { relevant: new Map([[`d${best(features, random)}`, 1]]), documents, features };
  });
}

const bestBy = (weights: RerankWeights) => (features: RankedQuery['features']) => {
  const scores = weightedMeans(features, weights);
  return scores.indexOf(Math.max(...scores));
};

/** Returns the interval of the gain of a fit on unseen queries. */
async function gainOf(queries: readonly RankedQuery[]) {
  const folds = foldsOf(
    queries.map((_, i) => `query ${i}`),
    1,
  );
  const { values } = await crossValidate(queries, folds, {
    fit: (training) => fitWeights([training], RERANK),
    measure: (query, weights) => mean(ndcgsOf([query], weights)),
  });
  return differenceInterval([{ a: ndcgsOf(queries, RERANK), b: values }]);
}

describe('a fit of weights', () => {
  it('finds better weights if there are any, and they gain on other queries too', async () => {
    const hidden = { ...RERANK, title: 0, topic: 0, pairs: RERANK.pairs * 2 };
    const queries = planted(1, bestBy(hidden));
    const steps: number[] = [];
    const fitted = fitWeights([queries], RERANK, ({ ndcg10 }) => steps.push(ndcg10));
    assert.ok(fitted.title < RERANK.title && fitted.topic < RERANK.topic);
    assert.equal(fitted.lexical, RERANK.lexical);
    assert.equal(steps.at(-1), mean(ndcgsOf(queries, fitted)));
    assert.deepEqual(
      steps,
      steps.toSorted((a, b) => a - b),
    );
    assert.ok((await gainOf(queries)).low > 0.05);
  });

  it('has no certain gain when the right answers are random, or the weights already right', async () => {
    for (const seed of [1, 2, 3]) {
      const random = planted(seed, (_, next) => Math.floor(next() * CANDIDATES));
      assert.ok((await gainOf(random)).low <= 0, `seed ${seed}`);
    }
    const right = planted(4, bestBy(RERANK));
    assert.deepEqual(fitWeights([right], RERANK), RERANK);
    assert.deepEqual(await gainOf(right), { low: 0, high: 0 });
  });

  it('gives a document the score of its best chunk', () => {
    const features = columns(FEATURES, 3);
    features.lexical.set([0.5, 0.9, 0.7]);
    const query = { relevant: new Map([['a', 1]]), documents: ['a', 'b', 'a'], features };
    assert.deepEqual(ndcgsOf([query], RERANK), [1 / Math.log2(3)]);
    features.lexical[2] = 1;
    assert.deepEqual(ndcgsOf([query], RERANK), [1]);
  });
});
