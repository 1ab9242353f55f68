/**
 * What the ranking knows of a chunk and a reading of the query, each from 0 to 1 by itself: no
 * feature is divided by the best among the candidates, so a score means the same in every search.
 *
 * `lexical` is BM25 divided by the most that the query could reach.
 */
import type { Question, Reading } from './question.ts';

export interface Features {
  readonly lexical: number;
  /** Neighbouring words of the query stand beside each other. */
  readonly pairs: number;
  /** Neighbouring words of the query stand within a few words of each other. */
  readonly near: number;
  /** The most of the query that a short passage holds. */
  readonly window: number;
  /** How early the first word of the query comes. */
  readonly first: number;
  /** Words of the query in name and heading. */
  readonly title: number;
}

/** Terms of a chunk. `all` begins with those of the title. */
export interface ChunkTerms {
  readonly all: readonly string[];
  readonly title: readonly string[];
}

const K1 = 1.2;
const B = 0.75;
/** Distances in terms. */
const NEAR = 8;
const WINDOW = 20;
/** Terms in a title of ordinary length. */
const USUAL_TITLE = 6;

/** What repetition adds: 0 without the term, towards 1 with many, less in a long text. */
const saturated = (count: number, length: number, usual: number) =>
  count / (count + K1 * (1 - B + (B * length) / usual));

/** BM25 of the best reading. */
export function lexical(question: Question, terms: readonly string[]): number {
  let best = 0;
  for (const reading of question.readings)
    best = Math.max(best, bm25(reading, locate(reading, terms), terms.length, question));
  return best;
}

/** Of the reading that BM25 finds best. */
export function features(question: Question, terms: ChunkTerms): Features {
  let best: Features | undefined;
  for (const reading of question.readings) {
    const hits = locate(reading, terms.all);
    const score = bm25(reading, hits, terms.all.length, question);
    if (best && score <= best.lexical) continue;
    best = {
      lexical: score,
      pairs: pairs(reading, hits, terms.all.length, question),
      near: near(reading, hits),
      window: densest(reading, hits),
      first: hits.length > 0 ? 1 / (1 + hits[0]!.at / WINDOW) : 0,
      title: title(reading, terms.title),
    };
  }
  return best ?? { lexical: 0, pairs: 0, near: 0, window: 0, first: 0, title: 0 };
}

/** An occurrence of a query term in a chunk. */
interface Hit {
  readonly at: number;
  readonly slot: number;
}

function locate(reading: Reading, terms: readonly string[]): Hit[] {
  const hits: Hit[] = [];
  for (let at = 0; at < terms.length; at++) {
    const slot = reading.slots.get(terms[at]!);
    if (slot !== undefined) hits.push({ at, slot });
  }
  return hits;
}

function bm25(reading: Reading, hits: readonly Hit[], length: number, question: Question): number {
  const { idf, counts } = reading;
  const found = new Float64Array(idf.length);
  for (const { slot } of hits) found[slot]!++;
  let score = 0;
  let most = 0;
  for (let slot = 0; slot < idf.length; slot++) {
    const weight = idf[slot]! * counts[slot]!;
    most += weight;
    score += weight * saturated(found[slot]!, length, question.averageLength);
  }
  return ratio(score, most);
}

/** Calls back for each two neighbouring, different terms of the query, with their slots. */
function eachPair(reading: Reading, visit: (a: number, b: number, weight: number) => void): void {
  const { terms, slots, idf } = reading;
  for (let i = 0; i + 1 < terms.length; i++) {
    const a = slots.get(terms[i]!)!;
    const b = slots.get(terms[i + 1]!)!;
    if (a !== b) visit(a, b, idf[a]! + idf[b]!);
  }
}

function pairs(reading: Reading, hits: readonly Hit[], length: number, question: Question): number {
  const width = reading.idf.length;
  const found = new Map<number, number>();
  for (let i = 0; i + 1 < hits.length; i++) {
    if (hits[i + 1]!.at !== hits[i]!.at + 1) continue;
    const pair = hits[i]!.slot * width + hits[i + 1]!.slot;
    found.set(pair, (found.get(pair) ?? 0) + 1);
  }
  let score = 0;
  let most = 0;
  eachPair(reading, (a, b, weight) => {
    most += weight;
    score += weight * saturated(found.get(a * width + b) ?? 0, length, question.averageLength);
  });
  return ratio(score, most);
}

function near(reading: Reading, hits: readonly Hit[]): number {
  const width = reading.idf.length;
  const together = new Set<number>();
  for (let i = 0; i < hits.length; i++) {
    for (let j = i + 1; j < hits.length && hits[j]!.at - hits[i]!.at <= NEAR; j++) {
      together.add(hits[i]!.slot * width + hits[j]!.slot);
      together.add(hits[j]!.slot * width + hits[i]!.slot);
    }
  }
  let score = 0;
  let most = 0;
  eachPair(reading, (a, b, weight) => {
    most += weight;
    if (together.has(a * width + b)) score += weight;
  });
  return ratio(score, most);
}

function densest(reading: Reading, hits: readonly Hit[]): number {
  const { idf } = reading;
  const inside = new Float64Array(idf.length);
  let start = 0;
  let best = 0;
  for (let end = 0; end < hits.length; end++) {
    inside[hits[end]!.slot]!++;
    while (hits[end]!.at - hits[start]!.at > WINDOW) inside[hits[start++]!.slot]!--;
    let covered = 0;
    for (let slot = 0; slot < idf.length; slot++) if (inside[slot]! > 0) covered += idf[slot]!;
    best = Math.max(best, covered);
  }
  return ratio(
    best,
    idf.reduce((sum, weight) => sum + weight, 0),
  );
}

function title(reading: Reading, terms: readonly string[]): number {
  const named = new Set(terms);
  let score = 0;
  let most = 0;
  for (const [term, slot] of reading.slots) {
    most += reading.idf[slot]!;
    if (named.has(term)) score += reading.idf[slot]! * saturated(1, terms.length, USUAL_TITLE);
  }
  return ratio(score, most);
}

const ratio = (part: number, whole: number) => (whole === 0 ? 0 : Math.min(1, part / whole));
