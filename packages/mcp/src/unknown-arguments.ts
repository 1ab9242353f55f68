/** Refuses arguments that a tool does not have, because a misspelt filter or limit would otherwise be ignored. */
import type { z } from 'zod';

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

/**
 * Returns the name that a few changed characters make of the text, or one that has the text as a part or is a part of
 * it. Returns undefined when no name is near.
 */
export function nearest(text: string, names: readonly string[]): string | undefined {
  const plain = plainOf(text);
  const ranked = names
    .map((name) => ({ name, steps: stepsBetween(plain, plainOf(name)) }))
    .toSorted((a, b) => a.steps - b.steps);
  const [best] = ranked;
  if (best && best.steps <= Math.max(1, Math.floor(best.name.length / 3))) return best.name;
  if (plain.length < SHORTEST_PART) return undefined;
  return names.find((name) => plainOf(name).includes(plain) || plain.includes(plainOf(name)));
}

const SHORTEST_PART = 3;
/** A longer text is hardly a misspelt name, and comparing it would take long. */
const LONGEST = 50;

/** Models write the same name as `maxResults`, `max-results` and `max_results`. */
const plainOf = (name: string): string => name.slice(0, LONGEST).toLowerCase().replace(/[_-]/g, '');

/**
 * Returns how many characters must be added, removed, replaced or swapped with their neighbour to make one text of the
 * other (the optimal string alignment distance).
 */
function stepsBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let steps = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        steps = Math.min(steps, beforeLast[j - 2]! + 1);
      row.push(steps);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
