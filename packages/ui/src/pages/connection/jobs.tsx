import { useNavigate, useSearch } from '@tanstack/react-router';
import { count, counted } from 'quarry-text/numbers';
import { duration } from 'quarry-text/time';
import type { Schemas } from '../../api/client.ts';
import { IN_PLACE } from '../../lib/in-place.ts';
import type { Pages } from '../../lib/pages.ts';
import { changesOf, jobState } from '../../lib/states.ts';
import { Card, Empty } from '../../ui/page.tsx';
import { PagedTable } from '../../ui/paged-table.tsx';
import { State } from '../../ui/state.tsx';
import { Ago } from '../../ui/time.tsx';
import { JobDetails } from './job-details.tsx';

const CONNECTION = '/shell/collections/$collection/connections/$connection';
const COLUMNS = [
  { title: 'Began' },
  { title: 'Result' },
  { title: 'Changes' },
  { title: 'Took', isNumber: true },
];

/** The jobs of a connection, newest first. The open one is in the address, so that a link can lead to it. */
export function Jobs({
  connectionId: id,
  jobs,
}: {
  readonly connectionId: string;
  readonly jobs: Pages<Schemas['SourceConnectionJob']>;
}) {
  const { job: open } = useSearch({ from: CONNECTION });
  const navigate = useNavigate({ from: '/collections/$collection/connections/$connection' });
  const toggle = (job: string) =>
    void navigate({
      search: (old) => ({ ...old, job: open === job ? undefined : job }),
      ...IN_PLACE,
    });
  return (
    <Card title="Jobs" note={jobs.total !== null && count(jobs.total)}>
      <PagedTable
        pages={jobs}
        what="The jobs"
        empty={<Empty>No sync has run yet.</Empty>}
        columns={COLUMNS}
        keyOf={(job) => job.id}
        cells={(job) => cellsOf(job, { isOpen: open === job.id, onToggle: () => toggle(job.id) })}
        details={(job) => open === job.id && <JobDetails job={job} connectionId={id} />}
      />
    </Card>
  );
}

function cellsOf(
  job: Schemas['SourceConnectionJob'],
  { isOpen, onToggle }: { readonly isOpen: boolean; readonly onToggle: () => void },
) {
  const { tone, word } = jobState(job.status);
  const isHeldBack = job.deletions_held_back > 0;
  return [
    <button
      key="at"
      type="button"
      className="link whole-row"
      aria-expanded={isOpen}
      onClick={onToggle}
    >
      {job.started_at ? <Ago at={job.started_at} /> : 'waiting'}
    </button>,
    <State key="state" tone={isHeldBack ? 'warn' : tone}>
      {isHeldBack ? `${counted(job.deletions_held_back, 'deletion')} held back` : word}
    </State>,
    <span key="changes" className="soft">
      {changesOf(job)}
    </span>,
    <span key="took" className="nowrap">
      {job.duration_seconds !== null && duration(job.duration_seconds * 1000)}
    </span>,
  ];
}
