/**
 * Decides the order of results, which never depends on how many of them are asked for.
 *
 * Each arm's candidates are cut into bands of 200; band n fuses the n-th 200 of every arm, without those that an
 * earlier band has placed. Within a band, the score decides, then the chunk's id by its bytes. Where a later band has
 * scores above the end of the previous band, they are lowered to just below that end without changing their order, so
 * that scores fall along the whole list.
 *
 * With a recency bias, WINDOW bands are ordered together. Such a window has at least as many results as one request may
 * ask for, so the newest results come first among all of them, and not within each band.
 */
import type { WordFeatures } from './features.ts';

/** A band has this many candidates of each arm. */
export const BAND = 200;
/**
 * A reranking model, where one is configured, scores this many candidates of the first band. The number is a constant,
 * because otherwise the pages of one ranking would not agree.
 */
export const RESCORED = 50;
/** A window has this many bands, which are 1,000 candidates of each arm. */
const WINDOW = 5;

export const STRATEGIES = ['hybrid', 'neural', 'keyword'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/**
 * The built-in reranker has these weights. Its score is a weighted mean of numbers in [0, 1], so it is in [0, 1], too
 * (docs/quality.md says how the weights were chosen).
 */
export const RERANK: RerankWeights = {
  lexical: 3,
  coverage: 0.5,
  pairs: 0.7,
  near: 0.3,
  window: 0.15,
  run: 0.3,
  first: 0.25,
  title: 1.6,
  meaning: 1.25,
  titleMeaning: 0.5,
  related: 3,
  topic: 2.4,
};

/** These weights are used without reranking. */
export type FusionWeights = Readonly<Record<'lexical' | 'meaning', number>>;

interface RankingWeights {
  readonly rerank: RerankWeights;
  readonly fusion: Readonly<Record<Strategy, FusionWeights>>;
}

const weightsWith = (meaning: { rerank: number; fusion: number }): RankingWeights => ({
  rerank: { ...RERANK, meaning: meaning.rerank },
  fusion: {
    hybrid: { lexical: 1, meaning: meaning.fusion },
    keyword: { lexical: 1, meaning: 0 },
    neural: { lexical: 0, meaning: 1 },
  },
});

const BUILT_IN = weightsWith({ rerank: RERANK.meaning, fusion: 0.2 });
/** A model that a user brings knows more about meaning than the built-in table of words. */
const OTHER_MODEL = weightsWith({ rerank: 3.5, fusion: 0.7 });

export const defaultWeights = ({ isBuiltIn }: { readonly isBuiltIn: boolean }): RankingWeights =>
  isBuiltIn ? BUILT_IN : OTHER_MODEL;

/** The reranker reads these features, each from 0 to 1. */
export interface Features extends WordFeatures {
  /** This is the cosine of the query and the chunk. */
  readonly meaning: number;
  /** This is the cosine of the query and the chunk's name and heading. */
  readonly titleMeaning: number;
  /** This says how near in meaning the words of the chunk come to those words of the query that the chunk lacks. */
  readonly related: number;
  /** This says how near the chunk is to the best candidates; it is at most their mean score without `topic`. */
  readonly topic: number;
}

export type RerankWeights = Readonly<Record<keyof Features, number>>;
export const FEATURES = Object.keys(RERANK) as readonly (keyof Features)[];

/**
 * Each name has an array with a number for each chunk, because arrays take less memory than thousands of objects.
 */
export type Columns<Name extends string> = Readonly<Record<Name, Float64Array>>;

export function columns<Name extends string>(names: readonly Name[], rows: number): Columns<Name> {
  const all = names.map((name) => [name, new Float64Array(rows)]);
  return Object.fromEntries(all) as Columns<Name>;
}

/** Returns the weighted mean of each row, in [0, 1] like the values. */
export function weightedMeans<Name extends string>(
  values: Columns<Name>,
  weights: Readonly<Record<Name, number>>,
): Float64Array {
  const names = Object.keys(weights) as Name[];
  const total = names.reduce((sum, name) => sum + weights[name], 0);
  const means = new Float64Array(names[0] ? values[names[0]].length : 0);
  for (const name of names) {
    const weight = weights[name];
    const column = values[name];
    for (let row = 0; row < means.length; row++) means[row]! += weight * column[row]!;
  }
  return means.map((sum) => Math.min(1, sum / total));
}

/** Returns the members of each band, which may be empty. An arm is a list of chunk numbers, best first. */
export function bands(arms: readonly (readonly number[])[]): number[][] {
  const placed = new Set<number>();
  const longest = Math.max(0, ...arms.map((arm) => arm.length));
  const all: number[][] = [];
  for (let start = 0; start < longest; start += BAND) {
    const members = new Set(arms.flatMap((arm) => arm.slice(start, start + BAND)));
    const fresh = [...members].filter((n) => !placed.has(n));
    for (const n of fresh) placed.add(n);
    all.push(fresh);
  }
  return all;
}

/** Returns how many bands are ordered together. */
export const bandsPerWindow = (recencyBias: number): number => (recencyBias === 0 ? 1 : WINDOW);

/** Returns how many candidates of each arm make up the windows of the first `results` results. */
export function depthFor(results: number, bandsPerWindow: number): number {
  const together = BAND * bandsPerWindow;
  return together * Math.ceil(Math.max(1, results) / together);
}

export interface Scored {
  readonly n: number;
  /** This is the id of the chunk that callers see. */
  readonly id: string;
  readonly updatedAt: number | null;
  readonly score: number;
}

export type PlacedItem<Item extends Scored> = Item & {
  /** score_threshold applies to this score. */
  readonly beforeRecency: number;
  /** The recency is a number from 0 to 1; it is 0 where dates do not count. */
  readonly recency: number;
};

/** Everything that is ranked later has lower scores than these. */
export interface Ceiling {
  readonly beforeRecency: number;
  readonly score: number;
}
export const noCeiling: Ceiling = { beforeRecency: Infinity, score: Infinity };

/** Orders a band, below the end of the previous one. */
export function place<Item extends Scored>(
  band: readonly Item[],
  ceiling: Pick<Ceiling, 'beforeRecency'>,
): PlacedItem<Item>[] {
  const ordered = inOrder(band);
  const scores = lowered(ordered, ceiling.beforeRecency);
  return ordered.map((item, i) => {
    const score = scores[i]!;
    return { ...item, score, beforeRecency: score, recency: 0 };
  });
}

/**
 * Orders a window of placed bands by score and date. The `score` of the returned items is the one that is shown.
 */
export function withRecency<Item extends Scored>(
  window: readonly PlacedItem<Item>[],
  ceiling: Pick<Ceiling, 'score'>,
  recencyBias: number,
): PlacedItem<Item>[] {
  if (recencyBias === 0) return [...window];
  const recencyIn = recencyOf(window);
  const biased = window.map((item) => {
    const recency = recencyIn(item);
    const score = (1 - recencyBias) * item.beforeRecency + recencyBias * recency;
    return { ...item, recency, score };
  });
  const ordered = inOrder(biased);
  const scores = lowered(ordered, ceiling.score);
  return ordered.map((item, i) => ({ ...item, score: scores[i]! }));
}

/** Returns the ceiling of the next band. */
export const endOf = (placed: readonly PlacedItem<Scored>[], before: Ceiling): Ceiling =>
  placed.length === 0
    ? before
    : {
        beforeRecency: Math.min(...placed.map((item) => item.beforeRecency)),
        score: placed.at(-1)!.score,
      };

/** Orders by score, then by the bytes of the id. */
export const inOrder = <Item extends Pick<Scored, 'n' | 'id' | 'score'>>(
  items: readonly Item[],
): Item[] => [...items].sort((a, b) => b.score - a.score || compareBytes(a.id, b.id) || a.n - b.n);

export const compareBytes = (a: string, b: string) =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));

/** A score is lowered by this share, which no reader notices and which still makes two doubles differ. */
const HAIR = 1e-9;

/**
 * Returns the scores of items in order: those at or above the ceiling are lowered below it; equal ones stay equal.
 */
function lowered(items: readonly Scored[], ceiling: number): number[] {
  let shown = ceiling;
  let before: number | undefined;
  return items.map(({ score }) => {
    if (score !== before) shown = score < shown ? score : shown * (1 - HAIR);
    before = score;
    return shown;
  });
}

/** Returns the rank of a date among the distinct dates of the window: 1 for the newest, 0 without a date. */
function recencyOf(items: readonly Scored[]): (item: Scored) => number {
  const dates = [...new Set(items.flatMap(({ updatedAt }) => updatedAt ?? []))];
  dates.sort((a, b) => a - b);
  const ranks = new Map(dates.map((date, i) => [date, (i + 1) / dates.length]));
  return ({ updatedAt }) => (updatedAt === null ? 0 : (ranks.get(updatedAt) ?? 0));
}
