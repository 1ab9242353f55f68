/** These are the questions that several pages ask. The first part of a key names what is asked for. */
import { queryOptions } from '@tanstack/react-query';
import { bodyOf, client, listOf, type Schemas, wholeList } from './client.ts';

/** Pages ask again at this interval for what jobs change. */
export const OFTEN_MS = 5000;
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => bodyOf(client.GET('/v1/auth/me', { signal })),
  staleTime: 60_000,
});

/** Only an admin may ask. */
export const systemQuery = (role: Schemas['Me']['role']) =>
  queryOptions({
    queryKey: ['system'],
    enabled: role === 'admin',
    queryFn: ({ signal }) => bodyOf(client.GET('/v1/system', { signal })),
  });

export const collectionsQuery = queryOptions({
  queryKey: ['collections'],
  queryFn: ({ signal }) =>
    wholeList((query) => listOf(client.GET('/v1/collections', { params: { query }, signal }))),
});

export const collectionQuery = (readable_id: string) =>
  queryOptions({
    queryKey: ['collections', readable_id],
    queryFn: ({ signal }) =>
      bodyOf(
        client.GET('/v1/collections/{readable_id}', { params: { path: { readable_id } }, signal }),
      ),
    refetchInterval: OFTEN_MS,
  });

/** Returns the connections of a collection. */
export const connectionsQuery = (collection: string) =>
  queryOptions({
    queryKey: ['connections', 'all', collection],
    queryFn: ({ signal }) =>
      wholeList((part) => {
        const query = { ...part, collection };
        return listOf(client.GET('/v1/source-connections', { params: { query }, signal }));
      }),
    staleTime: 60_000,
  });

/** Returns connections of all collections whose names have the words, the newest first. An empty search finds all. */
export const namedConnectionsQuery = (search: string, limit: number) =>
  queryOptions({
    queryKey: ['connections', 'named', search, limit],
    queryFn: ({ signal }) => {
      const query = search === '' ? { limit } : { search, limit };
      return bodyOf(client.GET('/v1/source-connections', { params: { query }, signal }));
    },
    staleTime: 60_000,
  });

/** Returns the newest connection of a collection; null while it has none. */
export const firstConnectionQuery = (collection: string) =>
  queryOptions({
    queryKey: ['connections', 'first', collection],
    queryFn: async ({ signal }) => {
      const params = { query: { collection, limit: 1 } };
      const [first = null] = await bodyOf(client.GET('/v1/source-connections', { params, signal }));
      return first;
    },
  });

export const connectionQuery = (id: string) =>
  queryOptions({
    queryKey: ['connections', 'one', id],
    queryFn: ({ signal }) =>
      bodyOf(client.GET('/v1/source-connections/{id}', { params: { path: { id } }, signal })),
    refetchInterval: OFTEN_MS,
  });

/** The kind and trigger of a job never change, and its counters come by its stream. */
export const jobQuery = (job_id: string) =>
  queryOptions({
    queryKey: ['jobs', 'one', job_id],
    queryFn: ({ signal }) =>
      bodyOf(client.GET('/v1/sync/jobs/{job_id}', { params: { path: { job_id } }, signal })),
    staleTime: 60_000,
  });

export const sourcesQuery = queryOptions({
  queryKey: ['sources'],
  queryFn: ({ signal }) => bodyOf(client.GET('/v1/sources', { signal })),
  staleTime: 600_000,
});

export const sourceQuery = (short_name: string) =>
  queryOptions({
    queryKey: ['sources', short_name],
    queryFn: ({ signal }) =>
      bodyOf(client.GET('/v1/sources/{short_name}', { params: { path: { short_name } }, signal })),
    staleTime: 600_000,
  });

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) =>
    listOf(client.GET('/v1/api-keys', { params: { query: { limit: 1000 } }, signal })),
});
