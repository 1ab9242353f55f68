import { count } from 'quarry-text/numbers';
import { client, listOf, type Schemas } from '../../api/client.ts';
import { usePages } from '../../api/pages.ts';
import { typeName } from '../../lib/words.ts';
import { Empty } from '../../ui/page.tsx';
import { PagedTable } from '../../ui/paged-table.tsx';

interface LeftOutProps {
  readonly connectionId: string;
  readonly jobId: string;
  /** The job has counted so many; the list keeps the first 1,000. */
  readonly counted: number;
}

const COLUMNS = [{ title: 'Record' }, { title: 'Type' }, { title: 'Why' }];

/** Lists the records that failed, with the reason and what helps. */
export function Failures({ connectionId, jobId, counted }: LeftOutProps) {
  const path = { id: connectionId, job_id: jobId };
  const failures = usePages<Schemas['JobFailure']>(['jobs', jobId, 'failures'], (query, signal) =>
    listOf(
      client.GET('/v1/source-connections/{id}/jobs/{job_id}/failures', {
        params: { path, query },
        signal,
      }),
    ),
  );
  return (
    <section aria-label="Failures">
      <h3>{headOf('failed', counted, failures.total)}</h3>
      <PagedTable
        pages={failures}
        what="The failures"
        empty={<Empty>Quarry no longer has this list. It keeps lists of newer jobs only.</Empty>}
        columns={COLUMNS}
        keyOf={(one) => `${one.entity_id} ${one.stage}`}
        cells={(one) => [
          <code key="id">{one.entity_id}</code>,
          typeName(one.entity_type),
          <Why key="why" text={one.message} hint={one.hint} />,
        ]}
      />
    </section>
  );
}

/** Lists the records that were left out on purpose. */
export function Skipped({ connectionId, jobId, counted }: LeftOutProps) {
  const path = { id: connectionId, job_id: jobId };
  const skipped = usePages<Schemas['JobSkipped']>(['jobs', jobId, 'skipped'], (query, signal) =>
    listOf(
      client.GET('/v1/source-connections/{id}/jobs/{job_id}/skipped', {
        params: { path, query },
        signal,
      }),
    ),
  );
  return (
    <section aria-label="Left out on purpose">
      <h3>{headOf('left out on purpose', counted, skipped.total)}</h3>
      <PagedTable
        pages={skipped}
        what="The records that were left out"
        empty={<Empty>Quarry no longer has this list. It keeps lists of newer jobs only.</Empty>}
        columns={COLUMNS}
        keyOf={(one) => `${one.entity_id} ${one.reason}`}
        cells={(one) => [
          <code key="id">{one.entity_id}</code>,
          typeName(one.entity_type),
          <Why
            key="why"
            text={one.detail === null ? one.reason : `${one.reason} (${one.detail})`}
            hint={one.hint}
          />,
        ]}
      />
    </section>
  );
}

const headOf = (what: string, counted: number, listed: number | null): string =>
  listed !== null && listed > 0 && listed < counted
    ? `${count(counted)} ${what}, the first ${count(listed)}`
    : `${count(counted)} ${what}`;

const Why = ({ text, hint }: { readonly text: string; readonly hint: string | null }) => (
  <>
    {text}
    {hint && (
      <>
        <br />
        <span className="muted">{hint}</span>
      </>
    )}
  </>
);
