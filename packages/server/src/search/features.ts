/**
 * Measures what the words of a chunk have in common with a reading of the query. Each feature is a number from 0 to
 * 1 that does not depend on the other candidates, so a score means the same in every search.
 *
 * A search scores hundreds of chunks. Everything that depends only on the query is therefore computed once, and the
 * arrays for one chunk are used again for the next.
 */
import type { Terms } from './digest.ts';
import { add, createLocator, type Hits } from './locate.ts';
import type { Question, Reading } from './question.ts';
import type { Columns } from './rank.ts';

/** A share of the query is a share of the sum of its terms' weights. */
export interface WordFeatures {
  /** This is BM25 divided by the most that the query can reach. */
  readonly lexical: number;
  /** This is the share of the query that the chunk contains. */
  readonly coverage: number;
  /** This is the share of the query's neighbouring terms that are neighbours in the chunk, in the same order. */
  readonly pairs: number;
  /** This is the share of the query's neighbouring terms that are at most NEAR terms apart, in any order. */
  readonly near: number;
  /** This is the largest share of the query that the chunk contains within WINDOW terms. */
  readonly window: number;
  /** This is the length of the longest run of terms that the chunk has as the query has them; LONG_RUN gives 1. */
  readonly run: number;
  /** This is 1 when the chunk begins with a term of the query (any of them), and falls with its distance; 0 means that it has none. */
  readonly first: number;
  /** This is the share of the query that name and heading contain; the longer they are, the less it counts. */
  readonly title: number;
}

const K1 = 1.2;
const B = 0.75;
/** NEAR and WINDOW are distances in terms. */
const NEAR = 8;
const WINDOW = 20;
/** A run of this many terms counts as much as a run of the whole query. */
const LONG_RUN = 4;
/** A title of ordinary length has this many terms. */
const USUAL_TITLE = 6;

/** Returns the length norm of BM25: the longer a text, the less each occurrence of a term in it counts. */
const lengthNorm = (length: number, averageLength: number) =>
  K1 * (1 - B + (B * length) / averageLength);

/** Returns 0 for a term that does not occur, and near 1 for many occurrences; a greater norm lowers it. */
const saturated = (count: number, norm: number) => count / (count + norm);

export interface WordScorer {
  /** Returns `lexical` of the best reading. Here, a term weighs as much as its idf. */
  lexical(chunk: Terms): number;
  /**
   * Writes the features of the reading with the best `lexical` into the row. Here, terms have the weights of the
   * reading.
   */
  features(chunk: Terms, into: Columns<keyof WordFeatures>, row: number): void;
}

export function createWordScorer(question: Question): WordScorer {
  const { averageLength } = question;
  const readings = question.readings.map(prepare);
  const locate = createLocator(question);

  return {
    lexical(chunk) {
      const located = locate(chunk);
      const norm = lengthNorm(chunk.terms.length, averageLength);
      let best = 0;
      for (const reading of readings) {
        selectHits(reading, located);
        best = Math.max(best, bm25(reading.byIdf, reading, norm) * reading.factor);
      }
      return best;
    },

    features(chunk, into, row) {
      const located = locate(chunk);
      const norm = lengthNorm(chunk.terms.length, averageLength);
      let best = Number.NEGATIVE_INFINITY;
      for (const reading of readings) {
        selectHits(reading, located);
        const { factor } = reading;
        const score = factor * bm25(reading.byWeight, reading, norm);
        if (score <= best) continue;
        best = score;
        into.lexical[row] = score;
        into.coverage[row] = factor * coverage(reading);
        into.pairs[row] = factor * pairs(reading, norm);
        into.near[row] = factor * near(reading);
        into.window[row] = factor * densest(reading);
        into.run[row] = factor * longestRun(reading);
        into.first[row] = reading.hits.count > 0 ? factor / (1 + reading.hits.at[0]! / WINDOW) : 0;
        into.title[row] = factor * title(reading, chunk.titleLength);
      }
    },
  };
}

/** BM25 gives each distinct term one of these weights. */
interface Weighting {
  /** The list has, by slot, the weight of the term times its count in the reading. */
  readonly weights: readonly number[];
  /** This is the sum of the weights. */
  readonly total: number;
}

/** A prepared reading also has arrays for the chunk that is being scored. */
interface PreparedReading {
  readonly factor: number;
  readonly slotsByNumber: readonly number[];
  /** The list has, by slot, the weight of the term, whatever its count. */
  readonly weights: readonly number[];
  /** This is the sum of the weights. */
  readonly total: number;
  readonly byIdf: Weighting;
  readonly byWeight: Weighting;
  /** These are the slots of the terms, in the order of the query. */
  readonly order: readonly number[];
  /** Each number is a pair of neighbours in the query: first slot × number of slots + second slot. */
  readonly neighbours: ReadonlySet<number>;
  readonly hits: Hits;
  /** The array has, by slot, how often the chunk has the term. */
  readonly found: Float64Array;
  /** `densest` and `title` compute in this array, and leave zeros behind. */
  readonly scratch: Float64Array;
}

function prepare({
  terms,
  slots,
  slotsByNumber,
  idf,
  weights,
  counts,
  factor,
}: Reading): PreparedReading {
  const order = terms.map((term) => slots.get(term)!);
  const width = idf.length;
  const weighting = (by: readonly number[]): Weighting => {
    const all = by.map((weight, slot) => weight * counts[slot]!);
    return { weights: all, total: sum(all) };
  };
  return {
    factor,
    slotsByNumber,
    weights,
    total: sum(weights),
    byIdf: weighting(idf),
    byWeight: weighting(weights),
    order,
    neighbours: new Set(order.slice(1).map((slot, i) => order[i]! * width + slot)),
    hits: { count: 0, at: [], what: [] },
    found: new Float64Array(width),
    scratch: new Float64Array(width),
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

/** Keeps those hits of the question that are terms of the reading, and counts them. */
function selectHits({ slotsByNumber, hits, found }: PreparedReading, located: Hits): void {
  hits.count = 0;
  found.fill(0);
  for (let i = 0; i < located.count; i++) {
    const slot = slotsByNumber[located.what[i]!]!;
    if (slot < 0) continue;
    add(hits, located.at[i]!, slot);
    found[slot]!++;
  }
}

function bm25({ weights, total }: Weighting, { found }: PreparedReading, norm: number): number {
  let score = 0;
  for (let slot = 0; slot < weights.length; slot++)
    score += weights[slot]! * saturated(found[slot]!, norm);
  return ratio(score, total);
}

/** Each distinct term counts once. */
function coverage({ weights, total, found }: PreparedReading): number {
  let score = 0;
  for (let slot = 0; slot < weights.length; slot++) if (found[slot]! > 0) score += weights[slot]!;
  return ratio(score, total);
}

/**
 * Returns the weighted mean of `share` over the pairs of neighbouring, different terms of the query. A pair weighs as
 * much as its two terms together.
 */
function coveredPairs(
  { order, weights }: PreparedReading,
  share: (a: number, b: number) => number,
): number {
  let score = 0;
  let total = 0;
  for (let i = 0; i + 1 < order.length; i++) {
    const a = order[i]!;
    const b = order[i + 1]!;
    if (a === b) continue;
    total += weights[a]! + weights[b]!;
    score += (weights[a]! + weights[b]!) * share(a, b);
  }
  return ratio(score, total);
}

function pairs(reading: PreparedReading, norm: number): number {
  const { hits, found } = reading;
  const width = found.length;
  let counts: Map<number, number> | undefined;
  for (let i = 0; i + 1 < hits.count; i++) {
    if (hits.at[i + 1] !== hits.at[i]! + 1) continue;
    counts ??= new Map();
    const pair = hits.what[i]! * width + hits.what[i + 1]!;
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return counts
    ? coveredPairs(reading, (a, b) => saturated(counts.get(a * width + b) ?? 0, norm))
    : 0;
}

function near(reading: PreparedReading): number {
  const { hits, found } = reading;
  const { at, what, count } = hits;
  const width = found.length;
  let together: Set<number> | undefined;
  for (let i = 0; i < count; i++) {
    for (let j = i + 1; j < count && at[j]! - at[i]! <= NEAR; j++) {
      together ??= new Set();
      together.add(what[i]! * width + what[j]!);
      together.add(what[j]! * width + what[i]!);
    }
  }
  return together ? coveredPairs(reading, (a, b) => (together.has(a * width + b) ? 1 : 0)) : 0;
}

function densest({ weights, total, hits, scratch: counts }: PreparedReading): number {
  const { at, what, count } = hits;
  let start = 0;
  let best = 0;
  for (let end = 0; end < count; end++) {
    counts[what[end]!]!++;
    while (at[end]! - at[start]! > WINDOW) counts[what[start++]!]!--;
    let sum = 0;
    for (let slot = 0; slot < weights.length; slot++) if (counts[slot]! > 0) sum += weights[slot]!;
    best = Math.max(best, sum);
  }
  counts.fill(0);
  return ratio(best, total);
}

/** Finds the longest run of neighbours in the chunk that are also neighbours in the query. */
function longestRun({ order, neighbours, hits, found }: PreparedReading): number {
  const { at, what, count } = hits;
  if (count === 0) return 0;
  let best = 1;
  let run = 1;
  for (let i = 1; i < count; i++) {
    const pair = what[i - 1]! * found.length + what[i]!;
    const isNext = at[i] === at[i - 1]! + 1 && neighbours.has(pair);
    run = isNext ? run + 1 : 1;
    best = Math.max(best, run);
  }
  return ratio(best, Math.min(LONG_RUN, order.length));
}

function title({ weights, total, hits, scratch: shares }: PreparedReading, length: number): number {
  const share = saturated(1, lengthNorm(length, USUAL_TITLE));
  for (let i = 0; i < hits.count && hits.at[i]! < length; i++) shares[hits.what[i]!] = share;
  let score = 0;
  for (let slot = 0; slot < weights.length; slot++) score += weights[slot]! * shares[slot]!;
  shares.fill(0);
  return ratio(score, total);
}

const ratio = (part: number, whole: number) => (whole === 0 ? 0 : Math.min(1, part / whole));
