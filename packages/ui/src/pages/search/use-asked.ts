import { useSuspenseQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { collectionsQuery, meQuery } from '../../api/queries.ts';
import { principalOf } from '../../lib/access-words.ts';
import { readConditions } from '../../lib/filter.ts';
import type { Asked, SearchFilter } from '../../parts/search/use-answer.ts';
import { RECENCIES, STRATEGIES } from './tools.tsx';

/** So many results are shown at first, and so many more each time. */
export const FIRST = 10;
const MOST = 1000;

export type AskedByAddress = NonNullable<ReturnType<typeof useAsked>>;

/** Reads the address, which anybody may have written. Returns null without a collection. */
export function useAsked() {
  const given = useSearch({ from: '/shell/search' });
  const { data: me } = useSuspenseQuery(meQuery);
  const { data: collections } = useSuspenseQuery(collectionsQuery);
  const collection = given.c ?? collections.items[0]?.readable_id;
  if (collection === undefined) return null;
  const conditions = readConditions(given.f);
  const isAdmin = me.role === 'admin';
  const asked: Asked = {
    collection,
    query: given.q ?? '',
    strategy: STRATEGIES.find(({ value }) => value === given.by)?.value ?? 'hybrid',
    recency: Object.hasOwn(RECENCIES, given.recency ?? '') ? Number(given.recency) : 0,
    types: given.type ?? [],
    sources: given.source ?? [],
    conditions: conditions ?? [],
    filter: isFilter(given.filter) ? given.filter : undefined,
    as: isAdmin && given.as !== undefined ? principalOf(given.as) : undefined,
    limit: limitOf(given.limit),
  };
  // A filter that cannot be read is not left out, because more would be found than it allows.
  const isBroken = conditions === null || !isFilter(given.filter);
  return { given, asked, isBroken, isAdmin, collections: collections.items };
}

const limitOf = (given: string | undefined): number => {
  const limit = Number(given);
  return Number.isInteger(limit) && limit > 0 ? Math.min(limit, MOST) : FIRST;
};

const isFilter = (given: unknown): given is SearchFilter | undefined =>
  given === undefined || (typeof given === 'object' && given !== null && !Array.isArray(given));
