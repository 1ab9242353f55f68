/**
 * Makes the text of a live search from a person's query. Services have query languages of their own, whose operators
 * could change where a connection searches, so only words are sent.
 */
import { terms } from '../../model/terms.ts';

/**
 * Returns at most `maxLength` characters of words, or null when the query has none. Services find only what has all
 * words, so very common words are left out, unless the query has no others.
 */
export function searchWords(query: string, maxLength: number): string | null {
  // In lower case, AND, OR and NOT are ordinary words. Services ignore case, so the results stay the same.
  const all = [...new Set(query.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [])];
  const uncommon = all.filter((word) => terms(word).length > 0);
  let text = '';
  for (const word of uncommon.length > 0 ? uncommon : all)
    if (text.length + 1 + word.length <= maxLength) text = `${text} ${word}`.trimStart();
  return text === '' ? null : text;
}
