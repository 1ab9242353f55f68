import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { connectionsQuery } from '../api/queries.ts';
import { counted } from '../lib/numbers.ts';
import { State } from '../ui/state.tsx';

/** Says how many syncs run in the organization, on every page. */
export function RunningSyncs() {
  const { data } = useQuery(connectionsQuery());
  const running = data?.items.filter(({ status }) => status === 'SYNCING').length ?? 0;
  if (running === 0) return null;
  return (
    <Link to="/jobs">
      <State tone="live">{counted(running, 'sync')} running</State>
    </Link>
  );
}
