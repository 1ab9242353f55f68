/** Refuses arguments that a tool does not have, because a misspelt filter or limit would otherwise be ignored. */
import type { z } from 'zod';
import { nearest } from './nearest.ts';

/** Returns a sentence about the first argument that the tool does not have, or undefined when it has all of them. */
export function unknownArgument(
  input: z.ZodObject,
  given: Readonly<Record<string, unknown>>,
): string | undefined {
  const known = Object.keys(input.shape);
  const wrong = Object.keys(given).find((name) => !known.includes(name));
  if (wrong === undefined) return undefined;
  const meant = nearest(wrong, known);
  const takes = known.length === 0 ? 'the tool takes none' : `the tool takes ${known.join(', ')}`;
  return `'${wrong}' is not an argument: ${meant === undefined ? '' : `did you mean '${meant}'? `}${takes}`;
}
