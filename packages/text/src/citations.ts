/** Splits a generated answer into sentences and the results that they cite. */

export type AnswerPiece =
  | { readonly text: string }
  /** The number of a result, from 1. */
  | { readonly cites: number };

/** An answer is shown as text. A quoted sentence may have only one of two marks of Markdown, and a quoted row has bars. */
const withoutMarks = (text: string): string =>
  text
    .replaceAll(/\*\*|`/g, '')
    .replaceAll(/[ \t]*\|[ \t]*$/gm, '')
    .replaceAll(/[ \t]*\|[ \t]*/g, ' · ');

/** An answer cites chunks by their ids in brackets. Brackets around anything else are text. */
export function piecesOf(answer: string, ids: readonly string[]): AnswerPiece[] {
  const pieces: AnswerPiece[] = [];
  const add = (text: string) => pieces.push({ text: withoutMarks(text) });
  const citedAt = citationReader(answer, ids);
  let at = 0;
  for (
    let open = answer.indexOf('[');
    open >= 0;
    open = answer.indexOf('[', Math.max(open + 1, at))
  ) {
    const found = citedAt(open + 1);
    if (!found) continue;
    add(answer.slice(at, open).trimEnd());
    pieces.push(...found.cited.map((cites) => ({ cites })));
    at = found.end;
  }
  add(answer.slice(at));
  return pieces.filter((piece) => !('text' in piece) || piece.text !== '');
}

/** No list of ids is longer. */
const MOST_CITED = 1000;

interface Citation {
  /** These are numbers of results, from 1. */
  readonly cited: readonly number[];
  readonly end: number;
}

/**
 * Returns a function that reads a list of ids, with its closing bracket, at a place of the answer. An id may have brackets
 * and commas itself, so the ids are searched for as they are, the longest first.
 */
function citationReader(answer: string, ids: readonly string[]) {
  const numbered = [...new Set(ids)]
    .map((id) => ({ id, number: ids.indexOf(id) + 1 }))
    .toSorted((a, b) => b.id.length - a.id.length);
  const known = new Map<number, Citation | undefined>();

  function read(at: number, most = MOST_CITED): Citation | undefined {
    if (!known.has(at)) known.set(at, readNew(at, most));
    return known.get(at);
  }

  function readNew(at: number, most: number): Citation | undefined {
    if (most === 0) return undefined;
    for (const { id, number } of numbered) {
      const end = at + id.length;
      if (!answer.startsWith(id, at)) continue;
      if (answer[end] === ']') return { cited: [number], end: end + 1 };
      if (answer[end] !== ',') continue;
      const rest = read(end + 1 + spacesAt(answer, end + 1), most - 1);
      if (rest) return { cited: [number, ...rest.cited], end: rest.end };
    }
    return undefined;
  }

  return read;
}

const spacesAt = (text: string, at: number): number => {
  let end = at;
  while (end < text.length && text[end]?.trim() === '') end++;
  return end - at;
};
