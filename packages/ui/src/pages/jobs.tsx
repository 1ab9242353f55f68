import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { client, listOf } from '../api/client.ts';
import { usePages } from '../api/pages.ts';
import { IN_PLACE } from '../lib/in-place.ts';
import { counted } from '../lib/numbers.ts';
import { jobState } from '../lib/states.ts';
import { SelectField } from '../ui/field.tsx';
import { Card, Empty, Page as Frame } from '../ui/page.tsx';
import { PagedTable } from '../ui/paged-table.tsx';
import { JOB_COLUMNS, jobCells } from './job-rows.tsx';

const STATES = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'] as const;

/** The jobs of the organization, newest first. */
export function Page() {
  const { state } = useSearch({ from: '/shell/jobs' });
  const navigate = useNavigate({ from: '/jobs' });
  const status = STATES.find((one) => one === state);
  const jobs = usePages(
    ['jobs', 'all', status ?? null],
    (query, signal) =>
      listOf(
        client.GET('/v1/sync/jobs', {
          params: { query: { ...query, ...(status && { status }) } },
          signal,
        }),
      ),
    { isLive: true },
  );
  return (
    <Frame title="Jobs">
      <div className="filters">
        <SelectField
          label="State"
          value={status ?? ''}
          onValue={(value) => void navigate({ search: value ? { state: value } : {}, ...IN_PLACE })}
          choices={[
            { value: '', label: 'All states' },
            ...STATES.map((value) => ({ value, label: jobState(value).word })),
          ]}
        />
      </div>
      <Card title="Syncs" note={jobs.total !== null && counted(jobs.total, 'job')}>
        <PagedTable
          pages={jobs}
          what="The jobs"
          empty={
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
          }
          columns={JOB_COLUMNS}
          keyOf={(job) => job.id}
          cells={jobCells}
        />
      </Card>
    </Frame>
  );
}
