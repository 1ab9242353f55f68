import { useEffect, useRef } from 'react';
import { client, listOf, type Schemas } from '../../api/client.ts';
import { usePages } from '../../api/pages.ts';
import { queryClient } from '../../api/query-client.ts';
import type { Pages } from '../../lib/pages.ts';

/**
 * Reads the jobs of a connection, newest first. The connection tells how its newest job is, so the list is read again
 * when that changes, and not at an interval of its own.
 */
export function useJobs({
  id,
  status,
  sync,
  deletions_held_back,
}: Schemas['SourceConnection']): Pages<Schemas['SourceConnectionJob']> {
  const key = ['jobs', 'of', id];
  const jobs = usePages(key, (query, signal) =>
    listOf(
      client.GET('/v1/source-connections/{id}/jobs', { params: { path: { id }, query }, signal }),
    ),
  );
  const told = JSON.stringify([status, sync, deletions_held_back]);
  const known = useRef(told);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is made of the id.
  useEffect(() => {
    if (known.current === told) return;
    known.current = told;
    void queryClient.invalidateQueries({ queryKey: [...key, 'pages'] });
  }, [id, told]);
  return jobs;
}
