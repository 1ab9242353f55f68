import { queryOptions } from '@tanstack/react-query';
import { client, listOf } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';

export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: ({ signal }) =>
    listOf(client.GET('/v1/members', { params: { query: { limit: 1000 } }, signal })),
});

export const refreshMembers = () =>
  queryClient.invalidateQueries({ queryKey: membersQuery.queryKey });
