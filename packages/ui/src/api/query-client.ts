/** Keeps what the service has answered, and asks again when it may have changed. */
import { QueryCache, QueryClient } from '@tanstack/react-query';
import { isPassing, retryWait } from '../lib/retry.ts';
import { hear } from '../lib/session-end.ts';

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: hear }),
  defaultOptions: {
    queries: {
      retry: (_failures, error) => isPassing(error),
      retryDelay: retryWait,
      staleTime: 2000,
      networkMode: 'always',
    },
  },
});
