/** This file finds the lines that an expression matches. */
import { RE2JS, RE2JSException } from 're2js';
import { invalid } from '../../errors.ts';
import { compileExpression, ExpressionTooLarge } from '../../model/expression.ts';

/** A longer line is cut to this many characters, so that one line of megabytes does not fill an answer. */
const SHOWN = 300;

/** Throws a 422 when the pattern is not an expression of RE2. */
export function compile(pattern: string, ignoreCase: boolean): (text: string) => string[] {
  const expression = compiled(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  return (text) =>
    text.split('\n').flatMap((line) => {
      const match = expression.matcher(line);
      return match.find() ? [around(line, match.start())] : [];
    });
}

function compiled(pattern: string, flags: number): RE2JS {
  try {
    return compileExpression(pattern, flags);
  } catch (error) {
    if (!(error instanceof RE2JSException || error instanceof ExpressionTooLarge)) throw error;
    throw invalid(`pattern is not an expression of RE2: ${error.message}`, {
      loc: ['body', 'pattern'],
    });
  }
}

function around(line: string, at: number): string {
  if (line.length <= SHOWN) return line;
  const start = Math.max(0, Math.min(at - SHOWN / 3, line.length - SHOWN));
  const piece = line.slice(start, start + SHOWN).toWellFormed();
  return `${start > 0 ? '…' : ''}${piece}${start + SHOWN < line.length ? '…' : ''}`;
}
