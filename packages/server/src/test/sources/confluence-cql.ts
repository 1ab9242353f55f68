/**
 * Reads a part of CQL (https://developer.atlassian.com/cloud/confluence/advanced-searching-using-cql): clauses on type, space, id,
 * created and lastmodified, joined by AND, and ORDER BY one time. What Confluence allows and the fake does not know is an error
 * of the fake.
 */
import { COMPARES, instantOf, refuseQuery, tokensOf } from './atlassian-query.ts';
import type { ConfluenceItem } from './confluence-records.ts';

export interface Cql {
  readonly holds: (item: ConfluenceItem) => boolean;
  readonly placeOf: (item: ConfluenceItem) => number;
}

const TIMES: Readonly<Record<string, (item: ConfluenceItem) => number>> = {
  lastmodified: ({ updatedAt }) => updatedAt,
  created: ({ createdAt }) => createdAt,
};
const VALUES: Readonly<Record<string, (item: ConfluenceItem) => string>> = {
  type: (item) => ('space' in item ? item.kind : 'name' in item ? 'attachment' : 'comment'),
  space: (item) => ('space' in item ? item : item.on).space.key,
  id: ({ id }) => id,
  content: ({ id }) => id,
};

/** `now` is in milliseconds since 1970. */
export function readCql(
  cql: string,
  reader: { readonly timeZone: string; readonly now: number },
): Cql {
  const tokens = tokensOf(cql);
  let at = 0;
  const next = () => tokens[at++] ?? refuseQuery(`Could not parse cql : ${cql}`);
  const take = (wanted: string) => tokens[at]?.toLowerCase() === wanted && ++at > 0;
  const text = () => next().replace(/^(["'])(.*)\1$/s, '$2');

  function clause(): Cql['holds'] {
    const field = text().toLowerCase();
    const isNot = take('not');
    const operator = next().toLowerCase();
    const values = operator === 'in' ? list() : [text()];
    const time = TIMES[field];
    const compare = COMPARES[operator];
    if (time && compare) {
      const instant = instantOf(field, values[0] ?? '', reader);
      return (item) => compare(time(item), instant);
    }
    const value = VALUES[field];
    if (!value || !['=', '!=', 'in'].includes(operator))
      throw new Error(`the fake of Confluence does not know ${field} ${operator} in CQL`);
    const isWanted = !isNot && operator !== '!=';
    return (item) => values.includes(value(item)) === isWanted;
  }
  function list(): string[] {
    if (!take('(')) refuseQuery(`Could not parse cql : ${cql}`);
    const values = [text()];
    while (take(',')) values.push(text());
    if (!take(')')) refuseQuery(`Could not parse cql : ${cql}`);
    return values;
  }

  const parts = [clause()];
  while (take('and')) parts.push(clause());
  let order = TIMES.lastmodified!;
  let sign = -1;
  if (take('order')) {
    if (!take('by')) refuseQuery(`Could not parse cql : ${cql}`);
    const field = text().toLowerCase();
    const known = TIMES[field];
    if (!known) throw new Error(`the fake of Confluence does not order by ${field}`);
    order = known;
    sign = take('desc') ? -1 : 1;
    take('asc');
  }
  if (at < tokens.length) refuseQuery(`Could not parse cql : ${cql}`);
  return {
    holds: (item) => parts.every((part) => part(item)),
    placeOf: (item) => sign * order(item),
  };
}
