/**
 * Makes one page of a ranking: candidates come from the index, rows from the database, scores from both.
 *
 * All of it is one look: it reads one snapshot of the database, so the page is what the asker might have found at
 * one moment. A look waits for nothing but the database, so models and sources are asked before it. With a reranking
 * model there are two looks: the model orders what the first one found, and the second one makes the page.
 */
import { setImmediate } from 'node:timers/promises';
import type { Tx } from '../db/schema.ts';
import { chunked } from '../util.ts';
import { readView, type SearchScope, withRows } from './access.ts';
import { digestOf } from './digest.ts';
import { withoutTwins } from './federated/merge.ts';
import { type Relevance, rescore, textForModel } from './llm/rescore.ts';
import { weightsOfAll } from './own-weights.ts';
import { type LookInputs, prepare } from './prepare.ts';
import * as rank from './rank.ts';
import type { Ranked, RankingDeps, RankingRequest, ResultPage } from './ranking.ts';
import { idOf, maySee } from './read.ts';
import { type Retrieved, retrieve } from './retrieve.ts';
import type { SearchBody } from './schema.ts';
import {
  type Candidate,
  type ChunkScores,
  modelScores,
  plainScores,
  rerankedScores,
} from './score.ts';
import type * as store from './store.ts';

/**
 * Reads bands until the page is full, or until no later result can reach the threshold. Throws the reason of the
 * signal soon after it aborts.
 */
export async function rankedPage(deps: RankingDeps, request: RankingRequest): Promise<ResultPage> {
  const { body, signal } = request;
  const prepared = await prepare(deps.embedder, body, request);
  const { reranker } = deps;
  const relevance =
    body.rerank && reranker
      ? await rescore(
          { reranker, kept: deps.kept },
          { query: body.query, rows: await look({ deps, request, prepared }, bestRows) },
          signal,
        )
      : undefined;
  return look({ deps, request, prepared }, (seen) => pageOf({ ...seen, relevance }));
}

/** A page is made from these parts of one look. */
interface Look {
  readonly deps: RankingDeps;
  readonly body: SearchBody;
  readonly signal: AbortSignal;
  readonly tx: Tx;
  readonly scope: SearchScope;
  readonly retrieved: Retrieved;
  readonly prepared: LookInputs;
  /** These are the scores of the reranking model; without them, the order of the built-in reranker stays. */
  readonly relevance?: Relevance | undefined;
}

interface LookRequest {
  readonly deps: RankingDeps;
  readonly request: RankingRequest;
  readonly prepared: LookInputs;
}

const look = <Read>(
  { deps, request, prepared }: LookRequest,
  read: (seen: Look) => Promise<Read>,
): Promise<Read> => {
  const { asker, filter, body, signal } = request;
  return deps.index.look(deps.db, asker.collectionIds, {
    async find(index, tx) {
      const scope = (await readView(tx, asker)).scope(filter);
      const { words, embedder } = deps;
      const inputs = { body, prepared, words, embedder };
      return { scope, retrieved: await retrieve(index, scope, inputs) };
    },
    read: (found, tx) => read({ deps, body, signal, tx, prepared, ...found }),
  });
};

async function pageOf(seen: Look): Promise<ResultPage> {
  const { body, tx, scope, prepared, retrieved } = seen;
  const ranked: rank.PlacedItem<Ranked>[] = [];
  let isRescored = false;
  let passed = 0;
  for await (const window of windows(seen)) {
    isRescored ||= window.isRescored;
    for (const item of window.items) {
      if (item.beforeRecency < body.score_threshold) continue;
      if (passed++ >= body.offset && ranked.length < body.limit) ranked.push(item);
    }
    if (ranked.length === body.limit || window.end.beforeRecency < body.score_threshold) break;
  }
  const { arms, wanted } = retrieved;
  return {
    found: await withRows(tx, scope, ranked),
    arms,
    wanted,
    principals: scope.principals,
    isRescored,
    isWithoutMeaning: prepared.isWithoutMeaning,
  };
}

interface Window {
  readonly items: readonly rank.PlacedItem<Ranked>[];
  readonly end: rank.Ceiling;
  readonly isRescored: boolean;
}

/** Yields the windows of the ranking; the scores of each are below those of the previous one. */
async function* windows(seen: Look): AsyncGenerator<Window> {
  const { body, signal, retrieved } = seen;
  let ceiling: rank.Ceiling = rank.noCeiling;
  let isFirst = true;
  for (const together of chunked(retrieved.bands, rank.bandsPerWindow(body.recency_bias))) {
    const items: rank.PlacedItem<Ranked>[] = [];
    let isRescored = false;
    for (const band of together) {
      if (!isFirst) {
        // Other searches run in this thread, too, and the abort of this search arrives as a message.
        await setImmediate();
        signal.throwIfAborted();
      }
      const scored = isFirst
        ? await scoreFirstBand(seen)
        : scorePlainly(seen, await readBand(seen, band));
      isRescored ||= scored.isRescored;
      for (const group of scored.groups) {
        const placed = rank.place(group, ceiling);
        ceiling = { ...rank.endOf(placed, ceiling), score: ceiling.score };
        items.push(...placed);
      }
      isFirst = false;
    }
    const ordered = rank.withRecency(items, ceiling, body.recency_bias);
    ceiling = rank.endOf(ordered, ceiling);
    yield { items: ordered, end: ceiling, isRescored };
  }
}

/** Reads the chunks of a band, and drops those that fail the access check, which the index has applied before. */
async function readBand(
  { deps, tx, scope, retrieved }: Look,
  band: readonly number[],
): Promise<Candidate[]> {
  if (band.length === 0) return [];
  const principals = scope.principals && new Set(scope.principals);
  const live = new Set(scope.live);
  const candidates = await deps.chunks.read(tx, {
    searched: scope,
    numbers: band,
    versionOf: retrieved.versionOf,
    collectionOf: retrieved.collectionOf,
  });
  return candidates.filter(({ head }) => live.has(head.connection_id) && maySee(principals, head));
}

/** Returns the live rows whose records are not among the indexed candidates. */
function liveCandidates(
  liveRows: readonly store.ChunkRow[],
  indexed: readonly Candidate[],
): Candidate[] {
  if (liveRows.length === 0) return [];
  const heads = indexed.map(({ head }) => head);
  return withoutTwins(liveRows, heads).map((row) => ({
    head: row,
    digest: digestOf(row, row),
  }));
}

interface ScoredBand {
  /** Every result of a group stands above those of the next group. */
  readonly groups: readonly (readonly Ranked[])[];
  readonly isRescored: boolean;
}

/** Scores candidates without reranking them. */
function scorePlainly({ deps, body, retrieved }: Look, all: readonly Candidate[]): ScoredBand {
  const weights = rank.defaultWeights(deps.embedder).fusion[body.retrieval_strategy];
  return {
    groups: [toRanked(all, plainScores(all, retrieved.wanted, weights))],
    isRescored: false,
  };
}

/** Returns the candidates of the first band, which include the live rows. */
async function firstBand(seen: Look): Promise<Candidate[]> {
  const { bands, liveRows } = seen.retrieved;
  const candidates = await readBand(seen, bands[0] ?? []);
  return [...candidates, ...liveCandidates(liveRows, candidates)];
}

/** Scores by the built-in reranker. */
async function reranked(seen: Look, all: readonly Candidate[]): Promise<Ranked[]> {
  const { deps, tx, scope, retrieved } = seen;
  const { words } = deps;
  const defaults = rank.defaultWeights(deps.embedder).rerank;
  const weights = await weightsOfAll({ ...deps, defaults }, tx, scope);
  return toRanked(all, rerankedScores(all, retrieved.wanted, { words, weights }));
}

/** Returns the rows that a reranking model may order. */
async function bestRows(seen: Look): Promise<store.ChunkRow[]> {
  const ordered = rank.inOrder(await reranked(seen, await firstBand(seen)));
  const best = await withRows(seen.tx, seen.scope, ordered.slice(0, rank.RESCORED));
  return best.map(({ row }) => row);
}

/** The candidates that a model has scored stand above the others. */
async function scoreFirstBand(seen: Look): Promise<ScoredBand> {
  const all = await firstBand(seen);
  if (!seen.body.rerank) return scorePlainly(seen, all);
  const ranked = await reranked(seen, all);
  const { relevance } = seen;
  if (!relevance) return { groups: [ranked], isRescored: false };
  const ordered = rank.inOrder(ranked);
  const best = await withRows(seen.tx, seen.scope, ordered.slice(0, rank.RESCORED));
  const scored = best.flatMap((item) => {
    const score = relevance.get(textForModel(item.row));
    return score === undefined ? [] : [{ ...item, score }];
  });
  const scores = modelScores(scored.map(({ score }) => score));
  const head = scored.map((item, at) => ({ ...item, scores, at }));
  const isInHead = new Set(head.map(({ n }) => n));
  return { groups: [head, ordered.filter(({ n }) => !isInHead.has(n))], isRescored: true };
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
