/** The questions about webhooks that several parts of their pages ask. */
import { queryOptions } from '@tanstack/react-query';
import { bodyOf, client, listOf } from './client.ts';
import { OFTEN_MS } from './queries.ts';
import { queryClient } from './query-client.ts';

export const subscriptionsQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: ({ signal }) =>
    // An organization has at most 100 subscriptions.
    listOf(client.GET('/v1/webhooks/subscriptions', { params: { query: { limit: 100 } }, signal })),
  refetchInterval: OFTEN_MS,
});

export const subscriptionQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', id],
    queryFn: ({ signal }) =>
      bodyOf(client.GET('/v1/webhooks/subscriptions/{id}', { params: { path: { id } }, signal })),
    refetchInterval: OFTEN_MS,
  });

export const messageQuery = (message_id: string) =>
  queryOptions({
    queryKey: ['webhooks', 'message', message_id],
    queryFn: ({ signal }) =>
      bodyOf(
        client.GET('/v1/webhooks/messages/{message_id}', {
          params: { path: { message_id }, query: { include_attempts: 'true' } },
          signal,
        }),
      ),
  });

export const refreshWebhooks = () => queryClient.invalidateQueries({ queryKey: ['webhooks'] });
