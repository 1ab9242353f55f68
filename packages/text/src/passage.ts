/** Cuts the part of a text that answers a query, and says which of its words matched. */

const LENGTH = 280;

export interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** Words of a query that are worth a mark: all of two letters or more, and figures. */
const wordsOf = (query: string): string[] => [
  ...new Set(query.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []),
];

const STOP = new Set(
  'a an and are as at be by do does for how in is it of on or the to what when which who with'.split(
    ' ',
  ),
);

/** Takes the marks of Markdown away, because a passage is shown as text. */
export const plainText = (markdown: string): string =>
  markdown
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/^```[^\n]*$/gm, '')
    .replaceAll(/^#{1,6}\s+/gm, '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/(\*\*|__|`)/g, '')
    .replaceAll(/^[ \t:|-]+$/gm, '')
    .replaceAll(/^([ \t]*)[-*+] /gm, '$1• ')
    .replaceAll(/^\|[ \t]*|([ \t]*\|)+[ \t]*$/gm, '')
    .replaceAll(/([ \t]*\|)+[ \t]*/g, ' · ')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();

/** Returns the part of the text in which most words of the query stand close together, in pieces. */
export function passageOf(text: string, query: string): Piece[] {
  const found = matchesOf(text, query);
  const from = bestStart(text, found);
  const end = text.length - from <= LENGTH ? text.length : wordEnd(text, from + LENGTH);
  const pieces = piecesOf(text, found, { from, end });
  if (from > 0) pieces.unshift({ text: '… ', isMatch: false });
  if (end < text.length) pieces.push({ text: ' …', isMatch: false });
  return pieces;
}

/** Returns the whole text in pieces, of which those match that are words of the query. */
export const markedText = (text: string, query: string): Piece[] =>
  piecesOf(text, matchesOf(text, query), { from: 0, end: text.length });

function piecesOf(
  text: string,
  found: readonly Match[],
  { from, end }: { readonly from: number; readonly end: number },
): Piece[] {
  const pieces: Piece[] = [];
  let at = from;
  for (const { start, length } of found) {
    if (start < at || start + length > end) continue;
    if (start > at) pieces.push({ text: text.slice(at, start), isMatch: false });
    pieces.push({ text: text.slice(start, start + length), isMatch: true });
    at = start + length;
  }
  if (at < end) pieces.push({ text: text.slice(at, end), isMatch: false });
  return pieces;
}

interface Match {
  readonly start: number;
  readonly length: number;
  readonly word: string;
}

const matchesOf = (text: string, query: string): Match[] =>
  matchesIn(
    text,
    wordsOf(query).filter((word) => !STOP.has(word)),
  );

/** A word of the text matches when it begins like a word of the query, apart from an ending. */
function matchesIn(text: string, words: readonly string[]): Match[] {
  const stems = words.map((word) => (word.length > 4 ? word.replace(/(ing|ed|es|s)$/, '') : word));
  const matches: Match[] = [];
  for (const { 0: token, index } of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    const lower = token.toLowerCase();
    const word = stems.find((stem) => lower.startsWith(stem) && lower.length - stem.length <= 3);
    if (word !== undefined) matches.push({ start: index, length: token.length, word });
  }
  return matches;
}

function bestStart(text: string, found: readonly Match[]): number {
  let best = 0;
  let most = 0;
  for (const { start } of found) {
    const within = found.filter((one) => one.start >= start && one.start < start + LENGTH);
    const different = new Set(within.map(({ word }) => word)).size;
    if (different > most) {
      most = different;
      best = start;
    }
  }
  if (best < LENGTH / 2) return 0;
  const sentence = Math.max(text.lastIndexOf('. ', best), text.lastIndexOf('\n', best)) + 1;
  const begin = best - sentence < LENGTH / 2 ? sentence : text.lastIndexOf(' ', best - 20) + 1;
  return begin + (text.slice(begin).length - text.slice(begin).trimStart().length);
}

function wordEnd(text: string, at: number): number {
  const space = text.lastIndexOf(' ', at);
  return space > at - 40 ? space : at;
}
