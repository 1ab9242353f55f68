import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.ts';
import { changesOf, jobState } from '../../lib/states.ts';
import { duration } from '../../lib/time.ts';
import { Card, Empty } from '../../ui/page.tsx';
import { Scroller } from '../../ui/scroller.tsx';
import { State } from '../../ui/state.tsx';
import { Ago } from '../../ui/time.tsx';

type Connection = Schemas['SourceConnection'];
const SHOWN = 8;

/** Shows the newest job of each connection, the newest first. The connections have them, so nothing more is asked. */
export function RecentJobs({ connections }: { readonly connections: readonly Connection[] }) {
  const startOf = ({ sync }: Connection) => sync?.last_job?.started_at ?? '';
  const newest = connections
    .filter((one) => startOf(one) !== '')
    .toSorted((a, b) => (startOf(a) < startOf(b) ? 1 : -1))
    .slice(0, SHOWN);
  return (
    <Card
      title="Newest jobs"
      actions={
        <Link to="/jobs" className="link small">
          All jobs
        </Link>
      }
    >
      {newest.length === 0 && <Empty>No sync has run yet.</Empty>}
      {newest.length > 0 && (
        <Scroller>
          <table>
            <thead>
              <tr>
                <th>Connection</th>
                <th>Result</th>
                <th>Changes</th>
                <th className="num">Took</th>
              </tr>
            </thead>
            <tbody>
              {newest.map((one) => (
                <JobRow key={one.id} connection={one} />
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
    </Card>
  );
}

function JobRow({
  connection: { id, name, readable_collection_id, sync },
}: {
  readonly connection: Connection;
}) {
  const job = sync?.last_job;
  if (!job) return null;
  const { tone, word } = jobState(job.status);
  return (
    <tr>
      <td>
        <Link
          to="/collections/$collection/connections/$connection"
          params={{ collection: readable_collection_id, connection: id }}
        >
          <bdi>{name}</bdi>
        </Link>
        <br />
        <span className="muted tiny">{job.started_at && <Ago at={job.started_at} />}</span>
      </td>
      <td>
        <State tone={tone}>{word}</State>
      </td>
      <td className="soft">{job.error ?? changesOf(job)}</td>
      <td className="num nowrap">
        {job.duration_seconds !== null && duration(job.duration_seconds * 1000)}
      </td>
    </tr>
  );
}
