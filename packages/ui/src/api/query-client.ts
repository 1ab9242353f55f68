/** Keeps what the service has answered, and asks again when it may have changed. */
import { QueryCache, QueryClient } from '@tanstack/react-query';
import { Refusal } from '../lib/refusal.ts';
import { isPassing, retryWait } from '../lib/retry.ts';
import { hear } from '../lib/session-end.ts';

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error, query) {
      hear(error);
      // Data that is gone, or forbidden since, leaves the page. After other faults, the earlier answer stays.
      const isGone = error instanceof Refusal && [403, 404].includes(error.status);
      if (isGone) query.setState({ data: undefined });
    },
  }),
  defaultOptions: {
    queries: {
      retry: (_failures, error) => isPassing(error),
      retryDelay: retryWait,
      staleTime: 2000,
      networkMode: 'always',
    },
  },
});
