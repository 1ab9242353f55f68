/**
 * The words of a text, for the index, the query, the reranker and the embedder alike: they find
 * each other only as long as all of them cut and stem in the same way.
 *
 * Compatibility forms and accents are folded, camelCase is split, everything else than letters and
 * digits separates, English is stemmed (Porter). Scripts that put no spaces between words give
 * overlapping pairs of characters. Any change here is a new TERMS_VERSION.
 */
import { stemmer } from 'stemmer';

/** Part of the recipe: another version means indexing and embedding again. */
export const TERMS_VERSION = 'terms-1';

/** Longer words are binary rubbish or encoded data; their beginning identifies them well enough. */
const LONGEST = 64;

const STOP_WORDS = new Set(
  (
    'a an and are as at be but by for if in into is it no not of on or such that the their then ' +
    'there these they this to was will with from have has had were which what who whom when ' +
    'where how why do does did can could should would may might i you he she we his her its our ' +
    'your my me him them us been being than so very also about all any each more most other some ' +
    'only own same too just during before after above below up down out off over under again ' +
    'further once here both few nor s t don now'
  ).split(' '),
);

export const isStopWord = (word: string): boolean => STOP_WORDS.has(word);

const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}' +
  '\\p{Script=Khmer}\\p{Script=Myanmar}';
const UNSPACED_RUN = new RegExp(`^[${UNSPACED}]`, 'v');
const RUN = new RegExp(`[${UNSPACED}]+|[[\\p{L}\\p{N}]--[${UNSPACED}]]+`, 'gv');
const MARKS = /\p{M}+/gu;

/** Lower-cased and folded, in order. */
export function words(text: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: asks for ASCII
  const ascii = /^[\x00-\x7f]*$/.test(text);
  const lower = (ascii ? text : fold(text))
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase();
  const found: string[] = [];
  for (const run of lower.match(ascii ? /[a-z0-9]+/g : RUN) ?? []) {
    if (!ascii && UNSPACED_RUN.test(run)) pushPairs(run, found);
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
const cache = new Map<string, string>();

export function stem(word: string): string {
  const known = cache.get(word);
  if (known !== undefined) return known;
  const stemmed = /^[a-z]{3,}$/.test(word) ? stemmer(word) : word;
  if (word.length <= LONGEST_CACHED) {
    if (cache.size >= CACHE_SIZE) cache.clear();
    cache.set(word, stemmed);
  }
  return stemmed;
}

/** With the stop words: what is embedded. */
export function stems(text: string): string[] {
  const found = words(text);
  for (let i = 0; i < found.length; i++) found[i] = stem(found[i]!);
  return found;
}

/** Without them: what is indexed and what a query looks for. */
export function terms(text: string): string[] {
  const found: string[] = [];
  // Stop words are recognized unstemmed: some of their stems are stems of other words too.
  for (const word of words(text)) if (!STOP_WORDS.has(word)) found.push(stem(word));
  return found;
}

/** What the word arm indexes for a piece of the document `name`. */
export const indexTerms = (piece: {
  readonly name: string;
  readonly heading: string | null;
  readonly text: string;
}): string[] => terms(`${piece.name}\n${piece.heading ?? ''}\n${piece.text}`);
