/** Follows a job that runs, by the stream of the API. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Refusal } from '../lib/refusal.ts';
import type { Schemas } from './client.ts';
import { follow } from './events.ts';

export type Progress = Schemas['SyncJobProgress'];
type JobEvent = Progress | Schemas['SyncJobDone'] | Schemas['StreamError'];

interface Known {
  readonly jobId: string;
  readonly progress: Progress;
}

/** Returns the newest progress that the stream has told; null before the first one. */
export function useProgress(connectionId: string, jobId: string): Progress | null {
  const queries = useQueryClient();
  const [known, setKnown] = useState<Known | null>(null);
  useEffect(() => {
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
  }, [connectionId, jobId, queries]);
  return known?.jobId === jobId ? known.progress : null;
}
