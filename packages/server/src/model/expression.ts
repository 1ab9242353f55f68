/**
 * Users write regular expressions in the language of RE2. The time of a match is proportional to the length of the text
 * times the size of the expression. The size may be much larger than the length of the expression, because RE2 copies a
 * repeated part as often as it is repeated. So the size is limited.
 */
import { RE2JS } from 're2js';

/** The slowest expression of this size needs a few tenths of a second for a text of 2,000 characters. */
const MAX_SIZE = 2_000;
/** The estimated size has a higher limit, because the estimate counts some parts twice. */
const MAX_ESTIMATED_SIZE = 4 * MAX_SIZE;

export class ExpressionTooLarge extends Error {
  override readonly name = 'ExpressionTooLarge';
  constructor() {
    super(
      'the expression is too large: shorten it, or lower the numbers of its repetitions such as {1000}',
    );
  }
}

/** Throws ExpressionTooLarge when the expression is too large, and an RE2JSException when the pattern is not valid. */
export function compileExpression(pattern: string, flags = 0): RE2JS {
  // The size is first estimated, because compiling a very large expression would need much time and memory.
  if (pattern.length > MAX_ESTIMATED_SIZE || estimate(pattern) > MAX_ESTIMATED_SIZE)
    throw new ExpressionTooLarge();
  const expression = RE2JS.compile(pattern, flags);
  if (expression.programSize() > MAX_SIZE) throw new ExpressionTooLarge();
  return expression;
}

/** A token is quoted text (`\Q…\E`), an escape, a class such as `[a-z]`, a repetition such as `{2,5}`, or one character. */
const TOKEN =
  /\\Q.*?(?:\\E|$)|\\[pPx]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|./gs;

/** Estimates the size of the expression: it adds up its parts, and counts a repeated part once for each repetition. */
function estimate(pattern: string): number {
  const outerSizes: number[] = [];
  let size = 0;
  let lastSize = 0;
  for (const [token, least, most] of pattern.matchAll(TOKEN)) {
    if (token === '(') {
      outerSizes.push(size);
      size = 0;
    } else if (token === ')') {
      lastSize = size;
      size += outerSizes.pop() ?? 0;
    } else if (least === undefined) {
      lastSize = token.startsWith('\\Q') ? token.length : 1;
      size += lastSize;
    } else {
      size += lastSize * Math.max(0, Math.max(Number(least), Number(most ?? 0)) - 1);
      lastSize *= Math.max(1, Number(least), Number(most ?? 0));
    }
  }
  return outerSizes.reduce((sum, outerSize) => sum + outerSize, size);
}
