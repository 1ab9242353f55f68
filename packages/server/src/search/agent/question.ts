/**
 * Takes a question apart without a language model: into sentences, into the sides of an "and" when both have
 * enough words, into quoted phrases, and into names (identifiers, words written with a capital letter inside a
 * sentence). The weight of a term is its inverse document frequency in the collection.
 */
import type { Words } from '../../engines/embedder/words.ts';
import type { Statistics } from '../../engines/ports.ts';
import { terms, words } from '../../model/terms.ts';
import { inverseFrequency } from '../question.ts';

interface QuestionPart {
  readonly text: string;
  readonly terms: readonly string[];
}

export interface AgentQuestion {
  readonly text: string;
  /** The terms are distinct. */
  readonly terms: readonly string[];
  /** There is at least one part; it is the whole question when the question cannot be taken apart. */
  readonly parts: readonly QuestionPart[];
  /** Quoted phrases come first, then names. */
  readonly mentions: readonly string[];
  /** The weight is 0 for a term that the question does not have. */
  readonly weight: (term: string) => number;
  readonly words: Words;
}

const MAX_PARTS = 4;
const MAX_MENTIONS = 3;
/** A part with fewer words that carry meaning is not worth a search of its own. */
const FEWEST_TERMS = 2;

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });
const JOINED = /\s*;\s*|,?\s+(?:and|or|as well as|versus|vs\.?|compared (?:to|with))\s+/iu;
const QUOTED = /"([^"\n]{2,200})"|“([^”\n]{2,200})”/gu;
/**
 * Each alternative matches only where a run of its characters begins, because a search from every character of a long
 * word would take quadratic time.
 */
const IDENTIFIER =
  /(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:[._/:-][\p{L}\p{N}]+)+|(?<!\p{Ll})\p{Ll}+\p{Lu}[\p{L}\p{N}]*|(?<!\p{L})\p{L}+\p{N}[\p{L}\p{N}]*/gu;
const CAPITALIZED = /(?<=[\p{L}\p{N},] )\p{Lu}[\p{L}\p{N}]+(?: \p{Lu}[\p{L}\p{N}]+)*/gu;

/** `statistics` are those of the terms of `text`, in the order of `termsIn`. */
export function understand(text: string, statistics: Statistics, words: Words): AgentQuestion {
  const all = termsIn(text);
  const weights = new Map(
    all.map((term, i) => [
      term,
      inverseFrequency(statistics.chunks, statistics.documentFrequencies[i] ?? 0),
    ]),
  );
  const parts = partsOf(text);
  return {
    text,
    terms: all,
    parts: parts.length > 1 ? parts : [{ text, terms: all }],
    mentions: mentionsOf(text),
    weight: (term) => weights.get(term) ?? 0,
    words,
  };
}

export const termsIn = (text: string): string[] => [...new Set(terms(text))];

/** Returns the words of a text whose stems are among the terms, as they are written in the text. */
export const wordsOf = (text: string, wanted: ReadonlySet<string>): string =>
  [...new Set(words(text))]
    .filter((word) => terms(word).some((term) => wanted.has(term)))
    .join(' ');

function partsOf(text: string): QuestionPart[] {
  const found = [...sentences.segment(text)]
    // A long run of blanks would take quadratic time.
    .flatMap(({ segment }) => joinedParts(segment.replace(/\s+/g, ' ').trim()))
    .filter((part) => part.terms.length >= FEWEST_TERMS);
  return distinct(found, (part) => part.terms.join(' ')).slice(0, MAX_PARTS);
}

/** Splits a sentence at a conjunction only where both sides have enough words that carry meaning. */
function joinedParts(sentence: string): QuestionPart[] {
  const parts: QuestionPart[] = [];
  for (const piece of sentence.split(JOINED)) {
    const part = { text: piece, terms: termsIn(piece) };
    const before = parts.at(-1);
    if (before && (isShort(part) || isShort(before))) {
      const text = `${before.text} ${piece}`;
      parts[parts.length - 1] = { text, terms: termsIn(text) };
    } else parts.push(part);
  }
  return parts;
}

const isShort = (part: QuestionPart) => part.terms.length < FEWEST_TERMS;

function mentionsOf(text: string): string[] {
  const quoted = [...text.matchAll(QUOTED)].map(([, straight, curly]) => straight ?? curly ?? '');
  const rest = text.replace(QUOTED, ' " ');
  const names = [...rest.matchAll(IDENTIFIER), ...rest.matchAll(CAPITALIZED)].map(([name]) => name);
  const known = [...quoted, ...names].filter((mention) => termsIn(mention).length > 0);
  return distinct(known, (mention) => termsIn(mention).join(' ')).slice(0, MAX_MENTIONS);
}

function distinct<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
