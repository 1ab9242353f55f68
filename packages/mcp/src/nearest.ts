/** Finds which name was meant by a text that is not one. */
import { distance } from 'fastest-levenshtein';

/**
 * Returns the name that a few changed characters make of the text, or one that has the text as a part or is a part of
 * it. Returns undefined when no name is near.
 */
export function nearest(text: string, names: readonly string[]): string | undefined {
  const plain = plainOf(text);
  const ranked = names
    .map((name) => ({ name, steps: distance(plain, plainOf(name)) }))
    .toSorted((a, b) => a.steps - b.steps);
  const [best] = ranked;
  if (best && best.steps <= Math.ceil(best.name.length / 3)) return best.name;
  if (plain.length < SHORTEST_PART) return undefined;
  return names.find((name) => plainOf(name).includes(plain) || plain.includes(plainOf(name)));
}

const SHORTEST_PART = 3;
/** A longer text is hardly a misspelt name, and comparing it would take long. */
const LONGEST = 50;

/** The same name may be written as `maxResults`, `max-results` and `max_results`. */
const plainOf = (name: string): string => name.slice(0, LONGEST).toLowerCase().replace(/[_-]/g, '');
