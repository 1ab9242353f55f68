/** Where a chunk has the terms of a question. */
import type { Terms } from './digest.ts';
import type { Question } from './question.ts';

/** Where a chunk has what is looked for, in the order of the chunk; only the first `count` count. */
export interface Hits {
  count: number;
  /** In terms; the title comes first. */
  readonly at: number[];
  /** What is there: a number of the question, or a slot of a reading. */
  readonly what: number[];
}

const MAYBE = 2048;

/** Gives the terms of the question that a chunk has; what it gives holds until the next chunk. */
export function createLocator({ numbers }: Question): (chunk: Terms) => Hits {
  let known: Terms['vocabulary'] | undefined;
  let size = 0;
  /** From the number in the vocabulary to the number in the question. */
  let wanted = new Map<number, number>();
  /** By the last bits of a number: almost every term is none of the question's. */
  const maybe = new Uint8Array(MAYBE);
  const hits: Hits = { count: 0, at: [], what: [] };
  return ({ terms, vocabulary }) => {
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
    hits.count = 0;
    const { length } = terms;
    for (let i = 0; i < length; i++) {
      const term = terms[i]!;
      if (maybe[term % MAYBE] === 0) continue;
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
