/** One page of a ranking: candidates from the index, rows from the database, scores from both. */
import { setImmediate } from 'node:timers/promises';
import type { Db } from '../db/schema.ts';
import type { Words } from '../engines/embedder/words.ts';
import type { Embedder, IndexQuery, SearchIndex } from '../engines/ports.ts';
import type { Filter } from '../model/filter.ts';
import { quantize } from '../model/vector.ts';
import { chunked } from '../util.ts';
import { readingsOf, variantsOf } from './expand.ts';
import { createQuestion, termsOf } from './question.ts';
import * as rank from './rank.ts';
import { idOf, maySee } from './read.ts';
import type { SearchBody } from './schema.ts';
import { plainScores, rerankedScores, type Wanted } from './score.ts';
import * as store from './store.ts';

export interface Deps {
  readonly db: Db;
  readonly index: SearchIndex;
  readonly embedder: Embedder;
  readonly words: Words;
  /** Of the reranker; those of the service unless an evaluation tries others. */
  readonly weights?: rank.RerankWeights;
}

/** All that a search may see. */
export interface Scope extends store.Place {
  readonly live: readonly string[];
  readonly filter: Filter;
  /** Groups expanded. */
  readonly principals: readonly string[] | null;
}

interface Found extends rank.Scored {
  readonly row: store.ChunkRow;
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
  { mayBeStale, signal }: { mayBeStale: boolean; signal: AbortSignal },
): Promise<Found[] | typeof STALE> {
  const { arms, wanted } = await retrieve(deps, scope, body, signal);
  const page: Found[] = [];
  let ceiling: rank.Ceiling = rank.noCeiling;
  let rerank = body.rerank;
  let passed = 0;
  const seen = new Set<number>();
  for (const bands of chunked(rank.bands(arms), rank.windowFor(body.recency_bias))) {
    const window: rank.Placed<Found>[] = [];
    for (const band of bands) {
      const scores = (rows: readonly store.ChunkRow[]) =>
        rerank
          ? rerankedScores(rows, wanted, {
              words: deps.words,
              weights: deps.weights ?? rank.RERANK,
            })
          : plainScores(rows, wanted, body.retrieval_strategy);
      const { found, isStale } = await readBand(deps.db, scope, band, seen, scores);
      if (isStale && !mayBeStale) return STALE;
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
  scoresOf: (rows: readonly store.ChunkRow[]) => number[],
): Promise<{ found: Found[]; isStale: boolean }> {
  if (band.length === 0) return { found: [], isStale: false };
  const principals = scope.principals && new Set(scope.principals);
  const { rows, areAllThere } = await store.chunks(db, scope, band);
  const visible = rows
    // One arm may have found a chunk, the other what has come in its place meanwhile.
    .filter(({ n }) => !seen.has(n) && seen.add(n))
    .filter((row) => maySee(principals, row));
  const scores = scoresOf(visible);
  const found = visible.map((row, i) => ({
    n: row.n,
    id: idOf(row),
    updatedAt: row.source_updated_at,
    score: scores[i]!,
    row,
  }));
  return { found, isStale: !areAllThere };
}

/** The candidates of each arm, and what it takes to score them. */
async function retrieve(
  { index, embedder, words }: Deps,
  scope: Scope,
  body: SearchBody,
  signal: AbortSignal,
) {
  const { collectionId, live, filter, principals } = scope;
  const usesWords = body.retrieval_strategy !== 'neural';
  const usesMeaning = body.retrieval_strategy !== 'keyword';
  const variants = variantsOf(body.query, body.expand_query && usesWords);
  const statistics = await index.statistics(collectionId, variants.asked);
  const readings = readingsOf(variants, statistics);
  const wordsWanted = termsOf(readings);
  const [embedded] =
    usesMeaning || body.rerank ? await embedder.embed([body.query], 'query', signal) : [];
  const window = rank.windowFor(body.recency_bias);
  const depth = rank.depthFor(body.offset + body.limit, statistics.chunks, window);
  const ask = (arm: IndexQuery['arm']) =>
    index.candidates(collectionId, { arm, filter, live, principals, depth });
  const arms: (readonly number[])[] = [];
  if (usesWords && wordsWanted.length > 0) arms.push(await ask({ terms: wordsWanted }));
  if (usesMeaning && embedded) arms.push(await ask({ vector: embedded }));
  const wanted: Wanted = {
    query: body.query,
    question: createQuestion(readings, {
      statistics,
      asked: variants.asked,
      weightOf: words.weight,
    }),
    vector: embedded ? quantize(embedded) : null,
  };
  return { arms, wanted };
}
