/** Makes one page of a ranking: candidates come from the index, rows from the database, scores from both. */
import { setImmediate } from 'node:timers/promises';
import type { Db } from '../db/schema.ts';
import type { Words } from '../engines/embedder/words.ts';
import type { Llm } from '../engines/llm/llm.ts';
import type { Embedder, Reranker, SearchIndex } from '../engines/ports.ts';
import type { Filter } from '../model/filter.ts';
import { chunked } from '../util.ts';
import type { ChunkCache } from './chunk-cache.ts';
import { digestOf } from './digest.ts';
import type { FederatedAnswer } from './federated/ask.ts';
import { withoutTwins } from './federated/merge.ts';
import type { ModelCache } from './llm/model-cache.ts';
import { rescore } from './llm/rescore.ts';
import * as rank from './rank.ts';
import { idOf, maySee } from './read.ts';
import { type Arm, type Retrieved, retrieve } from './retrieve.ts';
import type { SearchBody } from './schema.ts';
import {
  byModel,
  type Candidate,
  type ChunkScores,
  plainScores,
  rerankedScores,
  type Wanted,
} from './score.ts';
import type * as store from './store.ts';
import { confirmed } from './visible.ts';

export interface RankingDeps {
  readonly db: Db;
  readonly index: SearchIndex;
  readonly embedder: Embedder;
  readonly words: Words;
  /** The built-in methods replace the language model when this is null. */
  readonly llm: Llm | null;
  /** The built-in reranker is used when this is null. */
  readonly reranker: Reranker | null;
  /** The cache holds earlier answers of models. */
  readonly kept: ModelCache;
  /** The cache holds chunks that were scored recently. */
  readonly chunks: ChunkCache;
  /**
   * These are the weights of the built-in reranker; they are those of the service unless an evaluation tries other
   * weights.
   */
  readonly weights?: rank.RerankWeights;
}

/** A scope is all that a search may see. */
export interface SearchScope extends store.SearchedCollection {
  readonly live: readonly string[];
  readonly filter: Filter;
  /** The principals are as the asker has named them. */
  readonly named: readonly string[] | null;
  /** The list holds the principals and their groups. */
  readonly principals: readonly string[] | null;
}

/** Says how one look at a ranking is taken. */
export interface How {
  readonly mayBeStale: boolean;
  /** Sources that are searched live have found these rows for the same filter; without it, no source is asked. */
  readonly federated?: Promise<Pick<FederatedAnswer, 'rows'>>;
  /** A search by meaning alone finds nothing when the embedder fails, instead of failing, too. */
  readonly mayLackMeaning?: boolean;
  /** These are other ways to write the query. */
  readonly variations?: readonly string[];
  readonly signal: AbortSignal;
}

interface Ranked extends rank.Scored {
  readonly row: store.ChunkHead;
  /** The score comes from row `at` of these scores, before the result's place in the list changed it. */
  readonly scores: ChunkScores;
  readonly at: number;
}

export interface RankedRow extends Ranked {
  readonly row: store.ChunkRow;
}

export interface ResultPage {
  readonly found: readonly rank.PlacedItem<RankedRow>[];
  readonly arms: readonly Arm[];
  readonly wanted: Wanted;
  /** This tells whether a model has ordered the best results. */
  readonly isRescored: boolean;
  /** This tells whether the embedder has failed, so that nothing was compared by meaning. */
  readonly isWithoutMeaning: boolean;
}

/**
 * A look returns this when a chunk that the index had found was gone when its row was read: its entity may have
 * other chunks now.
 */
export const STALE = Symbol('stale');

/**
 * Reads bands until the page is full, or until no later result can reach the threshold. Throws the reason of the
 * signal soon after it aborts.
 */
export async function rankedPage(
  deps: RankingDeps,
  scope: SearchScope,
  body: SearchBody,
  how: How,
): Promise<ResultPage | typeof STALE> {
  const retrieved = await retrieve(deps, scope, body, how);
  const ranked: rank.PlacedItem<Ranked>[] = [];
  let isRescored = false;
  let passed = 0;
  for await (const window of windows(deps, scope, body, how, retrieved)) {
    if (window === STALE) return STALE;
    isRescored ||= window.isRescored;
    for (const item of window.items) {
      if (item.beforeRecency < body.score_threshold) continue;
      if (passed++ >= body.offset && ranked.length < body.limit) ranked.push(item);
    }
    if (ranked.length === body.limit || window.end.beforeRecency < body.score_threshold) break;
  }
  const { items: found, isWhole } = await confirmed(deps.db, scope, ranked);
  if (!isWhole && !how.mayBeStale) return STALE;
  const { arms, wanted, isWithoutMeaning } = retrieved;
  return { found, arms, wanted, isRescored, isWithoutMeaning };
}

interface Window {
  readonly items: readonly rank.PlacedItem<Ranked>[];
  readonly end: rank.Ceiling;
  readonly isRescored: boolean;
}

/** Yields the ranking, each window below the previous one. */
async function* windows(
  deps: RankingDeps,
  scope: SearchScope,
  body: SearchBody,
  { mayBeStale, signal }: How,
  { bands, wanted, live, version }: Retrieved,
): AsyncGenerator<Window | typeof STALE> {
  // The set is made only when a chunk came in the place of another, which is rare.
  let all: Set<number> | undefined;
  const placed = () => {
    all ??= new Set(bands.flat());
    return all;
  };
  let ceiling: rank.Ceiling = rank.noCeiling;
  let isFirst = true;
  for (const together of chunked(bands, rank.windowFor(body.recency_bias))) {
    const items: rank.PlacedItem<Ranked>[] = [];
    let isRescored = false;
    for (const band of together) {
      const { candidates, isStale } = await readBand(deps, scope, band, version, placed);
      if (isStale && !mayBeStale) return yield STALE;
      const scored = isFirst
        ? await first(
            deps,
            scope,
            [...candidates, ...apart(live, candidates)],
            wanted,
            body,
            signal,
          )
        : later(candidates, wanted, body);
      isRescored ||= scored.isRescored;
      for (const group of scored.groups) {
        const placed = rank.place(group, ceiling);
        ceiling = { ...rank.endOf(placed, ceiling), score: ceiling.score };
        items.push(...placed);
      }
      isFirst = false;
      // Other searches run in this thread, too, and the abort of this search arrives as a message.
      await setImmediate();
      signal.throwIfAborted();
    }
    const ordered = rank.withRecency(items, ceiling, body.recency_bias);
    ceiling = rank.endOf(ordered, ceiling);
    yield { items: ordered, end: ceiling, isRescored };
  }
}

async function readBand(
  { db, chunks }: RankingDeps,
  scope: SearchScope,
  band: readonly number[],
  version: number,
  placed: () => Set<number>,
): Promise<{ candidates: Candidate[]; isStale: boolean }> {
  if (band.length === 0) return { candidates: [], isStale: false };
  const principals = scope.principals && new Set(scope.principals);
  const live = new Set(scope.live);
  const { asked, successors, areAllThere } = await chunks.read(db, scope, band, version);
  // One arm may have found a chunk, and the other one the chunk that has replaced it meanwhile.
  const fresh = successors.filter(({ head: { n } }) => !placed().has(n) && placed().add(n));
  const visible = [...asked, ...fresh].filter(
    ({ head }) => live.has(head.connection_id) && maySee(principals, head),
  );
  return { candidates: visible, isStale: !areAllThere };
}

/** Returns the live rows that are not indexed as well. */
function apart(live: readonly store.ChunkRow[], indexed: readonly Candidate[]): Candidate[] {
  if (live.length === 0) return [];
  const heads = indexed.map(({ head }) => head);
  return withoutTwins(live, heads).map((row) => ({
    head: row,
    digest: digestOf(row, row),
  }));
}

/** The groups are in order, each below the previous one. */
interface Grouped {
  readonly groups: readonly (readonly Ranked[])[];
  readonly isRescored: boolean;
}

const later = (all: readonly Candidate[], wanted: Wanted, body: SearchBody): Grouped => ({
  groups: [toRanked(all, plainScores(all, wanted, body.retrieval_strategy))],
  isRescored: false,
});

/**
 * Scores by the built-in reranker. Where a model is configured, it scores the best of these candidates, and they
 * stand above the others.
 */
async function first(
  deps: RankingDeps,
  scope: SearchScope,
  all: readonly Candidate[],
  wanted: Wanted,
  body: SearchBody,
  signal: AbortSignal,
): Promise<Grouped> {
  if (!body.rerank) return later(all, wanted, body);
  const { words, weights = rank.RERANK } = deps;
  const ranked = toRanked(all, rerankedScores(all, wanted, { words, weights }));
  if (!deps.reranker) return { groups: [ranked], isRescored: false };
  const ordered = rank.inOrder(ranked);
  const { items: best } = await confirmed(deps.db, scope, ordered.slice(0, rank.RESCORED));
  const scores = await rescore(deps.reranker, deps.kept, wanted.query, best, signal);
  if (!scores) return { groups: [ranked], isRescored: false };
  const said = byModel(scores);
  const head = best.map((item, at) => ({ ...item, score: scores[at]!, scores: said, at }));
  return { groups: [head, ordered.slice(rank.RESCORED)], isRescored: true };
}

const toRanked = (all: readonly Candidate[], scores: ChunkScores): Ranked[] =>
  all.map(({ head }, at) => ({
    n: head.n,
    id: idOf(head),
    updatedAt: head.source_updated_at,
    score: scores.values[at]!,
    row: head,
    scores,
    at,
  }));
