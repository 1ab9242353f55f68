import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { client, listOf } from '../api/client.ts';
import { connectionsQuery } from '../api/queries.ts';
import { counted } from '../lib/numbers.ts';
import { changesOf, jobState } from '../lib/states.ts';
import { duration } from '../lib/time.ts';
import { SelectField } from '../ui/field.tsx';
import { Card, Empty, Page as Frame } from '../ui/page.tsx';
import { Part } from '../ui/part.tsx';
import { Scroller } from '../ui/scroller.tsx';
import { State } from '../ui/state.tsx';
import { Ago } from '../ui/time.tsx';

const STATES = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'] as const;
const SHOWN = 100;

/** The jobs of the organization, newest first. */
export function Page() {
  const { state } = useSearch({ from: '/shell/jobs' });
  const navigate = useNavigate({ from: '/jobs' });
  const status = STATES.find((one) => one === state);
  const jobs = useQuery({
    queryKey: ['jobs', 'all', status ?? null],
    queryFn: ({ signal }) =>
      listOf(
        client.GET('/v1/sync/jobs', {
          params: { query: { limit: SHOWN, ...(status && { status }) } },
          signal,
        }),
      ),
    refetchInterval: 5000,
  });
  const { data: connections } = useQuery(connectionsQuery());
  const bySync = new Map(connections?.items.map((one) => [one.sync_id, one]));
  return (
    <Frame title="Jobs">
      <div className="filters">
        <SelectField
          label="State"
          value={status ?? ''}
          onValue={(value) =>
            void navigate({ search: value ? { state: value } : {}, replace: true })
          }
          choices={[
            { value: '', label: 'All states' },
            ...STATES.map((value) => ({ value, label: jobState(value).word })),
          ]}
        />
      </div>
      <Card title="Syncs" note={jobs.data && counted(jobs.data.total, 'job')}>
        <Part query={jobs} what="The jobs" rows={8}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty
                action={
                  status && (
                    <Link to="/jobs" search={{}} className="link">
                      Show all jobs
                    </Link>
                  )
                }
              >
                {status ? 'No job matches.' : 'No sync has run yet.'}
              </Empty>
            ) : (
              <Scroller>
                <table>
                  <thead>
                    <tr>
                      <th>Connection</th>
                      <th>Began</th>
                      <th>Result</th>
                      <th>Changes</th>
                      <th className="num">Took</th>
                    </tr>
                  </thead>
                  <tbody>
                    {items.map((job) => {
                      const { tone, word } = jobState(job.status);
                      const connection = bySync.get(job.sync_id);
                      const end = job.completed_at ?? job.failed_at;
                      return (
                        <tr key={job.id}>
                          <td>
                            {connection ? (
                              <Link
                                to="/collections/$collection/connections/$connection"
                                params={{
                                  collection: connection.readable_collection_id,
                                  connection: connection.id,
                                }}
                              >
                                <strong>
                                  <bdi>{job.sync_name}</bdi>
                                </strong>
                              </Link>
                            ) : (
                              <bdi>{job.sync_name}</bdi>
                            )}
                          </td>
                          <td className="muted">
                            <Ago at={job.started_at ?? job.created_at} />
                          </td>
                          <td>
                            <State tone={tone}>{word}</State>
                          </td>
                          <td className="soft">{job.error ?? changesOf(job)}</td>
                          <td className="num nowrap">
                            {job.started_at &&
                              end &&
                              duration(Date.parse(end) - Date.parse(job.started_at))}
                          </td>
                        </tr>
                      );
                    })}
                  </tbody>
                </table>
              </Scroller>
            )
          }
        </Part>
      </Card>
    </Frame>
  );
}
