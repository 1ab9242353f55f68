/** Keeps what the service has answered, and asks again when it may have changed. */
import { QueryCache, QueryClient } from '@tanstack/react-query';
import { Refusal, Unreachable } from './refusal.ts';

/** Listeners hear that the session has ended. */
const endListeners = new Set<() => void>();

export function onSessionEnd(listener: () => void): () => void {
  endListeners.add(listener);
  return () => endListeners.delete(listener);
}

/** Tells the listeners when the error says that the session has ended. */
export function hear(error: unknown): void {
  if (error instanceof Refusal && error.status === 401) for (const heard of endListeners) heard();
}

/** A refusal stays one when it is asked again. A service that is away, or that is busy, is asked until it answers. */
export const isPassing = (error: unknown): boolean =>
  error instanceof Unreachable ||
  (error instanceof Refusal && [429, 502, 503, 504].includes(error.status));

/** Returns the milliseconds until something is asked for again, after so many tries in a row before have failed. */
export const retryWait = (failures: number, error: unknown): number => {
  const asked = error instanceof Refusal ? (error.retryAfter ?? 0) * 1000 : 0;
  return Math.max(asked, Math.min(1000 * 2 ** failures, 30_000));
};

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
