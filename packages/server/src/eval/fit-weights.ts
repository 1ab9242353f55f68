/**
 * Looks for better weights of the built-in reranker on queries whose candidates are known. It makes one weight at a time
 * larger or smaller, and keeps a change only when it gains more than noise (coordinate ascent).
 */
import { type Columns, type Features, type RerankWeights, weightedMeans } from '../search/rank.ts';
import { mean, qualityOf } from './metrics.ts';

/**
 * A query with its candidates. The features were computed by a search with the weights with which the candidates were
 * found.
 */
export interface RankedQuery {
  readonly relevant: ReadonlyMap<string, number>;
  /** Each candidate is a chunk of one of these documents; the features stand in the same order. */
  readonly documents: readonly string[];
  readonly features: Columns<keyof Features>;
}

const STEPS = [1.5, 1 / 1.5, 0];
const NOISE = 0.0004;
const ROUNDS = 2;

/** A step is a change of one weight that was kept. */
interface FitStep {
  readonly feature: keyof RerankWeights;
  readonly factor: number;
  /** This is the mean nDCG@10 after the step. */
  readonly ndcg10: number;
}

/** Returns weights that are better than those of the start, or the same. All sets count equally. */
export function fitWeights(
  sets: readonly (readonly RankedQuery[])[],
  start: RerankWeights,
  done: (step: FitStep) => void = () => {},
): RerankWeights {
  const quality = (weights: RerankWeights) => mean(sets.map((set) => mean(ndcgsOf(set, weights))));
  let weights = start;
  let best = quality(weights);
  for (let round = 0; round < ROUNDS; round++)
    for (const feature of Object.keys(start) as (keyof RerankWeights)[]) {
      // The other weights are relative to this one.
      if (feature === 'lexical') continue;
      for (const factor of STEPS) {
        const tried = { ...weights, [feature]: weights[feature] * factor };
        const ndcg10 = quality(tried);
        if (ndcg10 <= best + NOISE) continue;
        best = ndcg10;
        weights = tried;
        done({ feature, factor, ndcg10 });
      }
    }
  return weights;
}

/** Returns nDCG@10 of each query. A document has the score of its best chunk. */
export const ndcgsOf = (queries: readonly RankedQuery[], weights: RerankWeights): number[] =>
  queries.map(({ relevant, documents, features }) => {
    const scores = weightedMeans(features, weights);
    const order = Uint32Array.from(scores.keys()).sort((a, b) => scores[b]! - scores[a]! || a - b);
    const ranked = new Set<string>();
    for (const row of order) {
      ranked.add(documents[row]!);
      if (ranked.size === 10) break;
    }
    return qualityOf([...ranked], relevant).ndcg10;
  });
