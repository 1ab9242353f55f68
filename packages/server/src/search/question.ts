/**
 * Describes a query as the ranking sees it: its terms in order, and the weight of each term in this collection.
 *
 * A reading is one way to write the query. The first reading is the query itself, and expansion adds others. A chunk is
 * scored by the reading that it fits best.
 */
import type { Statistics } from '../engines/ports.ts';
import { must } from '../util.ts';

export interface Question {
  readonly readings: readonly Reading[];
  /** Each distinct term of all readings has a number. */
  readonly numbers: ReadonlyMap<string, number>;
  /** A chunk has this many terms on average; the number is never 0. */
  readonly averageLength: number;
}

export interface Reading {
  /** The terms stand in order, with repetitions. */
  readonly terms: readonly string[];
  /** A slot is the position of a distinct term in the arrays `idf`, `weights` and `counts`. */
  readonly slots: ReadonlyMap<string, number>;
  /** The index is the number of a term. The value is the slot of the term, or -1 when only other readings have it. */
  readonly slotsByNumber: readonly number[];
  readonly idf: readonly number[];
  /** A weight is the idf, but less for words that carry little meaning in any collection. */
  readonly weights: readonly number[];
  /** A count says how often the reading has the term. */
  readonly counts: readonly number[];
  /** Scores by this reading are multiplied by this factor: 1, or less when a model has written the reading. */
  readonly factor: number;
}

export interface QuestionInputs {
  readonly statistics: Statistics;
  /** The statistics count these terms, in this order. All terms of the readings are among them. */
  readonly countedTerms: readonly string[];
  /** Returns how much meaning a term carries in any collection, which is usually 1. */
  readonly weightOf: (term: string) => number;
  /** This many of the first readings come from the query itself; a model wrote the others. By default, no model wrote any. */
  readonly ownCount?: number;
}

/** This factor ranks a chunk with the words of the query before a chunk with the words of a model. */
const FACTOR_OF_MODEL = 0.8;

export function createQuestion(
  readings: readonly (readonly string[])[],
  { statistics, countedTerms, weightOf, ownCount = readings.length }: QuestionInputs,
): Question {
  const idf = new Map(
    countedTerms.map((term, i) => [
      term,
      inverseFrequency(statistics.chunks, statistics.documentFrequencies[i] ?? 0),
    ]),
  );
  const numbers = new Map(termsOf(readings).map((term, number) => [term, number]));
  return {
    readings: readings.map((terms, i) => ({
      ...toReading(terms, { numbers, idf, weightOf }),
      factor: i < ownCount ? 1 : FACTOR_OF_MODEL,
    })),
    numbers,
    averageLength: Math.max(1, statistics.averageLength),
  };
}

export const termsOf = (readings: readonly (readonly string[])[]): string[] => [
  ...new Set(readings.flat()),
];

/** Returns the inverse document frequency of BM25, which is positive even for a term that every chunk has. */
export const inverseFrequency = (chunks: number, frequency: number) =>
  Math.log(1 + (Math.max(chunks, frequency) - frequency + 0.5) / (frequency + 0.5));

interface TermWeights extends Pick<Question, 'numbers'>, Pick<QuestionInputs, 'weightOf'> {
  /** The key is a term. */
  readonly idf: ReadonlyMap<string, number>;
}

function toReading(
  terms: readonly string[],
  { numbers, idf: idfOf, weightOf }: TermWeights,
): Omit<Reading, 'factor'> {
  const slots = new Map<string, number>();
  const idf: number[] = [];
  const weights: number[] = [];
  const counts: number[] = [];
  for (const term of terms) {
    const slot = slots.get(term);
    if (slot !== undefined) {
      counts[slot]!++;
      continue;
    }
    slots.set(term, idf.length);
    const termIdf = must(idfOf.get(term));
    idf.push(termIdf);
    weights.push(termIdf * weightOf(term));
    counts.push(1);
  }
  const slotsByNumber = [...numbers.keys()].map((term) => slots.get(term) ?? -1);
  return { terms, slots, slotsByNumber, idf, weights, counts };
}
