/**
 * Fits the weights of the built-in reranker on the queries of a set, and measures by searches what they gain on queries
 * that the fit has not seen.
 *
 * The candidates are those that the search finds and ranks with the default weights. Some features depend on the
 * weights, so the fit can only estimate what the fitted weights reach. The measured values are exact, because each of
 * them comes from a search with the fitted weights.
 */
import { setImmediate } from 'node:timers/promises';
import { columns, FEATURES, type RerankWeights } from '../search/rank.ts';
import type { ResultPage } from '../search/ranking.ts';
import { SearchBody } from '../search/schema.ts';
import { crossValidate, FOLDS, foldsOf } from './cross-validate.ts';
import { fitWeights, type RankedQuery } from './fit-weights.ts';
import type { JudgedQuery, JudgedSet } from './judged.ts';
import type { Library } from './library.ts';
import { differenceInterval, type Gain, mean, qualityOf } from './metrics.ts';

/** Fewer queries than this say too little about a weight. */
export const FEWEST_QUERIES = 30;
/** A page has this many results, which are enough for the documents that any weights may bring among the first ten. */
const PAGE = 200;

export interface SetFit {
  readonly set: string;
  readonly documents: number;
  readonly queries: number;
  /** The fit began with these weights. */
  readonly defaults: RerankWeights;
  /** These weights are fitted on all queries. */
  readonly weights: RerankWeights;
  /** These weights are fitted without the queries of one fold each. */
  readonly folds: readonly RerankWeights[];
  /** This is the mean nDCG@10 of searches with the default weights. */
  readonly before: number;
  /** This is the mean nDCG@10 of searches with the weights of the folds to which the queries do not belong. */
  readonly after: number;
  readonly gain: Gain;
}

export interface FitOptions {
  readonly seed: number;
  /** The function is called with a text about the progress. */
  readonly done: (what: string) => void;
}

/** The fitted weights are worth using only when even the lower end of the interval of their gain is above 0. */
export const isGain = ({ gain }: Pick<SetFit, 'gain'>): boolean => gain.low > 0;

export async function fitSet(
  library: Library,
  set: JudgedSet,
  { seed, done }: FitOptions,
): Promise<SetFit> {
  const { queries } = set;
  const { defaults } = library;
  const rankByDefault = rankerOf(library, defaults);
  const ranked: (RankedQuery & { readonly query: JudgedQuery; readonly ndcg10: number })[] = [];
  for (const query of queries) {
    const page = await rankByDefault(query.text);
    ranked.push({ query, ndcg10: ndcgOf(page, query), ...candidatesOf(page, query) });
    done(`${ranked.length} of ${queries.length} searches`);
  }
  let fitted = 0;
  const fit = async (training: readonly RankedQuery[]) => {
    done(`fit ${++fitted} of ${FOLDS + 1}`);
    // The fit occupies the thread for seconds, and the line of the progress is written before it.
    await setImmediate();
    return fitWeights([training], defaults);
  };
  const folds = foldsOf(
    queries.map(({ text }) => text),
    seed,
  );
  const { fits, values } = await crossValidate(ranked, folds, {
    fit,
    measure: async ({ query }, weights) =>
      ndcgOf(await rankerOf(library, weights)(query.text), query),
  });
  const unfitted = ranked.map(({ ndcg10 }) => ndcg10);
  const [before, after] = [mean(unfitted), mean(values)];
  return {
    set: set.name,
    documents: set.documents.length,
    queries: queries.length,
    defaults,
    weights: await fit(ranked),
    folds: fits,
    before,
    after,
    gain: { mean: after - before, ...differenceInterval([{ a: unfitted, b: values }]) },
  };
}

/** Makes the first page of a search that asks for nothing but results. */
const rankerOf = (library: Library, weights: RerankWeights) => (query: string) =>
  library.pageWith(weights, SearchBody.parse({ query, limit: PAGE, generate_answer: false }));

function ndcgOf({ found }: ResultPage, { relevant }: JudgedQuery): number {
  const documents = new Set(found.map(({ row }) => row.entity_id));
  return qualityOf([...documents], relevant).ndcg10;
}

/** Returns the candidates that the reranker has scored. */
function candidatesOf({ found }: ResultPage, { relevant }: JudgedQuery): RankedQuery {
  const reranked = found.filter(({ scores }) => 'topic' in scores.columns);
  const features = columns(FEATURES, reranked.length);
  for (const [row, { scores, at }] of reranked.entries())
    for (const name of FEATURES) features[name][row] = scores.columns[name]?.[at] ?? 0;
  return { relevant, documents: reranked.map(({ row }) => row.entity_id), features };
}
