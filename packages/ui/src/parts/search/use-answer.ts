import { useQuery } from '@tanstack/react-query';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { keepWithin } from '../../api/keep.ts';
import { type Condition, clauseOf } from '../../lib/filter.ts';

export type SearchFilter = Readonly<Record<string, unknown>>;

export interface Asked {
  readonly collection: string;
  readonly query: string;
  readonly strategy: 'hybrid' | 'neural' | 'keyword';
  /** Newer records are preferred by this much, from 0 to 1. */
  readonly recency: number;
  readonly types: readonly string[];
  readonly sources: readonly string[];
  readonly conditions: readonly Condition[];
  /** A filter of the API, which somebody has written as JSON. */
  readonly filter: SearchFilter | undefined;
  /** An admin may search as this person, who is named as `user:ann@example.com`. */
  readonly as: string | undefined;
  readonly limit: number;
}

/** Returns the body of the search: the same as in "the same from code". */
export function bodyOfSearch(asked: Asked) {
  const filter = filterOf(asked);
  return {
    query: asked.query,
    ...(asked.strategy !== 'hybrid' && { retrieval_strategy: asked.strategy }),
    ...(filter && { filter }),
    ...(asked.recency > 0 && { recency_bias: asked.recency }),
    limit: asked.limit,
  };
}

/** Returns a filter with all that is asked of records; undefined when nothing is. */
export function filterOf({
  types,
  sources,
  conditions,
  filter,
}: Pick<Asked, 'types' | 'sources' | 'conditions' | 'filter'>): SearchFilter | undefined {
  const must = [
    ...match('entity_type', types),
    ...match('source_name', sources),
    ...conditions.map(clauseOf),
  ];
  if (must.length === 0) return filter;
  return { must: filter ? [...must, filter] : must };
}

const match = (key: string, values: readonly string[]) =>
  values.length === 0 ? [] : [{ key, match: { any: [...values] } }];

export function useAnswer(asked: Asked | null) {
  const question = ['search', asked?.collection, asked?.query, asked?.as];
  return useQuery({
    queryKey: [...question, asked],
    enabled: asked !== null,
    placeholderData: keepWithin(question),
    staleTime: 60_000,
    // A search may ask models that cost something, so only somebody repeats it.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    queryFn: async ({ signal }) => {
      const { collection, as } = asked as Asked;
      const begun = performance.now();
      const body = await bodyOf(
        client.POST('/v1/collections/{readable_id}/search', {
          params: { path: { readable_id: collection } },
          ...(as && { headers: { 'x-principals': as } }),
          body: { ...bodyOfSearch(asked as Asked), explain: true },
          signal,
        }),
      );
      return { ...body, tookMs: performance.now() - begun };
    },
  });
}

export type Answer = NonNullable<ReturnType<typeof useAnswer>['data']>;
export type Result = Answer['results'][number];
export type Explanation = Schemas['Explanation'];
