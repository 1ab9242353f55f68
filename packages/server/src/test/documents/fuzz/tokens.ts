/** Changes the words, numbers, tags and lines of a format that is text. Each byte is a character of Latin-1. */
import type { Random } from '../../random/random.ts';
import { MOST_BYTES, type Mutator, repeated } from './bytes.ts';

export const NUMBERS = [
  '-1',
  '0',
  '1',
  '65536',
  '1048577',
  '2147483648',
  '4294967295',
  '99999999999999999999',
  '1e308',
  '-1e308',
  'NaN',
  '0.0000001',
  '',
];

const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

/** Each is hostile in some format. */
export const HOSTILE = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '../../etc/passwd',
  '/etc/passwd',
  '..\\..\\x',
  'C:\\x',
  '\0',
  '\x01',
  '\xed\xa0\x80',
  utf8('\u2028'),
  utf8('\u202e'),
  utf8('\u{1f600}'),
  '&#0;',
  '&#xD800;',
  '&#x110000;',
  '&#1e9;',
  '&undefined;',
  '\\u0000',
  '\\ud83d',
  '\\uFFFF',
  '=?utf-8?B?//8=?=',
  '%00',
  'x'.repeat(70_000),
  '\n\n',
  '\r',
  '<',
  '>',
  '"',
  "'",
  '{',
  '}',
  '[',
  ']',
  '(',
  ')',
  '\\',
  ';',
  ':',
  ',',
  '|',
  '#',
  '`',
  'null',
  '{}',
  '[]',
  '<!--',
  '<![CDATA[',
  '<?xml version="1.0" encoding="utf-16"?>',
  '<!DOCTYPE a [<!ENTITY b "c">]>',
];

/** Returns the text in words, numbers, and what stands between them. */
const tokensOf = (bytes: Buffer): string[] =>
  bytes.toString('latin1').match(/[A-Za-z_][\w:.-]*|\d+|\s+|[^\w\s]/g) ?? [];

const textOf = (tokens: readonly string[]): Buffer => Buffer.from(tokens.join(''), 'latin1');

/** Makes a mutator out of a function that changes the tokens in place. */
const onTokens =
  (change: (tokens: string[], random: Random) => void): Mutator =>
  ({ bytes }, random) => {
    const tokens = tokensOf(bytes);
    if (tokens.length === 0) return bytes;
    change(tokens, random);
    return textOf(tokens);
  };

const replaceToken = onTokens((tokens, random) => {
  tokens[random.below(tokens.length)] = random.pick(tokens);
});

const swapTokens = onTokens((tokens, random) => {
  const [one, two] = [random.below(tokens.length), random.below(tokens.length)];
  [tokens[one], tokens[two]] = [tokens[two]!, tokens[one]!];
});

const deleteTokens = onTokens((tokens, random) => {
  tokens.splice(random.below(tokens.length), 1 + random.below(6));
});

const insertHostile = onTokens((tokens, random) => {
  tokens.splice(random.below(tokens.length + 1), random.below(2), random.pick(HOSTILE));
});

const insertForeign: Mutator = ({ bytes, other }, random) => {
  const [tokens, foreign] = [tokensOf(bytes), tokensOf(other)];
  const from = random.below(foreign.length + 1);
  const piece = foreign.slice(from, from + 1 + random.below(40));
  tokens.splice(random.below(tokens.length + 1), random.below(2), ...piece);
  return textOf(tokens);
};

const indexesOf = (tokens: readonly string[], form: RegExp): number[] =>
  tokens.flatMap((token, i) => (form.test(token) ? [i] : []));

const setNumber = onTokens((tokens, random) => {
  const numbers = indexesOf(tokens, /^\d/);
  if (numbers.length > 0) tokens[random.pick(numbers)] = random.pick(NUMBERS);
});

/** A name that is replaced everywhere keeps its pairs, such as the beginning and the end of an element. */
const renameEverywhere = onTokens((tokens, random) => {
  const names = indexesOf(tokens, /^[A-Za-z_]/);
  if (names.length === 0) return;
  const old = tokens[random.pick(names)];
  const by = random.below(3) === 0 ? random.pick(HOSTILE) : tokens[random.pick(names)]!;
  for (const at of names) if (tokens[at] === old) tokens[at] = by;
});

/** Returns the pieces of the text that end with the mark. */
function piecesOf(text: string, mark: string): string[] {
  const pieces = text.split(mark);
  return pieces.map((piece, i) => (i < pieces.length - 1 ? piece + mark : piece));
}

/** Repeats a tag, a line, a group or a record, which may nest it as deeply. */
const repeatPiece: Mutator = ({ bytes }, random) => {
  const pieces = piecesOf(bytes.toString('latin1'), random.pick(['>', '\n', '}', '{', '[', ';']));
  const at = random.below(pieces.length);
  const count = 1 + random.below(4);
  const piece = Buffer.from(pieces.slice(at, at + count).join(''), 'latin1');
  pieces.splice(at, count, repeated(piece, random).toString('latin1'));
  return Buffer.from(pieces.join(''), 'latin1').subarray(0, 2 * MOST_BYTES);
};

export const TEXT_MUTATORS: readonly Mutator[] = [
  replaceToken,
  swapTokens,
  deleteTokens,
  insertHostile,
  insertForeign,
  setNumber,
  renameEverywhere,
  repeatPiece,
];
