/**
 * The index, the query, the reranker and the embedder all take the words of a text from here: they find each
 * other only as long as all of them cut and stem in the same way.
 *
 * Compatibility forms and accents are folded, camelCase is split, every character that is not a letter or a
 * digit separates words, and English is stemmed (Porter). Scripts that put no spaces between words give
 * overlapping pairs of characters. Any change here is a new TERMS_VERSION.
 */
import { fnv1a } from './hash.ts';
import { eachWordOf, LONGEST, toWord, type Word } from './word-table.ts';

/** The version is a part of the recipe: with another version, everything is indexed and embedded again. */
export const TERMS_VERSION = 'terms-1';

const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}' +
  '\\p{Script=Khmer}\\p{Script=Myanmar}';
const UNSPACED_RUN = new RegExp(`^[${UNSPACED}]`, 'v');
const RUN = new RegExp(`[${UNSPACED}]+|[[\\p{L}\\p{N}]--[${UNSPACED}]]+`, 'gv');
const MARKS = /\p{M}+/gu;

/** Calls `visit` for each word, in order. */
function eachWord(text: string, visit: (word: Word) => void): void {
  eachWordOf(text, visit, (run) => {
    for (const word of otherWords(run)) visit(known(word));
  });
}

/** Returns the words in order, folded and in lower case. */
export function words(text: string): string[] {
  const found: string[] = [];
  eachWord(text, (word) => found.push(word.text));
  return found;
}

/** Returns the words of a text in any script. */
function otherWords(text: string): string[] {
  const lower = fold(text)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase();
  const found: string[] = [];
  for (const run of lower.match(RUN) ?? []) {
    if (UNSPACED_RUN.test(run)) pushPairs(run, found);
    else found.push(run.length > LONGEST ? shortened(run) : run);
  }
  return found;
}

/**
 * The marks are removed before normalization as well, because sorting a long run of them takes quadratic time.
 */
const fold = (text: string): string => text.replace(MARKS, '').normalize('NFKD').replace(MARKS, '');

/** A surrogate pair is kept or dropped as a whole. */
const shortened = (word: string): string =>
  word.slice(0, word.codePointAt(LONGEST - 1)! > 0xffff ? LONGEST - 1 : LONGEST);

function pushPairs(run: string, found: string[]): void {
  let before = '';
  let pairs = 0;
  for (const character of run) {
    if (before !== '') {
      found.push(before + character);
      pairs++;
    }
    before = character;
  }
  if (pairs === 0) found.push(run);
}

/**
 * Words beyond this length are not cached. They are slices, which would keep their whole text in memory as long as
 * the cache lives, and they are few.
 */
const LONGEST_CACHED = 12;
const CACHE_SIZE = 50_000;
const cache = new Map<string, Word>();

function known(text: string): Word {
  const cached = cache.get(text);
  if (cached) return cached;
  const word = toWord(text);
  if (text.length <= LONGEST_CACHED) {
    if (cache.size >= CACHE_SIZE) cache.clear();
    cache.set(text, word);
  }
  return word;
}

/** Returns the stems that are embedded, with those of stop words. */
export function stems(text: string): string[] {
  const found: string[] = [];
  eachWord(text, (word) => found.push(word.stem));
  return found;
}

/** Returns the stems that are indexed and that a query looks for, without those of stop words. */
export function terms(text: string): string[] {
  const found: string[] = [];
  // Stop words are recognized before stemming, because some of their stems are stems of other words, too.
  eachWord(text, (word) => {
    if (!word.isStop) found.push(word.stem);
  });
  return found;
}

/**
 * Returns terms as the ranking compares them. The numbers of a chunk are kept beside it, so that no search cuts
 * its text into words again. Of all pairs of terms, one in 2^32 has the same number; then each counts as the
 * other.
 */
export function termNumbers(terms: readonly string[]): Uint32Array {
  const numbers = new Uint32Array(terms.length);
  for (let i = 0; i < terms.length; i++) numbers[i] = fnv1a(terms[i]!);
  return numbers;
}

/** Returns the terms that the word arm indexes for a piece of the document `name`. */
export const indexTerms = (piece: {
  readonly name: string;
  readonly heading: string | null;
  readonly text: string;
}): string[] => terms(`${piece.name}\n${piece.heading ?? ''}\n${piece.text}`);
