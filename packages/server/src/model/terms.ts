/**
 * The words of a text, for the index, the query, the reranker and the embedder alike: they find
 * each other only as long as all of them cut and stem in the same way.
 *
 * Compatibility forms and accents are folded, camelCase is split, everything else than letters and
 * digits separates, English is stemmed (Porter). Scripts that put no spaces between words give
 * overlapping pairs of characters. Any change here is a new TERMS_VERSION.
 */
import { fnv1a } from './hash.ts';
import { eachWordOf, LONGEST, toWord, type Word } from './word-table.ts';

/** Part of the recipe: another version means indexing and embedding again. */
export const TERMS_VERSION = 'terms-1';

const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}' +
  '\\p{Script=Khmer}\\p{Script=Myanmar}';
const UNSPACED_RUN = new RegExp(`^[${UNSPACED}]`, 'v');
const RUN = new RegExp(`[${UNSPACED}]+|[[\\p{L}\\p{N}]--[${UNSPACED}]]+`, 'gv');
const MARKS = /\p{M}+/gu;

/** Calls back for each word, in order. */
function eachWord(text: string, visit: (word: Word) => void): void {
  eachWordOf(text, visit, (run) => {
    for (const word of otherWords(run)) visit(known(word));
  });
}

/** Lower-cased and folded, in order. */
export function words(text: string): string[] {
  const found: string[] = [];
  eachWord(text, (word) => found.push(word.text));
  return found;
}

/** Of any script. */
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

/** The marks go before normalization too: sorting a long run of them takes quadratic time. */
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
 * Longer words are slices that would keep their whole text alive as long as the cache, and they are
 * few.
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

/** With the stop words: what is embedded. */
export function stems(text: string): string[] {
  const found: string[] = [];
  eachWord(text, (word) => found.push(word.stem));
  return found;
}

/** Without stop words: what is indexed and what a query looks for. */
export function terms(text: string): string[] {
  const found: string[] = [];
  // Stop words are recognized unstemmed: some of their stems are stems of other words too.
  eachWord(text, (word) => {
    if (!word.isStop) found.push(word.stem);
  });
  return found;
}

/**
 * Terms as the ranking compares them: those of a chunk are kept beside it, so that no search cuts its text into
 * words again. Of any two terms one pair in 2^32 has the same number; then each counts as the other.
 */
export function termNumbers(terms: readonly string[]): Uint32Array {
  const numbers = new Uint32Array(terms.length);
  for (let i = 0; i < terms.length; i++) numbers[i] = fnv1a(terms[i]!);
  return numbers;
}

/** What the word arm indexes for a piece of the document `name`. */
export const indexTerms = (piece: {
  readonly name: string;
  readonly heading: string | null;
  readonly text: string;
}): string[] => terms(`${piece.name}\n${piece.heading ?? ''}\n${piece.text}`);
