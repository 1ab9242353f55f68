/** Asks every query of a judged set in every stage, and measures the results. */
import type { CollectionWeights } from '../search/own-weights.ts';
import type { RerankWeights } from '../search/rank.ts';
import { SearchBody } from '../search/schema.ts';
import { createBm25 } from './bm25.ts';
import type { JudgedSet } from './judged.ts';
import type { Library } from './library.ts';
import { type Quality, qualityOf } from './metrics.ts';
import { BASELINE, type Stage } from './stages.ts';

export interface StageResult {
  readonly stage: string;
  /** The stage is compared with this other one; null stands for the baseline itself. */
  readonly against: string | null;
  /** The list has one entry for each query, in the order of the queries. */
  readonly qualities: readonly Quality[];
  /** The list has one entry for each query: the milliseconds of its first page. It is empty for the baseline. */
  readonly took: readonly number[];
}

export interface SetResult {
  readonly set: string;
  readonly documents: number;
  readonly queries: number;
  readonly stages: readonly StageResult[];
  readonly weights: CollectionWeights;
}

/** Recall and MRR look at this many documents. */
const DEPTH = 100;
/** A page has this many results. They come from one band, so the page takes as long as a page of ten results. */
const PAGE = 200;
/** Each stage begins with this many searches that are not measured, because the first ones read the index into memory. */
const WARM_UP = 3;

export interface RunOptions {
  readonly stages: readonly Stage[];
  /** The function is called with the number of searches that are done, and of all searches. */
  readonly done: (searches: number, of: number) => void;
}

export async function runSet(
  library: Library,
  set: JudgedSet,
  { stages, done }: RunOptions,
): Promise<SetResult> {
  const { queries } = set;
  const bm25 = createBm25(set.documents);
  const baseline: StageResult = {
    stage: BASELINE,
    against: null,
    qualities: queries.map(({ text, relevant }) => qualityOf(bm25(text, DEPTH), relevant)),
    took: [],
  };
  const weights = await library.weights();
  const results: StageResult[] = [baseline];
  for (const stage of stages) {
    const rank = rankerOf(library, stage, weights.used);
    for (const { text } of queries.slice(0, WARM_UP)) await rank(text);
    const qualities: Quality[] = [];
    const took: number[] = [];
    for (const { text, relevant } of queries) {
      const { ranked, milliseconds } = await rank(text);
      qualities.push(qualityOf(ranked, relevant));
      took.push(milliseconds);
      done((results.length - 1) * queries.length + took.length, stages.length * queries.length);
    }
    results.push({ stage: stage.name, against: stage.against, qualities, took });
  }
  return {
    set: set.name,
    documents: set.documents.length,
    queries: queries.length,
    stages: results,
    weights,
  };
}

/** Ranks the documents by their best chunk. */
function rankerOf(library: Library, { body, without }: Stage, weights: RerankWeights) {
  const { search } = library.searchWith(without ? { ...weights, [without]: 0 } : weights);
  const { organizationId, collectionId } = library.place;
  const never = new AbortController().signal;
  return async (query: string): Promise<{ ranked: string[]; milliseconds: number }> => {
    const ranked = new Set<string>();
    let milliseconds: number | undefined;
    for (let offset = 0; ranked.size < DEPTH; offset += PAGE) {
      const page = SearchBody.parse({
        ...body,
        query,
        offset,
        limit: PAGE,
        generate_answer: false,
      });
      const request = { organizationId, collectionIds: [collectionId], principals: null };
      const before = performance.now();
      const { results } = await search({ ...request, body: page }, never);
      milliseconds ??= performance.now() - before;
      for (const { entity_id } of results) ranked.add(documentOf(entity_id));
      if (results.length < PAGE) break;
    }
    return { ranked: [...ranked].slice(0, DEPTH), milliseconds: milliseconds ?? 0 };
  };
}

const documentOf = (chunk: string): string => chunk.replace(/__chunk_\d+$/, '');
