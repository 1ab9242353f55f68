/** The questions about transformers that several pages ask. */
import { queryOptions } from '@tanstack/react-query';
import { bodyOf, client, listOf, wholeList } from './client.ts';
import { queryClient } from './query-client.ts';

export const transformersQuery = queryOptions({
  queryKey: ['transformers'],
  queryFn: ({ signal }) =>
    wholeList((query) => listOf(client.GET('/v1/transformers', { params: { query }, signal }))),
});

export const transformerQuery = (id: string) =>
  queryOptions({
    queryKey: ['transformers', id],
    queryFn: ({ signal }) =>
      bodyOf(client.GET('/v1/transformers/{id}', { params: { path: { id } }, signal })),
  });

export const definitionsQuery = queryOptions({
  queryKey: ['entity-definitions'],
  queryFn: ({ signal }) =>
    wholeList((query) =>
      listOf(client.GET('/v1/entity-definitions', { params: { query }, signal })),
    ),
  staleTime: 600_000,
});

export const refreshTransformers = () =>
  queryClient.invalidateQueries({ queryKey: ['transformers'] });
