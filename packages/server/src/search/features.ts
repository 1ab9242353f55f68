/**
 * What the words of a chunk have in common with a reading of the query, each from 0 to 1 by itself:
 * no feature is divided by the best among the candidates, so a score means the same in every search.
 *
 * `lexical` is BM25 divided by the most that the query could reach.
 */
import type { Terms } from './digest.ts';
import type { Question, Reading } from './question.ts';

export interface WordFeatures {
  readonly lexical: number;
  /** Share of the query that the chunk has at all. */
  readonly coverage: number;
  /** Neighbouring words of the query stand beside each other. */
  readonly pairs: number;
  /** Neighbouring words of the query stand within a few words of each other. */
  readonly near: number;
  /** The most of the query that a short passage holds. */
  readonly window: number;
  /** The longest piece of the query that stands in the chunk as it is. */
  readonly run: number;
  /** How early the first word of the query comes. */
  readonly first: number;
  /** Words of the query in name and heading. */
  readonly title: number;
}

const K1 = 1.2;
const B = 0.75;
/** Distances in terms. */
const NEAR = 8;
const WINDOW = 20;
/** Terms that are as good as the whole query. */
const LONG_RUN = 4;
/** Terms in a title of ordinary length. */
const USUAL_TITLE = 6;

/** What repetition adds: 0 without the term, towards 1 with many, less in a long text. */
const saturated = (count: number, length: number, usual: number) =>
  count / (count + K1 * (1 - B + (B * length) / usual));

/** Where a chunk has the terms of the question. */
export interface Located {
  /** In terms, the title included. */
  readonly length: number;
  readonly titleLength: number;
  /** Ascending; the title comes first. */
  readonly at: readonly number[];
  /** What is there: the number of the term. */
  readonly number: readonly number[];
}

/** Gives the terms of the question that a chunk has. */
export function locator({ numbers }: Question): (digest: Terms) => Located {
  let known: Terms['vocabulary'] | undefined;
  let size = 0;
  /** From the number in the vocabulary to the number in the question. */
  let wanted = new Map<number, number>();
  /** By the last bits of a number: almost every term is none of the question's. */
  const maybe = new Uint8Array(MAYBE);
  return ({ terms, titleLength, vocabulary }) => {
    if (vocabulary !== known || vocabulary.size !== size) {
      [known, size] = [vocabulary, vocabulary.size];
      wanted = new Map();
      maybe.fill(0);
      for (const [term, number] of numbers) {
        const found = vocabulary.get(term);
        if (found === undefined) continue;
        wanted.set(found, number);
        maybe[found % MAYBE] = 1;
      }
    }
    const at: number[] = [];
    const number: number[] = [];
    for (let i = 0; i < terms.length; i++) {
      const term = terms[i]!;
      if (maybe[term % MAYBE] === 0) continue;
      const found = wanted.get(term);
      if (found === undefined) continue;
      at.push(i);
      number.push(found);
    }
    return { length: terms.length, titleLength, at, number };
  };
}

const MAYBE = 2048;

/** BM25 of the best reading. */
export function lexical(question: Question, located: Located): number {
  let best = 0;
  for (const reading of question.readings) {
    const found = counted(reading, hitsOf(reading, located));
    const score = bm25(reading, reading.idf, found, located.length, question);
    best = Math.max(best, score * reading.worth);
  }
  return best;
}

/** Of the reading that BM25 finds best. */
export function wordFeatures(question: Question, located: Located): WordFeatures {
  let best: WordFeatures | undefined;
  for (const reading of question.readings) {
    const hits = hitsOf(reading, located);
    const found = counted(reading, hits);
    const { worth } = reading;
    const score = worth * bm25(reading, reading.weights, found, located.length, question);
    if (best && score <= best.lexical) continue;
    best = {
      lexical: score,
      coverage: worth * covered(reading, (slot) => (found[slot]! > 0 ? 1 : 0)),
      pairs: worth * pairs(reading, hits, located.length, question),
      near: worth * near(reading, hits),
      window: worth * densest(reading, hits),
      run: worth * longestRun(reading, hits),
      first: hits.length > 0 ? worth / (1 + hits[0]!.at / WINDOW) : 0,
      title: worth * title(reading, hits, located.titleLength),
    };
  }
  return best ?? NOTHING;
}

const NOTHING: WordFeatures = {
  lexical: 0,
  coverage: 0,
  pairs: 0,
  near: 0,
  window: 0,
  run: 0,
  first: 0,
  title: 0,
};

/** An occurrence of a term of the reading. */
interface Hit {
  readonly at: number;
  readonly slot: number;
}

function hitsOf({ slotOf }: Reading, { at, number }: Located): Hit[] {
  const hits: Hit[] = [];
  for (let i = 0; i < at.length; i++) {
    const slot = slotOf[number[i]!]!;
    if (slot >= 0) hits.push({ at: at[i]!, slot });
  }
  return hits;
}

/** How often the chunk has each term. */
function counted(reading: Reading, hits: readonly Hit[]): Float64Array {
  const found = new Float64Array(reading.idf.length);
  for (const { slot } of hits) found[slot]!++;
  return found;
}

function bm25(
  { counts }: Reading,
  weights: readonly number[],
  found: Float64Array,
  length: number,
  question: Question,
): number {
  let score = 0;
  let most = 0;
  for (let slot = 0; slot < weights.length; slot++) {
    const weight = weights[slot]! * counts[slot]!;
    most += weight;
    score += weight * saturated(found[slot]!, length, question.averageLength);
  }
  return ratio(score, most);
}

/** Share of the query's weight, each distinct term counted as `share` says. */
function covered({ weights }: Reading, share: (slot: number) => number): number {
  let score = 0;
  let most = 0;
  for (let slot = 0; slot < weights.length; slot++) {
    most += weights[slot]!;
    score += weights[slot]! * share(slot);
  }
  return ratio(score, most);
}

/** The same of neighbouring, different terms of the query. */
function coveredPairs(reading: Reading, share: (a: number, b: number) => number): number {
  const { terms, slots, weights } = reading;
  let score = 0;
  let most = 0;
  for (let i = 0; i + 1 < terms.length; i++) {
    const a = slots.get(terms[i]!)!;
    const b = slots.get(terms[i + 1]!)!;
    if (a === b) continue;
    most += weights[a]! + weights[b]!;
    score += (weights[a]! + weights[b]!) * share(a, b);
  }
  return ratio(score, most);
}

function pairs(reading: Reading, hits: readonly Hit[], length: number, question: Question): number {
  const width = reading.idf.length;
  const found = new Map<number, number>();
  for (let i = 0; i + 1 < hits.length; i++) {
    if (hits[i + 1]!.at !== hits[i]!.at + 1) continue;
    const pair = hits[i]!.slot * width + hits[i + 1]!.slot;
    found.set(pair, (found.get(pair) ?? 0) + 1);
  }
  return coveredPairs(reading, (a, b) =>
    saturated(found.get(a * width + b) ?? 0, length, question.averageLength),
  );
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
  return coveredPairs(reading, (a, b) => (together.has(a * width + b) ? 1 : 0));
}

function densest({ weights }: Reading, hits: readonly Hit[]): number {
  const inside = new Float64Array(weights.length);
  let start = 0;
  let best = 0;
  for (let end = 0; end < hits.length; end++) {
    inside[hits[end]!.slot]!++;
    while (hits[end]!.at - hits[start]!.at > WINDOW) inside[hits[start++]!.slot]!--;
    let held = 0;
    for (let slot = 0; slot < weights.length; slot++) if (inside[slot]! > 0) held += weights[slot]!;
    best = Math.max(best, held);
  }
  return ratio(
    best,
    weights.reduce((sum, weight) => sum + weight, 0),
  );
}

/** Neighbours in the chunk that are neighbours in the query, one after the other. */
function longestRun({ terms, slots }: Reading, hits: readonly Hit[]): number {
  if (hits.length === 0) return 0;
  const width = slots.size;
  const follows = new Set<number>();
  for (let i = 0; i + 1 < terms.length; i++)
    follows.add(slots.get(terms[i]!)! * width + slots.get(terms[i + 1]!)!);
  let best = 1;
  let run = 1;
  for (let i = 1; i < hits.length; i++) {
    const [before, hit] = [hits[i - 1]!, hits[i]!];
    run = hit.at === before.at + 1 && follows.has(before.slot * width + hit.slot) ? run + 1 : 1;
    best = Math.max(best, run);
  }
  return ratio(best, Math.min(LONG_RUN, terms.length));
}

function title(reading: Reading, hits: readonly Hit[], titleLength: number): number {
  const named = new Set<number>();
  for (const { at, slot } of hits) if (at < titleLength) named.add(slot);
  const share = saturated(1, titleLength, USUAL_TITLE);
  return covered(reading, (slot) => (named.has(slot) ? share : 0));
}

const ratio = (part: number, whole: number) => (whole === 0 ? 0 : Math.min(1, part / whole));
