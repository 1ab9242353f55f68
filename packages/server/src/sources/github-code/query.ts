/**
 * Makes the query for GitHub. GitHub's query language can also select repositories and exclude words (`repo:`, `org:`,
 * `NOT`, `-`). A person's query must not change the repositories that the connection allows, so only its words are
 * sent, with the scope of the connection. The results are checked against the scope again.
 */
import { z } from 'zod';
import { searchWords } from '../kit/search-words.ts';

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

/** Returns null when the query has no word to search for. */
export function searchText(query: string, scope: string | undefined): string | null {
  const text = searchWords(query, MAX_QUERY_LENGTH);
  return text === null ? null : [text, ...qualifiersOf(scope ?? '')].join(' ');
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
