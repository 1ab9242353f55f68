/** Follows a job that runs, by the stream of the API. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { Refusal } from '../lib/refusal.ts';
import type { Schemas } from './client.ts';
import { follow } from './events.ts';

export type Progress = Schemas['SyncJobProgress'];
type JobEvent = Progress | Schemas['SyncJobDone'] | Schemas['StreamError'];

interface Known {
  readonly jobId: string;
  readonly progress: Progress;
}

function watchVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}

/**
 * Returns the newest progress that the stream has told; null before the first one. A tab that nobody sees gives up its
 * stream, because the browser shares few connections to a host between all tabs.
 */
export function useProgress(connectionId: string, jobId: string): Progress | null {
  const queries = useQueryClient();
  const [known, setKnown] = useState<Known | null>(null);
  const isVisible = useSyncExternalStore(
    watchVisibility,
    () => document.visibilityState === 'visible',
  );
  useEffect(() => {
    if (!isVisible) return;
    const ending = new AbortController();
    const url = `/v1/source-connections/${connectionId}/jobs/${jobId}/stream`;
    follow<JobEvent>({ url, signal: ending.signal }, (event) => {
      if (event.type === 'progress') setKnown({ jobId, progress: event });
      return event.type === 'done';
    })
      .catch((error: unknown) => {
        // The connection, or its job, is gone, and the lists that are asked for below say so.
        if (!(error instanceof Refusal)) throw error;
      })
      .finally(() => {
        if (ending.signal.aborted) return;
        void queries.invalidateQueries({ queryKey: ['connections'] });
        void queries.invalidateQueries({ queryKey: ['jobs'] });
      });
    return () => ending.abort();
  }, [connectionId, jobId, isVisible, queries]);
  return known?.jobId === jobId ? known.progress : null;
}
