/** One page of a ranking: candidates from the index, rows from the database, scores from both. */
import { setImmediate } from 'node:timers/promises';
import type { Db } from '../db/schema.ts';
import type { Words } from '../engines/embedder/words.ts';
import type { Llm } from '../engines/llm/llm.ts';
import type { Embedder, Reranker, SearchIndex } from '../engines/ports.ts';
import type { Filter } from '../model/filter.ts';
import { chunked } from '../util.ts';
import type { FederatedAnswer } from './federated/ask.ts';
import { withoutTwins } from './federated/merge.ts';
import type { Kept } from './llm/kept.ts';
import { rescore } from './llm/rescore.ts';
import * as rank from './rank.ts';
import { idOf } from './read.ts';
import { type Arm, type Retrieved, retrieve } from './retrieve.ts';
import type { SearchBody } from './schema.ts';
import { byModel, plainScores, rerankedScores, type Score, type Wanted } from './score.ts';
import * as store from './store.ts';
import { visibleAmong } from './visible.ts';

export interface Deps {
  readonly db: Db;
  readonly index: SearchIndex;
  readonly embedder: Embedder;
  readonly words: Words;
  /** Null: what needs no language model is used. */
  readonly llm: Llm | null;
  /** Null: the built-in one. */
  readonly reranker: Reranker | null;
  /** What models have said before. */
  readonly kept: Kept;
  /** Of the built-in reranker; those of the service unless an evaluation tries others. */
  readonly weights?: rank.RerankWeights;
}

/** All that a search may see. */
export interface Scope extends store.Place {
  readonly live: readonly string[];
  readonly filter: Filter;
  /** As the one who asks has named them. */
  readonly named: readonly string[] | null;
  /** With their groups. */
  readonly principals: readonly string[] | null;
}

/** How one look at a ranking is taken. */
export interface How {
  readonly mayBeStale: boolean;
  /** What sources that are searched live have found for the same filter; nobody is asked without it. */
  readonly federated?: Promise<Pick<FederatedAnswer, 'rows'>>;
  /** Other ways to put the query. */
  readonly variations?: readonly string[];
  readonly signal: AbortSignal;
}

export interface Found extends rank.Scored {
  readonly row: store.ChunkRow;
  /** What the score was made of, before its place in the list. */
  readonly parts: Score['parts'];
}

export interface Page {
  readonly found: readonly rank.Placed<Found>[];
  readonly arms: readonly Arm[];
  readonly wanted: Wanted;
  /** A model has ordered the best. */
  readonly isRescored: boolean;
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
): Promise<Page | typeof STALE> {
  const retrieved = await retrieve(deps, scope, body, how);
  const found: rank.Placed<Found>[] = [];
  let isRescored = false;
  let passed = 0;
  for await (const window of windows(deps, scope, body, how, retrieved)) {
    if (window === STALE) return STALE;
    isRescored ||= window.isRescored;
    for (const item of window.items) {
      if (item.beforeRecency < body.score_threshold) continue;
      if (passed++ >= body.offset && found.length < body.limit) found.push(item);
    }
    if (found.length === body.limit || window.end.beforeRecency < body.score_threshold) break;
  }
  const { arms, wanted } = retrieved;
  return { found, arms, wanted, isRescored };
}

interface Window {
  readonly items: readonly rank.Placed<Found>[];
  readonly end: rank.Ceiling;
  readonly isRescored: boolean;
}

/** The ranking, each window below the one before. */
async function* windows(
  deps: Deps,
  scope: Scope,
  body: SearchBody,
  { mayBeStale, signal }: How,
  { bands, wanted, live }: Retrieved,
): AsyncGenerator<Window | typeof STALE> {
  const seen = new Set<number>();
  let ceiling: rank.Ceiling = rank.noCeiling;
  let isFirst = true;
  for (const together of chunked(bands, rank.windowFor(body.recency_bias))) {
    const items: rank.Placed<Found>[] = [];
    let isRescored = false;
    for (const band of together) {
      const { rows, isStale } = await readBand(deps.db, scope, band, seen);
      if (isStale && !mayBeStale) return yield STALE;
      const scored = isFirst
        ? await first(deps, [...rows, ...withoutTwins(live, rows)], wanted, body, signal)
        : later(rows, wanted, body);
      isRescored ||= scored.isRescored;
      for (const group of scored.groups) {
        const placed = rank.place(group, ceiling);
        ceiling = { ...rank.endOf(placed, ceiling), score: ceiling.score };
        items.push(...placed);
      }
      isFirst = false;
      // Others search in this thread too, and the abort of this search is a message to it.
      await setImmediate();
      signal.throwIfAborted();
    }
    const ordered = rank.withRecency(items, ceiling, body.recency_bias);
    ceiling = rank.endOf(ordered, ceiling);
    yield { items: ordered, end: ceiling, isRescored };
  }
}

async function readBand(
  db: Db,
  scope: Scope,
  band: readonly number[],
  seen: Set<number>,
): Promise<{ rows: store.ChunkRow[]; isStale: boolean }> {
  if (band.length === 0) return { rows: [], isStale: false };
  const { rows, areAllThere } = await store.chunks(db, scope, band);
  // One arm may have found a chunk, the other what has come in its place meanwhile.
  const fresh = rows.filter(({ n }) => !seen.has(n) && seen.add(n));
  const visible = await visibleAmong(db, scope, fresh);
  return { rows: visible, isStale: !areAllThere };
}

/** Found in groups, each below the one before. */
interface Grouped {
  readonly groups: readonly (readonly Found[])[];
  readonly isRescored: boolean;
}

const later = (rows: readonly store.ChunkRow[], wanted: Wanted, body: SearchBody): Grouped => ({
  groups: [toFound(rows, plainScores(rows, wanted, body.retrieval_strategy))],
  isRescored: false,
});

/** By the built-in reranker; where a model is configured, the best of those by it, above the others. */
async function first(
  deps: Deps,
  rows: readonly store.ChunkRow[],
  wanted: Wanted,
  body: SearchBody,
  signal: AbortSignal,
): Promise<Grouped> {
  if (!body.rerank) return later(rows, wanted, body);
  const { words, weights = rank.RERANK } = deps;
  const found = toFound(rows, rerankedScores(rows, wanted, { words, weights }));
  if (!deps.reranker) return { groups: [found], isRescored: false };
  const ordered = rank.inOrder(found);
  const best = ordered.slice(0, rank.RESCORED);
  const scores = await rescore(deps.reranker, deps.kept, wanted.query, best, signal);
  if (!scores) return { groups: [found], isRescored: false };
  const head = toFound(
    best.map(({ row }) => row),
    scores.map(byModel),
  );
  return { groups: [head, ordered.slice(rank.RESCORED)], isRescored: true };
}

const toFound = (rows: readonly store.ChunkRow[], scores: readonly Score[]): Found[] =>
  rows.map((row, i) => ({
    n: row.n,
    id: idOf(row),
    updatedAt: row.source_updated_at,
    score: scores[i]!.value,
    parts: scores[i]!.parts,
    row,
  }));
