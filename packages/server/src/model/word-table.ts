/**
 * Finds the words of plain text quickly: without a regular expression for each word, and without a new string for a
 * word that is already in the table. terms.ts defines what a word is. For a text without OTHER characters, both files
 * find the same words.
 */
import { stemmer } from 'stemmer';

export interface Word {
  /** This is the word in lower case. */
  readonly text: string;
  readonly stem: string;
  /** If true, the word is very common and has no meaning by itself. */
  readonly isStop: boolean;
}

/**
 * A longer word is shortened to this length. It is usually encoded data, and its beginning identifies it well enough.
 */
export const LONGEST_WORD = 64;

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

/** Stems English words (Porter). All other words are their own stems. */
export const stem = (word: string): string => (/^[a-z]{3,}$/.test(word) ? stemmer(word) : word);

export const toWord = (text: string): Word => ({
  text,
  stem: stem(text),
  isStop: STOP_WORDS.has(text),
});

/** Each character is of one of these kinds. */
const OTHER = 0;
const SPACE = 1;
const SEPARATOR = 2;
const UPPER = 3;
const LOWER = 4;
const DIGIT = 5;

/** Maps a character to its kind. Outside ASCII, it has only separators that are frequent in prose. */
const KINDS = new Uint8Array(0x2027);
for (let unit = 0; unit < KINDS.length; unit++) {
  const character = String.fromCharCode(unit);
  if (/[a-z]/.test(character)) KINDS[unit] = LOWER;
  else if (/[A-Z]/.test(character)) KINDS[unit] = UPPER;
  else if (/[0-9]/.test(character)) KINDS[unit] = DIGIT;
  else if (/[ \n]/.test(character)) KINDS[unit] = SPACE;
  else if (unit < 0x80 || /[\u00a0\u00ab\u00b7\u00bb\u2010-\u2026]/.test(character))
    KINDS[unit] = SEPARATOR;
}

/**
 * The hash table of words has 2^17 slots, of which at most half are filled. It has only words of at most
 * LONGEST_IN_TABLE characters.
 */
const SLOTS = 131_072;
const MAX_WORDS = SLOTS / 2;
const LONGEST_IN_TABLE = 24;
const hashes = new Int32Array(SLOTS);
const tableWords: (Word | undefined)[] = new Array(SLOTS);
let count = 0;

/**
 * Calls `visit` for each word, in order. `visitOther` gets each stretch between two spaces that contains an OTHER
 * character; the caller splits it. The words of a stretch do not depend on the text around it.
 */
export function eachWordOf(
  text: string,
  visit: (word: Word) => void,
  visitOther: (run: string) => void,
): void {
  let done = 0;
  for (let i = 0; i < text.length; i++) {
    if (kindAt(text, i) !== OTHER) continue;
    let start = i;
    while (start > done && kindAt(text, start - 1) !== SPACE) start--;
    while (i < text.length && kindAt(text, i) !== SPACE) i++;
    eachPlainWord(text, { from: done, to: start }, visit);
    visitOther(text.slice(start, i));
    done = i;
  }
  eachPlainWord(text, { from: done, to: text.length }, visit);
}

const kindAt = (text: string, i: number): number => KINDS[text.charCodeAt(i)] ?? OTHER;

function eachPlainWord(
  text: string,
  { from, to }: { readonly from: number; readonly to: number },
  visit: (word: Word) => void,
): void {
  let start = -1;
  let hash = 0;
  let before = SPACE;
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i);
    const kind = KINDS[unit]!;
    if (start >= 0 && (kind < UPPER || (kind === UPPER && beginsWord(text, i, before)))) {
      visit(wordAt(text, { start, end: i, hash }));
      start = -1;
    }
    if (kind >= UPPER) {
      if (start < 0) {
        start = i;
        hash = 0;
      }
      hash = (Math.imul(hash, 31) + (unit | 0x20)) | 0;
    }
    before = kind;
  }
  if (start >= 0) visit(wordAt(text, { start, end: to, hash }));
}

/** Returns true when the capital letter at `i` begins a word, as in camelCase or after an abbreviation. */
const beginsWord = (text: string, i: number, before: number): boolean =>
  before !== UPPER || KINDS[text.charCodeAt(i + 1)] === LOWER;

interface HashedSpan {
  readonly start: number;
  readonly end: number;
  readonly hash: number;
}

/**
 * Returns the word from the table, or adds it; a long word is not added. When the table is full, it is emptied. The
 * code unit `| 0x20` is an ASCII letter in lower case, or an unchanged digit.
 */
function wordAt(text: string, { start, end, hash }: HashedSpan): Word {
  const length = end - start;
  if (length > LONGEST_IN_TABLE)
    return toWord(text.slice(start, Math.min(end, start + LONGEST_WORD)).toLowerCase());
  let slot = (Math.imul(hash, -1_640_531_527) >>> 15) & (SLOTS - 1);
  for (;;) {
    const word = tableWords[slot];
    if (word === undefined) break;
    if (hashes[slot] === hash && word.text.length === length && isAt(word.text, text, start))
      return word;
    slot = (slot + 1) & (SLOTS - 1);
  }
  const word = toWord(copyOf(text, start, end));
  if (count >= MAX_WORDS) {
    tableWords.fill(undefined);
    count = 0;
    return word;
  }
  hashes[slot] = hash;
  tableWords[slot] = word;
  count++;
  return word;
}

function isAt(word: string, text: string, start: number): boolean {
  for (let i = 0; i < word.length; i++)
    if (word.charCodeAt(i) !== (text.charCodeAt(start + i) | 0x20)) return false;
  return true;
}

/** Returns a new string, because a slice in the table would keep the whole text in memory. */
function copyOf(text: string, start: number, end: number): string {
  const units: number[] = [];
  for (let i = start; i < end; i++) units.push(text.charCodeAt(i) | 0x20);
  return String.fromCharCode(...units);
}
