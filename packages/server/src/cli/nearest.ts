/** Finds what a person may have meant by a word that does not exist. */
import { closest, distance } from 'fastest-levenshtein';

/** Returns an empty text when no name is close to the word. */
export function didYouMean(word: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  const name = closest(word.toLowerCase(), names);
  const isClose = distance(word.toLowerCase(), name.toLowerCase()) <= Math.max(1, word.length / 3);
  return isClose ? `; did you mean '${name}'?` : '';
}
