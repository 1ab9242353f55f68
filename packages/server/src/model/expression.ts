/**
 * Users write regular expressions in the language of RE2. The time of a match is proportional to the length of the text
 * times the size of the expression. The size may be much larger than the length of the expression, because RE2 copies a
 * repeated part as often as it is repeated. So the size is limited.
 */
import { RE2JS } from 're2js';

/** A passage of 2,000 characters takes a few tenths of a second with the slowest expression of this size. */
const MAX_STEPS = 2_000;
/** The estimate has a higher limit, because it counts some parts twice. */
const MAX_ESTIMATED_STEPS = 4 * MAX_STEPS;

export class ExpressionTooLarge extends Error {
  override readonly name = 'ExpressionTooLarge';
  constructor() {
    super('the expression is too large: repeat less often');
  }
}

/** Throws ExpressionTooLarge when the expression is too large, and an RE2JSException when the pattern is not valid. */
export function compileExpression(pattern: string, flags = 0): RE2JS {
  // The size is first estimated, because compiling a very large expression would need much time and memory.
  if (pattern.length > MAX_ESTIMATED_STEPS || estimate(pattern) > MAX_ESTIMATED_STEPS)
    throw new ExpressionTooLarge();
  const expression = RE2JS.compile(pattern, flags);
  if (expression.programSize() > MAX_STEPS) throw new ExpressionTooLarge();
  return expression;
}

const TOKEN =
  /\\Q.*?(?:\\E|$)|\\[pPx]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|./gs;

/** Estimates the size of the expression: the number of its parts, each counted as often as it is repeated. */
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
