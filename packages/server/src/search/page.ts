/** One page of a ranking: candidates from the index, rows from the database, scores from both. */
import { setImmediate } from 'node:timers/promises';
import type { Db } from '../db/schema.ts';
import type { Llm } from '../engines/llm/llm.ts';
import type { Embedder, IndexQuery, Reranker, SearchIndex } from '../engines/ports.ts';
import type { Filter } from '../model/filter.ts';
import { indexTerms, terms } from '../model/terms.ts';
import { cosine, quantize, type Vector } from '../model/vector.ts';
import { chunked } from '../util.ts';
import { readingsOf, variantsOf } from './expand.ts';
import { features, lexical } from './features.ts';
import type { FederatedAnswer } from './federated/ask.ts';
import { toChunkRows, withLengthOf, withoutTwins } from './federated/merge.ts';
import { createQuestion, type Question, termsOf } from './question.ts';
import * as rank from './rank.ts';
import { idOf, maySee, vectorOf } from './read.ts';
import type { SearchBody } from './schema.ts';
import * as store from './store.ts';

export interface Deps {
  readonly db: Db;
  readonly index: SearchIndex;
  readonly embedder: Embedder;
  /** Null: what needs no language model is used. */
  readonly llm: Llm | null;
  /** Null: the built-in one. */
  readonly reranker: Reranker | null;
}

/** All that a search may see. */
export interface Scope extends store.Place {
  readonly live: readonly string[];
  readonly filter: Filter;
  /** Groups expanded. */
  readonly principals: readonly string[] | null;
}

export interface Found extends rank.Scored {
  readonly row: store.ChunkRow;
}

interface How {
  readonly mayBeStale: boolean;
  /** What is being found live; it is ranked in the first band. */
  readonly federated?: Promise<Pick<FederatedAnswer, 'rows'>>;
  readonly signal: AbortSignal;
}

/** A chunk that the index had found was gone when its row was read: its entity may have other ones now. */
export const STALE = Symbol('stale');

/**
 * Reads bands until the page is full, or until no later result can reach the threshold. Throws the
 * reason of the signal soon after it aborts.
 */
export async function rankedPage(
  deps: Deps,
  scope: Scope,
  body: SearchBody,
  how: How,
): Promise<Found[] | typeof STALE> {
  const { mayBeStale, signal } = how;
  const { candidates, question, vector, live } = await retrieve(deps, scope, body, how);
  let unplaced = live;
  const page: Found[] = [];
  let ceiling: rank.Ceiling = rank.noCeiling;
  let rerank = body.rerank;
  let passed = 0;
  const seen = new Set<number>();
  for (const bands of chunked(candidates, rank.windowFor(body.recency_bias))) {
    const window: rank.Placed<Found>[] = [];
    for (const band of bands) {
      const score = scorer(question, vector, { ...body, rerank });
      const { rows, isStale } = await readBand(deps.db, scope, band, seen);
      if (isStale && !mayBeStale) return STALE;
      const found = [...rows, ...withoutTwins(unplaced, rows)].map((row) => toFound(row, score));
      unplaced = [];
      const placed = rank.place(found, ceiling);
      ceiling = { ...rank.endOf(placed, ceiling), score: ceiling.score };
      window.push(...placed);
      rerank = false;
      // Others search in this thread too, and the abort of this search is a message to it.
      await setImmediate();
      signal.throwIfAborted();
    }
    const ordered = rank.withRecency(window, ceiling, body.recency_bias);
    for (const item of ordered) {
      if (item.beforeRecency < body.score_threshold) continue;
      if (passed++ >= body.offset && page.length < body.limit) page.push(item);
    }
    ceiling = rank.endOf(ordered, ceiling);
    if (page.length === body.limit || ceiling.beforeRecency < body.score_threshold) break;
  }
  return page;
}

async function readBand(
  db: Db,
  scope: Scope,
  band: readonly number[],
  seen: Set<number>,
): Promise<{ rows: store.ChunkRow[]; isStale: boolean }> {
  if (band.length === 0) return { rows: [], isStale: false };
  const principals = scope.principals && new Set(scope.principals);
  const { rows, areAllThere } = await store.chunks(db, scope, band);
  const visible = rows
    // One arm may have found a chunk, the other what has come in its place meanwhile.
    .filter(({ n }) => !seen.has(n) && seen.add(n))
    .filter((row) => maySee(principals, row));
  return { rows: visible, isStale: !areAllThere };
}

const toFound = (row: store.ChunkRow, score: (row: store.ChunkRow) => number): Found => ({
  n: row.n,
  id: idOf(row),
  updatedAt: row.source_updated_at,
  score: score(row),
  row,
});

/** The candidates of each arm, and what it takes to score them. */
async function retrieve(
  { index, embedder }: Deps,
  scope: Scope,
  body: SearchBody,
  { federated, signal }: How,
) {
  const { collectionId, live, filter, principals } = scope;
  const usesWords = body.retrieval_strategy !== 'neural';
  const usesMeaning = body.retrieval_strategy !== 'keyword';
  const variants = variantsOf(body.query, body.expand_query && usesWords);
  const statistics = await index.statistics(collectionId, variants.asked);
  const readings = readingsOf(variants, statistics);
  const wanted = termsOf(readings);
  const [embedded] =
    usesMeaning || body.rerank ? await embedder.embed([body.query], 'query', signal) : [];
  const window = rank.windowFor(body.recency_bias);
  const depth = rank.depthFor(body.offset + body.limit, statistics.chunks, window);
  const ask = (arm: IndexQuery['arm']) =>
    index.candidates(collectionId, { arm, filter, live, principals, depth });
  const arms: (readonly number[])[] = [];
  if (usesWords && wanted.length > 0) arms.push(await ask({ terms: wanted }));
  if (usesMeaning && embedded) arms.push(await ask({ vector: embedded }));
  const answered = (await federated)?.rows ?? [];
  const rows = answered.filter((row) => live.includes(row.connection_id));
  const found = await toChunkRows(rows, embedded ? embedder : null, signal);
  const bands = rank.bands(arms);
  return {
    // What is found live needs a band, also where the index has found nothing.
    candidates: bands.length === 0 && found.length > 0 ? [[]] : bands,
    question: createQuestion(readings, withLengthOf(statistics, found), variants.asked),
    vector: embedded ? quantize(embedded) : null,
    live: found,
  };
}

/** The score of a chunk by itself: nothing of it depends on the other candidates. */
function scorer(
  question: Question,
  vector: Vector | null,
  options: Pick<SearchBody, 'retrieval_strategy' | 'rerank'>,
): (row: store.ChunkRow) => number {
  const strategy = options.retrieval_strategy;
  return (row) => {
    const meaning = vector ? rank.meaningOf(cosine(vector, vectorOf(row))) : 0;
    if (strategy === 'neural' && !options.rerank) return meaning;
    const all = indexTerms(row);
    if (!options.rerank) return rank.fuse(strategy, lexical(question, all), meaning);
    const title = terms(`${row.name}\n${row.heading ?? ''}`);
    return rank.rerank(features(question, { all, title }), meaning);
  };
}
