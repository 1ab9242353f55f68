import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { Skeletons } from '../ui/part.tsx';
import { Waiting } from '../ui/waiting.tsx';

/** Takes the place of a page until all that it needs is there, and says why that takes long. */
export function PagePending() {
  const cache = useQueryClient().getQueryCache();
  const failing = useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () =>
      cache
        .getAll()
        .find(({ state }) => state.data === undefined && state.fetchFailureReason !== null)?.state,
  );
  return (
    <>
      {failing && (
        <Waiting
          what="This page"
          failureCount={failing.fetchFailureCount}
          failureReason={failing.fetchFailureReason}
        />
      )}
      <Skeletons rows={6} />
    </>
  );
}
