import { queryOptions } from '@tanstack/react-query';
import { bodyOf, client } from '../../api/client.ts';

/** Returns the types, sources and fields of a collection, as a person finds them. */
export const contentsQuery = (collection: string, as: string | undefined) =>
  queryOptions({
    queryKey: ['contents', collection, as ?? null],
    queryFn: ({ signal }) =>
      bodyOf(
        client.GET('/v1/collections/{readable_id}/contents', {
          params: { path: { readable_id: collection } },
          ...(as && { headers: { 'x-principals': as } }),
          signal,
        }),
      ),
  });
