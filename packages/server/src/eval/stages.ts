/**
 * A stage is a way to rank: the search as it is, or the search without one of its parts. An evaluation compares
 * them.
 */
import { FEATURES, type RerankWeights } from '../search/rank.ts';
import type { SearchBody } from '../search/schema.ts';

export interface Stage {
  readonly name: string;
  /** The stage is compared with this one: another stage, or BASELINE. */
  readonly against: string;
  readonly body: Pick<SearchBody, 'retrieval_strategy' | 'rerank' | 'expand_query'>;
  /** The reranker does without this feature; null means that it uses all. */
  readonly without: keyof RerankWeights | null;
}

/** The baseline is plain BM25 over whole documents. */
export const BASELINE = 'bm25';
const RERANKED = 'reranked';

const stage = (name: string, against: string, body: Partial<Stage['body']>): Stage => ({
  name,
  against,
  body: { retrieval_strategy: 'hybrid', rerank: false, expand_query: false, ...body },
  without: null,
});

export const STAGES: readonly Stage[] = [
  stage('keyword', BASELINE, { retrieval_strategy: 'keyword' }),
  stage('neural', BASELINE, { retrieval_strategy: 'neural' }),
  stage('hybrid', BASELINE, {}),
  stage('keyword-reranked', BASELINE, { retrieval_strategy: 'keyword', rerank: true }),
  stage(RERANKED, BASELINE, { rerank: true }),
  stage('expanded', RERANKED, { rerank: true, expand_query: true }),
];

/** Each of these stages is the reranker without one of its features. */
export const WITHOUT: readonly Stage[] = FEATURES.map((feature) => ({
  ...stage(`without-${feature}`, RERANKED, { rerank: true }),
  without: feature,
}));

/** Returns the stages in the order of the table. Throws an Error for an unknown name. */
export function chosenStages(names: readonly string[]): Stage[] {
  const all = [...STAGES, ...WITHOUT];
  const unknown = names.find((name) => !all.some((one) => one.name === name));
  if (unknown !== undefined)
    throw new Error(
      `stage '${unknown}' is not known: give one or more of ${all.map(({ name }) => name).join(', ')}`,
    );
  const wanted = new Set(names);
  // A stage that is compared with another stage needs the figures of that stage.
  for (const { name, against } of all)
    if (wanted.has(name) && against !== BASELINE) wanted.add(against);
  return all.filter(({ name }) => wanted.has(name));
}
