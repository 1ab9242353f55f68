/**
 * Makes the query that GitHub gets. The query language of GitHub also says where to search and what to leave out
 * (`repo:`, `org:`, `NOT`, `-`), so only the words of a person's query are sent: the connection decides where to
 * search. The results are compared with the scope once more.
 */
import { z } from 'zod';
import { terms } from '../../model/terms.ts';

/** The words may have this many characters, because GitHub refuses a longer query. The scope does not count. */
const LONGEST = 256;

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
 * Returns null when the query has no word to search for. All words must be in a file, so words
 * that every text has are left out.
 */
export function searchText(query: string, scope: string | undefined): string | null {
  // In lower case, AND, OR and NOT are words like others. Case makes no difference to the results.
  const all = [...new Set(query.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [])];
  const telling = all.filter((word) => terms(word).length > 0);
  let text = '';
  for (const word of telling.length > 0 ? telling : all)
    if (text.length + 1 + word.length <= LONGEST) text = `${text} ${word}`.trimStart();
  if (text === '') return null;
  return [text, ...qualifiersOf(scope ?? '')].join(' ');
}

/** GitHub names `repository` in the form `owner/name`. */
export function isWithin(scope: string | undefined, repository: string): boolean {
  if (scope === undefined) return true;
  const name = repository.toLowerCase();
  return qualifiersOf(scope.toLowerCase()).some((qualifier) => {
    const [kind, place = ''] = qualifier.split(':');
    return kind === 'repo' ? name === place : name.startsWith(`${place}/`);
  });
}
