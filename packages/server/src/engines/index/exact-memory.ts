/**
 * Holds a collection in memory and searches it by brute force: without approximation or other optimization, so
 * that a reader can see that its answers are right.
 */
import { cosine, quantize, type Vector } from '../../model/vector.ts';
import type { Totals } from '../ports.ts';
import { bestOf, type ScoredPosition } from './best.ts';
import { inverseFrequency, saturated } from './bm25.ts';
import type { PartQuery, ScoredNumber } from './union.ts';

export interface ExactChunk {
  readonly n: number;
  readonly connection: string;
  readonly vector: Vector;
  readonly terms: readonly string[];
}

interface HeldChunk {
  readonly connection: string;
  readonly vector: Vector;
  /** The length is in terms. */
  readonly length: number;
  /** The array holds pairs: the number of a term, and how often the chunk has this term. */
  readonly counts: Uint32Array;
}

type WordsAsked = Extract<PartQuery['arm'], { readonly terms: readonly string[] }>;

/** The positions are numbers of chunks. */
const toScored = ({ position, score }: ScoredPosition): ScoredNumber => ({ n: position, score });

type ChunkTest = (n: number, connection: string) => boolean;

/** Returns the bytes that this many chunks take in memory, with this many terms in all. */
export const exactBytes = (dimensions: number, chunks: number, terms: number): number =>
  chunks * (dimensions + 400) + terms * 10;

export function createExactMemory() {
  /** Maps the number of each chunk to the chunk, in ascending order. */
  const chunks = new Map<number, HeldChunk>();
  const termNumbers = new Map<string, number>();

  const termNumber = (term: string): number => {
    let number = termNumbers.get(term);
    if (number === undefined) {
      number = termNumbers.size;
      termNumbers.set(term, number);
    }
    return number;
  };

  /** Returns an array that holds, for the number of a term, its position in `terms` plus one, or 0. */
  const positions = (terms: readonly string[]): Uint32Array => {
    const wanted = new Uint32Array(termNumbers.size);
    terms.forEach((term, position) => {
      const number = termNumbers.get(term);
      if (number !== undefined) wanted[number] = position + 1;
    });
    return wanted;
  };

  /** Returns how often the chunk has each of the terms, or undefined when it has none of them. */
  const frequencies = (chunk: HeldChunk, wanted: Uint32Array, count: number) => {
    let found: number[] | undefined;
    for (let i = 0; i < chunk.counts.length; i += 2) {
      const position = wanted[chunk.counts[i]!]!;
      if (position === 0) continue;
      found ??= new Array<number>(count).fill(0);
      found[position - 1] = chunk.counts[i + 1]!;
    }
    return found;
  };

  return {
    /** Chunks come in ascending order of their numbers. */
    add({ n, connection, vector, terms }: ExactChunk): void {
      const counts = new Map<number, number>();
      for (const term of terms) {
        const number = termNumber(term);
        counts.set(number, (counts.get(number) ?? 0) + 1);
      }
      const pairs = Uint32Array.from([...counts].flat());
      chunks.set(n, { connection, vector, length: terms.length, counts: pairs });
    },

    remove(n: number): void {
      chunks.delete(n);
    },

    /** Yields the chunks between two numbers (both excluded), in order. */
    *between(after: number, end: number) {
      for (const [n, { connection, vector }] of chunks)
        if (n > after && n < end) yield { n, connection, vector };
    },

    /** Sums up the chunks for which `counts` is true. */
    totals(counts: ChunkTest): Totals {
      let all = 0;
      let terms = 0;
      for (const [n, chunk] of chunks)
        if (counts(n, chunk.connection)) {
          all++;
          terms += chunk.length;
        }
      return { chunks: all, terms };
    },

    /** Returns for each term how many chunks have it, among those for which `counts` is true. */
    documentFrequencies(terms: readonly string[], counts: ChunkTest): number[] {
      const distinct = [...new Set(terms)];
      const wanted = positions(distinct);
      const totals = new Map(distinct.map((term) => [term, 0]));
      for (const [n, chunk] of chunks)
        if (counts(n, chunk.connection))
          frequencies(chunk, wanted, distinct.length)?.forEach((frequency, position) => {
            const term = distinct[position]!;
            if (frequency > 0) totals.set(term, totals.get(term)! + 1);
          });
      return terms.map((term) => totals.get(term)!);
    },

    /**
     * Returns the chunks that `pass` lets through and that have one of the (distinct) terms, best first. The weights of
     * words are the common ones, or come from the chunks for which `counts` is true.
     */
    byWords(
      { terms, common }: WordsAsked,
      depth: number,
      pass: ChunkTest,
      counts: ChunkTest,
    ): ScoredNumber[] {
      const wanted = positions(terms);
      const holding = new Array<number>(terms.length).fill(0);
      const matches: { n: number; chunk: HeldChunk; found: number[] }[] = [];
      for (const [n, chunk] of chunks) {
        const found = counts(n, chunk.connection) && frequencies(chunk, wanted, terms.length);
        if (!found) continue;
        matches.push({ n, chunk, found });
        found.forEach((frequency, position) => {
          if (frequency > 0) holding[position]!++;
        });
      }
      const totals = common?.totals ?? this.totals(counts);
      const average = totals.terms / totals.chunks;
      const idf = terms.map((term, i) =>
        inverseFrequency(totals.chunks, common?.frequencies.get(term) ?? holding[i]!),
      );
      const best = bestOf(depth);
      for (const { n, chunk, found } of matches) {
        let score = 0;
        for (let i = 0; i < found.length; i++)
          score += idf[i]! * saturated(found[i]!, chunk.length, average);
        if (score > best.least() && pass(n, chunk.connection)) best.add(n, score);
      }
      return best.take().map(toScored);
    },

    /** Returns the chunks whose cosine with the query is above 0, best first. */
    byVector(query: Float32Array, depth: number, pass: ChunkTest): ScoredNumber[] {
      const quantized = quantize(query);
      const best = bestOf(depth);
      for (const [n, chunk] of chunks) {
        const score = cosine(chunk.vector, quantized);
        if (score > Math.max(0, best.least()) && pass(n, chunk.connection)) best.add(n, score);
      }
      return best.take().map(toScored);
    },
  };
}
