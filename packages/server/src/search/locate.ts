/** Finds where a chunk has the terms of a question. */
import { termNumbers } from '../model/terms.ts';
import type { Terms } from './digest.ts';
import type { Question } from './question.ts';

/**
 * Hits say where a chunk has the terms of a question, in the order of the chunk; only the first `count` are valid.
 */
export interface Hits {
  count: number;
  /** A position is a number of terms from the beginning of the chunk, whose title comes first. */
  readonly at: number[];
  /** A term is named by its number in the question; in the hits of one reading, by its slot. */
  readonly what: number[];
}

/** The size must be a power of two. */
const MAYBE = 2048;
/** A mask is faster than `%`, which divides: half of the numbers are too large for the small integers of V8. */
const LAST_BITS = MAYBE - 1;

/**
 * Returns a function that finds the terms of the question in a chunk. Its result is valid until the next chunk.
 */
export function createLocator({ numbers }: Question): (chunk: Terms) => Hits {
  const terms = termNumbers([...numbers.keys()]);
  /** The map leads from the number of a term to the term's number in the question. */
  const wanted = new Map([...numbers.values()].map((number, i) => [terms[i]!, number]));
  /**
   * The table has 1 at the last bits of each wanted term. It saves most look-ups, because almost no term of a chunk
   * is a term of the question.
   */
  const maybe = new Uint8Array(MAYBE);
  for (const term of terms) maybe[term & LAST_BITS] = 1;
  const hits: Hits = { count: 0, at: [], what: [] };
  return ({ terms }) => {
    hits.count = 0;
    const { length } = terms;
    for (let i = 0; i < length; i++) {
      const term = terms[i]!;
      if (maybe[term & LAST_BITS] === 0) continue;
      const found = wanted.get(term);
      if (found !== undefined) add(hits, i, found);
    }
    return hits;
  };
}

export function add(hits: Hits, at: number, what: number): void {
  hits.at[hits.count] = at;
  hits.what[hits.count] = what;
  hits.count++;
}
