/**
 * Users write these regular expressions in the language of RE2: a match takes steps in proportion to the length
 * of the text times the size of the expression. The size is not the length of the expression, because RE2
 * writes a repeated part out as often as it repeats; so the size has a limit of its own.
 */
import { RE2JS } from 're2js';

/** A passage of 2,000 characters takes a few tenths of a second with the slowest expression of this size. */
const MOST_STEPS = 2_000;
/** The limit belongs to an estimate that counts some parts twice. */
const FAR_TOO_LARGE = 4 * MOST_STEPS;

export class ExpressionTooLarge extends Error {
  override readonly name = 'ExpressionTooLarge';
  constructor() {
    super('the expression is too large: repeat less often');
  }
}

/** Throws ExpressionTooLarge, or an RE2JSException when the pattern is not an expression. */
export function compileExpression(pattern: string, flags = 0): RE2JS {
  // An expression that is far too large would take time and memory before its size could be measured.
  if (pattern.length > FAR_TOO_LARGE || estimate(pattern) > FAR_TOO_LARGE)
    throw new ExpressionTooLarge();
  const expression = RE2JS.compile(pattern, flags);
  if (expression.programSize() > MOST_STEPS) throw new ExpressionTooLarge();
  return expression;
}

const TOKEN =
  /\\Q.*?(?:\\E|$)|\\[pPx]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|./gs;

/** Counts the parts of the pattern, each as often as it is repeated. */
function estimate(pattern: string): number {
  const outer: number[] = [];
  let all = 0;
  let last = 0;
  for (const [token, least, most] of pattern.matchAll(TOKEN)) {
    if (token === '(') {
      outer.push(all);
      all = 0;
    } else if (token === ')') {
      last = all;
      all += outer.pop() ?? 0;
    } else if (least === undefined) {
      last = token.startsWith('\\Q') ? token.length : 1;
      all += last;
    } else {
      all += last * Math.max(0, Math.max(Number(least), Number(most ?? 0)) - 1);
      last *= Math.max(1, Number(least), Number(most ?? 0));
    }
  }
  return outer.reduce((sum, size) => sum + size, all);
}
