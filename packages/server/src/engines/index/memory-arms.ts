/**
 * Finds the candidates of both arms of a search in the copy of the collection in memory. The weight of a word depends only
 * on the chunks that the asker may see.
 */
import { termNumber } from '../../model/terms.ts';
import { frequenciesOf, type Weights } from './masks.ts';
import type { VectorQuestion, WordsQuestion } from './reader.ts';
import { nearest, type Resident } from './residents.ts';
import type { ScoredNumber } from './union.ts';
import { bestByWords, held } from './word-scores.ts';

export function wordsInMemory(
  resident: Resident,
  { terms, depth, pass, weights, common }: WordsQuestion,
): ScoredNumber[] {
  const { counts, frequencies } = weights;
  function* lists() {
    for (const term of terms) {
      const list = held(resident, termNumber(term), counts);
      frequencies.set(term, list.slots.length);
      yield { ...list, chunks: common?.frequencies.get(term) };
    }
  }
  return bestByWords(resident, common?.totals ?? weights.totals, lists(), depth, pass);
}

export const vectorsInMemory = (
  resident: Resident,
  { vector, query, pass }: VectorQuestion,
): ScoredNumber[] => nearest(resident, vector, query.depth, pass);

export const frequenciesInMemory = (
  resident: Resident,
  terms: readonly string[],
  weights: Weights,
): Promise<Map<string, number>> =>
  frequenciesOf(terms, weights, async (unknown) =>
    unknown.map((term) => held(resident, termNumber(term), weights.counts).slots.length),
  );
