/**
 * The index, the query, the reranker and the embedder all get the words of a text from this file, because a search
 * works only if all of them split and stem texts in the same way.
 *
 * Compatibility forms and accents are removed, camelCase is split, every character that is not a letter or a digit
 * separates words, and English words are stemmed (Porter). In scripts without spaces between words, the words are
 * overlapping pairs of characters. Any change here needs a new TERMS_VERSION.
 */
import { fnv1a } from './hash.ts';
import { eachWordOf, LONGEST_WORD, toWord, type Word } from './word-table.ts';

/** The version is a part of the recipe: after a change of the version, everything is indexed and embedded again. */
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
    for (const word of otherWords(run)) visit(cachedWord(word));
  });
}

/** Returns the words in order, in lower case and without accents. */
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
    else found.push(run.length > LONGEST_WORD ? shortened(run) : run);
  }
  return found;
}

/** The marks are also removed before the normalization, because normalizing a long run of them takes quadratic time. */
const fold = (text: string): string => text.replace(MARKS, '').normalize('NFKD').replace(MARKS, '');

/** Shortens a word to LONGEST_WORD without dividing a surrogate pair. */
const shortened = (word: string): string =>
  word.slice(0, word.codePointAt(LONGEST_WORD - 1)! > 0xffff ? LONGEST_WORD - 1 : LONGEST_WORD);

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
 * Words with more characters are not cached, because they are slices of their text and would keep the whole text in
 * memory. Most words have fewer.
 */
const LONGEST_CACHED = 12;
const CACHE_SIZE = 50_000;
const cache = new Map<string, Word>();

function cachedWord(text: string): Word {
  const cached = cache.get(text);
  if (cached) return cached;
  const word = toWord(text);
  if (text.length <= LONGEST_CACHED) {
    if (cache.size >= CACHE_SIZE) cache.clear();
    cache.set(text, word);
  }
  return word;
}

/** Returns the stems for the embedding, including those of stop words. */
export function stems(text: string): string[] {
  const found: string[] = [];
  eachWord(text, (word) => found.push(word.stem));
  return found;
}

/** Returns the stems for the index and for queries, without those of stop words. */
export function terms(text: string): string[] {
  const found: string[] = [];
  // Stop words are recognized before stemming, because other words may have the same stem.
  eachWord(text, (word) => {
    if (!word.isStop) found.push(word.stem);
  });
  return found;
}

/**
 * Returns a number for each term. The ranking compares these numbers. They are stored with a chunk, so that a search
 * does not have to split its text into words again. Two different terms have the same number with a probability of 1 in
 * 2^32; then they count as the same term.
 */
export function termNumbers(terms: readonly string[]): Uint32Array {
  const numbers = new Uint32Array(terms.length);
  for (let i = 0; i < terms.length; i++) numbers[i] = termNumber(terms[i]!);
  return numbers;
}

export const termNumber: (term: string) => number = fnv1a;
