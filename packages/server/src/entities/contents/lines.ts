/** Finds the lines of a text that a regular expression matches. */
import { RE2JS, RE2JSException } from 're2js';
import { invalid } from '../../errors.ts';
import { compileExpression, ExpressionTooLarge } from '../../model/expression.ts';
import { hasNeedle, needlesOf } from './needles.ts';

/** A longer line is shortened to this many characters, because a line may have megabytes. */
const SHOWN_CHARACTERS = 300;

/**
 * Returns a function that returns the matching lines of a text. Throws a 422 when the pattern is not an RE2 expression.
 */
export function compile(pattern: string, ignoreCase: boolean): (text: string) => string[] {
  const expression = compiled(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  const mayMatch = hasNeedle(needlesOf(pattern, ignoreCase));
  return (text) =>
    text.split('\n').flatMap((line) => {
      if (!mayMatch(line)) return [];
      const match = expression.matcher(line);
      return match.find() ? [cutAround(line, match.start())] : [];
    });
}

function compiled(pattern: string, flags: number): RE2JS {
  try {
    return compileExpression(pattern, flags);
  } catch (error) {
    if (!(error instanceof RE2JSException || error instanceof ExpressionTooLarge)) throw error;
    throw invalid(`pattern is not an expression of RE2 that can be used: ${error.message}`, {
      loc: ['body', 'pattern'],
    });
  }
}

function cutAround(line: string, at: number): string {
  if (line.length <= SHOWN_CHARACTERS) return line;
  const start = Math.max(0, Math.min(at - SHOWN_CHARACTERS / 3, line.length - SHOWN_CHARACTERS));
  const piece = line.slice(start, start + SHOWN_CHARACTERS).toWellFormed();
  return `${start > 0 ? '…' : ''}${piece}${start + SHOWN_CHARACTERS < line.length ? '…' : ''}`;
}
