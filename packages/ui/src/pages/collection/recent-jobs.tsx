import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client, listOf, type Schemas } from '../../api/client.ts';
import { changesOf, jobState } from '../../lib/states.ts';
import { duration } from '../../lib/time.ts';
import { Card, Empty } from '../../ui/page.tsx';
import { Part } from '../../ui/part.tsx';
import { Scroller } from '../../ui/scroller.tsx';
import { State } from '../../ui/state.tsx';
import { Ago } from '../../ui/time.tsx';

const SHOWN = 8;

/** The newest jobs of these connections. */
export function RecentJobs({
  connections,
}: {
  readonly connections: readonly Schemas['SourceConnection'][];
}) {
  const bySync = new Map(connections.map((one) => [one.sync_id, one]));
  const jobs = useQuery({
    queryKey: ['jobs', 'newest'],
    queryFn: ({ signal }) =>
      listOf(client.GET('/v1/sync/jobs', { params: { query: { limit: 100 } }, signal })),
    refetchInterval: 5000,
  });
  return (
    <Card
      title="Recent jobs"
      actions={
        <Link to="/jobs" className="link small">
          All jobs
        </Link>
      }
    >
      <Part query={jobs} what="The jobs">
        {({ items }) => {
          const own = items.filter(({ sync_id }) => bySync.has(sync_id)).slice(0, SHOWN);
          if (own.length === 0) return <Empty>No sync has run yet.</Empty>;
          return (
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
                  {own.map((job) => (
                    <JobRow key={job.id} job={job} connection={bySync.get(job.sync_id)} />
                  ))}
                </tbody>
              </table>
            </Scroller>
          );
        }}
      </Part>
    </Card>
  );
}

function JobRow({
  job,
  connection,
}: {
  readonly job: Schemas['SyncJob'];
  readonly connection: Schemas['SourceConnection'] | undefined;
}) {
  const { tone, word } = jobState(job.status);
  const end = job.completed_at ?? job.failed_at;
  return (
    <tr>
      <td>
        {connection && (
          <Link
            to="/collections/$collection/connections/$connection"
            params={{
              collection: connection.readable_collection_id,
              connection: connection.id,
            }}
          >
            <bdi>{connection.name}</bdi>
          </Link>
        )}
        <br />
        <span className="muted tiny">
          <Ago at={job.created_at} />
        </span>
      </td>
      <td>
        <State tone={tone}>{word}</State>
      </td>
      <td className="soft">{job.error ?? changesOf(job)}</td>
      <td className="num nowrap">
        {job.started_at && end && duration(Date.parse(end) - Date.parse(job.started_at))}
      </td>
    </tr>
  );
}
