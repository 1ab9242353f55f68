/**
 * Expands a query without a language model by words that the collection writes together or apart ("web hook" and
 * "webhook"). It adds only forms that the collection has, so that a query that shares no word with the collection
 * in any form still finds nothing.
 */
import type { Statistics } from '../engines/ports.ts';
import { words } from '../model/terms.ts';
import { isStopWord, stem } from '../model/word-table.ts';
import { termsOf } from './question.ts';

/** A query with more words is not expanded, because it has enough words by itself. */
const LONGEST_QUERY = 12;
const SHORTEST_PART = 3;

interface QueryWord {
  readonly term: string;
  /** This is the stem of the word and the next word written together. */
  readonly joined: string | null;
  readonly splits: readonly (readonly [string, string])[];
}

export interface Variants {
  /** These are the terms of the query itself, which are the first reading. */
  readonly terms: readonly string[];
  /** `readingsOf` needs the statistics of these terms. */
  readonly countedTerms: readonly string[];
  readonly words: readonly QueryWord[];
}

export function variantsOf(query: string, expand: boolean): Variants {
  const content = words(query).filter((word) => !isStopWord(word));
  const terms = content.map(stem);
  if (!expand || content.length > LONGEST_QUERY)
    return { terms, countedTerms: termsOf([terms]), words: [] };
  const variants = content.map((word, i) => toWord(word, content[i + 1]));
  const more = variants.flatMap(({ joined, splits }) => [joined ?? [], splits.flat()].flat());
  return { terms, countedTerms: termsOf([terms, more]), words: variants };
}

function toWord(word: string, next: string | undefined): QueryWord {
  const splits: [string, string][] = [];
  if (/^[a-z]+$/.test(word))
    for (let at = SHORTEST_PART; at <= word.length - SHORTEST_PART; at++)
      splits.push([stem(word.slice(0, at)), stem(word.slice(at))]);
  return { term: stem(word), joined: next === undefined ? null : stem(word + next), splits };
}

/**
 * Returns the terms of the query. If the collection writes some of these words together or apart, it also returns a
 * second reading, in which they are written as in the collection.
 */
export function readingsOf(variants: Variants, statistics: Statistics): (readonly string[])[] {
  const frequency = new Map(
    variants.countedTerms.map((term, i) => [term, statistics.documentFrequencies[i] ?? 0]),
  );
  const frequencyOf = (term: string) => frequency.get(term) ?? 0;
  const reading: string[] = [];
  let varied = false;
  for (let i = 0; i < variants.words.length; i++) {
    const { term, joined, splits } = variants.words[i]!;
    const split = frequencyOf(term) === 0 ? bestSplit(splits, frequencyOf) : undefined;
    if (joined !== null && frequencyOf(joined) > 0) {
      reading.push(joined);
      i++;
    } else reading.push(...(split ?? [term]));
    varied ||= reading.at(-1) !== term;
  }
  return varied ? [variants.terms, reading] : [variants.terms];
}

/** Finds the split whose parts are both words of the collection and whose rarer part is the most frequent. */
function bestSplit(
  splits: QueryWord['splits'],
  frequencyOf: (term: string) => number,
): readonly [string, string] | undefined {
  let best: readonly [string, string] | undefined;
  let most = 0;
  for (const split of splits) {
    const frequency = Math.min(frequencyOf(split[0]), frequencyOf(split[1]));
    if (frequency <= most) continue;
    best = split;
    most = frequency;
  }
  return best;
}
