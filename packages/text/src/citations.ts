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
  let at = 0;
  for (const { 0: whole, 1: inner = '', index } of answer.matchAll(/\s*\[([^[\]]+)\]/g)) {
    const cited = inner.split(/,\s*/).map((id) => ids.indexOf(id) + 1);
    if (cited.some((number) => number === 0)) continue;
    add(answer.slice(at, index));
    pieces.push(...cited.map((cites) => ({ cites })));
    at = index + whole.length;
  }
  add(answer.slice(at));
  return pieces.filter((piece) => !('text' in piece) || piece.text !== '');
}
