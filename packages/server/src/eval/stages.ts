/** The ways to rank that are compared: the search as it is, and the search without each of its parts. */
import { RERANK, type RerankWeights } from '../search/rank.ts';
import type { SearchBody } from '../search/schema.ts';

export interface Stage {
  readonly name: string;
  /** What it is compared with: another stage, or BASELINE. */
  readonly against: string;
  readonly body: Pick<SearchBody, 'retrieval_strategy' | 'rerank' | 'expand_query'>;
  readonly weights: RerankWeights;
}

/** Plain BM25 over whole documents. */
export const BASELINE = 'bm25';
const RERANKED = 'reranked';

const stage = (
  name: string,
  against: string,
  body: Partial<Stage['body']>,
  weights: RerankWeights = RERANK,
): Stage => ({
  name,
  against,
  body: { retrieval_strategy: 'hybrid', rerank: false, expand_query: false, ...body },
  weights,
});

const FEATURES = Object.keys(RERANK) as (keyof RerankWeights)[];

export const STAGES: readonly Stage[] = [
  stage('keyword', BASELINE, { retrieval_strategy: 'keyword' }),
  stage('neural', BASELINE, { retrieval_strategy: 'neural' }),
  stage('hybrid', BASELINE, {}),
  stage('keyword-reranked', BASELINE, { retrieval_strategy: 'keyword', rerank: true }),
  stage(RERANKED, BASELINE, { rerank: true }),
  stage('expanded', RERANKED, { rerank: true, expand_query: true }),
];

/** The reranker without one of its features. */
export const WITHOUT: readonly Stage[] = FEATURES.map((feature) =>
  stage(`without-${feature}`, RERANKED, { rerank: true }, { ...RERANK, [feature]: 0 }),
);

/** In the order of the table. Throws for a name that there is not. */
export function chosenStages(names: readonly string[]): Stage[] {
  const all = [...STAGES, ...WITHOUT];
  const unknown = names.find((name) => !all.some((one) => one.name === name));
  if (unknown !== undefined)
    throw new Error(`there is no stage ${unknown}: take ${all.map(({ name }) => name).join(', ')}`);
  const wanted = new Set(names);
  // What is compared with another stage needs that one.
  for (const { name, against } of all)
    if (wanted.has(name) && against !== BASELINE) wanted.add(against);
  return all.filter(({ name }) => wanted.has(name));
}
