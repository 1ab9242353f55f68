/**
 * Measures what the words of a chunk have in common with a reading of the query. Each feature is from 0 to 1 by
 * itself: none is divided by the best among the candidates, so a score means the same in every search.
 *
 * `lexical` is BM25 divided by the most that the query could reach.
 *
 * A search looks at hundreds of chunks. So what is the same for all of them is computed once, and the arrays for
 * one chunk are used again for the next.
 */
import type { Terms } from './digest.ts';
import { add, createLocator, type Hits } from './locate.ts';
import type { Question, Reading } from './question.ts';
import type { Columns } from './rank.ts';

export interface WordFeatures {
  readonly lexical: number;
  /** This is the share of the query that stands anywhere in the chunk. */
  readonly coverage: number;
  /** This measures how many neighbouring words of the query stand beside each other. */
  readonly pairs: number;
  /** This measures how many neighbouring words of the query stand within a few words of each other. */
  readonly near: number;
  /** This is the largest share of the query that a short passage holds. */
  readonly window: number;
  /** This is the longest piece of the query that stands in the chunk unchanged. */
  readonly run: number;
  /** This measures how early the first word of the query comes. */
  readonly first: number;
  /** This measures which words of the query are in name and heading. */
  readonly title: number;
}

const K1 = 1.2;
const B = 0.75;
/** Distances are in terms. */
const NEAR = 8;
const WINDOW = 20;
/** A run of this many terms is as good as the whole query. */
const LONG_RUN = 4;
/** A title of ordinary length has this many terms. */
const USUAL_TITLE = 6;

/** Returns how strongly a text of this length weakens each occurrence of a term in it. */
const damping = (length: number, usual: number) => K1 * (1 - B + (B * length) / usual);

/** Repetition adds this much: 0 without the term, near 1 with many occurrences, less where they are damped. */
const saturated = (count: number, damped: number) => count / (count + damped);

export interface WordScorer {
  /** Returns the BM25 of the best reading. */
  lexical(chunk: Terms): number;
  /** Writes the features of the reading that has the best BM25 into that row. */
  features(chunk: Terms, into: Columns<keyof WordFeatures>, row: number): void;
}

export function createWordScorer(question: Question): WordScorer {
  const usual = question.averageLength;
  const readings = question.readings.map(prepare);
  const locate = createLocator(question);

  return {
    lexical(chunk) {
      const located = locate(chunk);
      const damped = damping(chunk.terms.length, usual);
      let best = 0;
      for (const reading of readings) {
        take(reading, located);
        best = Math.max(best, bm25(reading.byIdf, reading, damped) * reading.worth);
      }
      return best;
    },

    features(chunk, into, row) {
      const located = locate(chunk);
      const damped = damping(chunk.terms.length, usual);
      let best = Number.NEGATIVE_INFINITY;
      for (const reading of readings) {
        take(reading, located);
        const { worth } = reading;
        const score = worth * bm25(reading.byWeight, reading, damped);
        if (score <= best) continue;
        best = score;
        into.lexical[row] = score;
        into.coverage[row] = worth * coverage(reading);
        into.pairs[row] = worth * pairs(reading, damped);
        into.near[row] = worth * near(reading);
        into.window[row] = worth * densest(reading);
        into.run[row] = worth * longestRun(reading);
        into.first[row] = reading.hits.count > 0 ? worth / (1 + reading.hits.at[0]! / WINDOW) : 0;
        into.title[row] = worth * title(reading, chunk.titleLength);
      }
    },
  };
}

/** BM25 weighs each distinct term by these weights. */
interface Weighing {
  /** These are, by slot, the weight of the term times its count in the query. */
  readonly weights: readonly number[];
  /** This is the sum of the weights. */
  readonly most: number;
}

/** A prepared reading also holds what it finds in one chunk. */
interface PreparedReading {
  readonly worth: number;
  readonly slotOf: readonly number[];
  readonly weights: readonly number[];
  /** This is the sum of the weights. */
  readonly most: number;
  readonly byIdf: Weighing;
  readonly byWeight: Weighing;
  /** These are the slots of the terms, in the order of the query. */
  readonly order: readonly number[];
  /** These are the pairs of neighbours in the query. */
  readonly follows: ReadonlySet<number>;
  readonly hits: Hits;
  /** This counts, by slot, how often the chunk has the term. */
  readonly found: Float64Array;
  /** The array holds only zeros between two uses. */
  readonly inside: Float64Array;
}

function prepare({ terms, slots, slotOf, idf, weights, counts, worth }: Reading): PreparedReading {
  const order = terms.map((term) => slots.get(term)!);
  const width = idf.length;
  const weighing = (by: readonly number[]): Weighing => {
    const all = by.map((weight, slot) => weight * counts[slot]!);
    return { weights: all, most: sum(all) };
  };
  return {
    worth,
    slotOf,
    weights,
    most: sum(weights),
    byIdf: weighing(idf),
    byWeight: weighing(weights),
    order,
    follows: new Set(order.slice(1).map((slot, i) => order[i]! * width + slot)),
    hits: { count: 0, at: [], what: [] },
    found: new Float64Array(width),
    inside: new Float64Array(width),
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

function take({ slotOf, hits, found }: PreparedReading, located: Hits): void {
  hits.count = 0;
  found.fill(0);
  for (let i = 0; i < located.count; i++) {
    const slot = slotOf[located.what[i]!]!;
    if (slot < 0) continue;
    add(hits, located.at[i]!, slot);
    found[slot]!++;
  }
}

function bm25({ weights, most }: Weighing, { found }: PreparedReading, damped: number): number {
  let score = 0;
  for (let slot = 0; slot < weights.length; slot++)
    score += weights[slot]! * saturated(found[slot]!, damped);
  return ratio(score, most);
}

/** Each distinct term counts once. */
function coverage({ weights, most, found }: PreparedReading): number {
  let score = 0;
  for (let slot = 0; slot < weights.length; slot++) if (found[slot]! > 0) score += weights[slot]!;
  return ratio(score, most);
}

/** Returns the covered share of the weight of neighbouring, different terms of the query. */
function coveredPairs(
  { order, weights }: PreparedReading,
  share: (a: number, b: number) => number,
): number {
  let score = 0;
  let most = 0;
  for (let i = 0; i + 1 < order.length; i++) {
    const a = order[i]!;
    const b = order[i + 1]!;
    if (a === b) continue;
    most += weights[a]! + weights[b]!;
    score += (weights[a]! + weights[b]!) * share(a, b);
  }
  return ratio(score, most);
}

function pairs(reading: PreparedReading, damped: number): number {
  const { hits, found: counts } = reading;
  const width = counts.length;
  let found: Map<number, number> | undefined;
  for (let i = 0; i + 1 < hits.count; i++) {
    if (hits.at[i + 1] !== hits.at[i]! + 1) continue;
    found ??= new Map();
    const pair = hits.what[i]! * width + hits.what[i + 1]!;
    found.set(pair, (found.get(pair) ?? 0) + 1);
  }
  return found
    ? coveredPairs(reading, (a, b) => saturated(found.get(a * width + b) ?? 0, damped))
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

function densest({ weights, most, hits, inside }: PreparedReading): number {
  const { at, what, count } = hits;
  let start = 0;
  let best = 0;
  for (let end = 0; end < count; end++) {
    inside[what[end]!]!++;
    while (at[end]! - at[start]! > WINDOW) inside[what[start++]!]!--;
    let held = 0;
    for (let slot = 0; slot < weights.length; slot++) if (inside[slot]! > 0) held += weights[slot]!;
    best = Math.max(best, held);
  }
  inside.fill(0);
  return ratio(best, most);
}

/** Finds the longest run of neighbours in the chunk that are also neighbours in the query. */
function longestRun({ order, follows, hits, found }: PreparedReading): number {
  const { at, what, count } = hits;
  if (count === 0) return 0;
  let best = 1;
  let run = 1;
  for (let i = 1; i < count; i++) {
    const isNext = at[i] === at[i - 1]! + 1 && follows.has(what[i - 1]! * found.length + what[i]!);
    run = isNext ? run + 1 : 1;
    best = Math.max(best, run);
  }
  return ratio(best, Math.min(LONG_RUN, order.length));
}

function title({ weights, most, hits, inside }: PreparedReading, length: number): number {
  const share = saturated(1, damping(length, USUAL_TITLE));
  for (let i = 0; i < hits.count && hits.at[i]! < length; i++) inside[hits.what[i]!] = share;
  let score = 0;
  for (let slot = 0; slot < weights.length; slot++) score += weights[slot]! * inside[slot]!;
  inside.fill(0);
  return ratio(score, most);
}

const ratio = (part: number, whole: number) => (whole === 0 ? 0 : Math.min(1, part / whole));
