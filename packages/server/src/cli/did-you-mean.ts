import { nearest } from '#quarry-mcp/nearest';

/** Returns a part of a message that names the nearest one, or an empty text when no name is near. */
export function didYouMean(word: string, names: readonly string[]): string {
  const name = nearest(word, names);
  return name === undefined ? '' : `; did you mean '${name}'?`;
}
