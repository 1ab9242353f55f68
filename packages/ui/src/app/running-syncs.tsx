import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { counted } from 'quarry-text/numbers';
import { client, listOf } from '../api/client.ts';
import { OFTEN_MS } from '../api/queries.ts';
import { State } from '../ui/state.tsx';

/** Says how many syncs run in the organization, on every page. */
export function RunningSyncs() {
  const { data: running = 0 } = useQuery({
    queryKey: ['jobs', 'running'],
    queryFn: async ({ signal }) => {
      const query = { status: 'in_progress', limit: 1 } as const;
      return (await listOf(client.GET('/v1/sync/jobs', { params: { query }, signal }))).total;
    },
    refetchInterval: OFTEN_MS,
  });
  if (running === 0) return null;
  return (
    <Link to="/jobs" search={{ state: 'in_progress' }}>
      <State tone="live">{counted(running, 'sync')} running</State>
    </Link>
  );
}
