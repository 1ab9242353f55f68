/**
 * Makes the query for GitHub. GitHub's query language can also select repositories and exclude words (`repo:`, `org:`,
 * `NOT`, `-`). A person's query must not change the repositories that the connection allows, so only its words are
 * sent, with the scope of the connection. The results are checked against the scope again.
 */
import { z } from 'zod';
import { terms } from '../../model/terms.ts';

/** GitHub refuses a query whose words have more than this many characters in total. The scope is not counted. */
const MAX_QUERY_LENGTH = 256;

const QUALIFIER = /^(?:(?:org|user):[\w-]+|repo:[\w-]+\/[\w.-]+)$/;

const qualifiersOf = (scope: string): string[] => scope.split(/\s+/).filter((one) => one !== '');

export const Scope = z
  .string()
  .max(1000)
  .refine(
    (scope) =>
      qualifiersOf(scope).length > 0 && qualifiersOf(scope).every((one) => QUALIFIER.test(one)),
    'is not one of org:<name>, user:<name> and repo:<owner>/<name>',
  );

/**
 * Returns null when the query has no word to search for. GitHub finds only files that contain all words, so very common
 * words are left out, unless the query has no others.
 */
export function searchText(query: string, scope: string | undefined): string | null {
  // In lower case, AND, OR and NOT are ordinary words. GitHub ignores case, so the results stay the same.
  const all = [...new Set(query.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [])];
  const uncommon = all.filter((word) => terms(word).length > 0);
  let text = '';
  for (const word of uncommon.length > 0 ? uncommon : all)
    if (text.length + 1 + word.length <= MAX_QUERY_LENGTH) text = `${text} ${word}`.trimStart();
  if (text === '') return null;
  return [text, ...qualifiersOf(scope ?? '')].join(' ');
}

/** `repository` has the form `owner/name`. */
export function isWithin(scope: string | undefined, repository: string): boolean {
  if (scope === undefined) return true;
  const name = repository.toLowerCase();
  return qualifiersOf(scope.toLowerCase()).some((qualifier) => {
    const [kind, place = ''] = qualifier.split(':');
    return kind === 'repo' ? name === place : name.startsWith(`${place}/`);
  });
}
