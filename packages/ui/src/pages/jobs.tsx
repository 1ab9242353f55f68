import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { counted } from 'quarry-text/numbers';
import { client, listOf } from '../api/client.ts';
import { usePages } from '../api/pages.ts';
import { collectionsQuery } from '../api/queries.ts';
import { IN_PLACE } from '../lib/in-place.ts';
import { jobState } from '../lib/states.ts';
import { JOB_COLUMNS, jobCells } from '../parts/job-rows.tsx';
import { EmptyList } from '../ui/empty-list.tsx';
import { SelectField } from '../ui/field.tsx';
import { Card, Page as Frame } from '../ui/page.tsx';
import { PagedTable } from '../ui/paged-table.tsx';

const STATES = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'] as const;

/** The jobs of the organization, or of one collection, newest first. */
export function Page() {
  const { state, c: collection } = useSearch({ from: '/shell/jobs' });
  const navigate = useNavigate({ from: '/jobs' });
  const status = STATES.find((one) => one === state);
  const jobs = usePages(
    ['jobs', 'all', status ?? null, collection ?? null],
    (query, signal) =>
      listOf(
        client.GET('/v1/sync/jobs', {
          params: {
            query: { ...query, ...(status && { status }), ...(collection && { collection }) },
          },
          signal,
        }),
      ),
    { isLive: true },
  );
  return (
    <Frame title="Jobs">
      <div className="filters">
        <CollectionField
          value={collection ?? ''}
          onValue={(value) =>
            void navigate({ search: (old) => ({ ...old, c: value || undefined }), ...IN_PLACE })
          }
        />
        <SelectField
          label="State"
          value={status ?? ''}
          onValue={(value) =>
            void navigate({ search: (old) => ({ ...old, state: value || undefined }), ...IN_PLACE })
          }
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
            <EmptyList
              isFiltered={status !== undefined || collection !== undefined}
              filtered="No job matches."
              nothing="No sync has run yet."
              all={{ label: 'Show all jobs', to: '/jobs' }}
            />
          }
          columns={JOB_COLUMNS}
          keyOf={(job) => job.id}
          cells={jobCells}
        />
      </Card>
    </Frame>
  );
}

function CollectionField(field: {
  readonly value: string;
  readonly onValue: (value: string) => void;
}) {
  const known = useQuery(collectionsQuery).data?.items ?? [];
  const choices = known.map(({ readable_id, name }) => ({ value: readable_id, label: name }));
  // The address may name a collection that is not known yet, or that is gone.
  const isKnown = field.value === '' || choices.some(({ value }) => value === field.value);
  return (
    <SelectField
      label="Collection"
      {...field}
      choices={[
        { value: '', label: 'All collections' },
        ...(isKnown ? [] : [{ value: field.value, label: field.value }]),
        ...choices,
      ]}
    />
  );
}
