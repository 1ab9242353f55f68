import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { client, listOf, type Schemas } from '../api/client.ts';
import { usePages } from '../api/pages.ts';
import { meQuery } from '../api/queries.ts';
import { IN_PLACE } from '../lib/in-place.ts';
import { typeName } from '../lib/words.ts';
import { EmptyList } from '../ui/empty-list.tsx';
import { FilterField } from '../ui/filter-field.tsx';
import { OnlyAdmins } from '../ui/only-admins.tsx';
import { Card, Page as Frame } from '../ui/page.tsx';
import { PagedTable } from '../ui/paged-table.tsx';
import { Ago } from '../ui/time.tsx';

const COLUMNS = [{ title: 'When' }, { title: 'Who' }, { title: 'What' }, { title: 'From' }];

export function Page() {
  const { data: me } = useSuspenseQuery(meQuery);
  return (
    <Frame title="Audit log" sub="Who did what, on what, and from where. Kept for a year.">
      {me.role === 'admin' ? <Events /> : <OnlyAdmins />}
    </Frame>
  );
}

function Events() {
  const { actor = '' } = useSearch({ from: '/shell/audit' });
  const navigate = useNavigate({ from: '/audit' });
  const events = usePages(['audit', actor], (query, signal) =>
    listOf(
      client.GET('/v1/audit-events', {
        params: { query: { ...query, ...(actor && { actor }) } },
        signal,
      }),
    ),
  );
  return (
    <>
      <div className="filters">
        <FilterField
          label="By whom"
          help="An e-mail address, or the id of a key."
          value={actor}
          onValue={(value) => void navigate({ search: value ? { actor: value } : {}, ...IN_PLACE })}
        />
      </div>
      <Card title="Acts">
        <PagedTable
          pages={events}
          what="The audit log"
          empty={
            <EmptyList
              isFiltered={actor !== ''}
              filtered="No act matches."
              nothing="Nothing was done yet."
              all={{ label: 'Show all acts', to: '/audit' }}
            />
          }
          columns={COLUMNS}
          keyOf={(event) => event.id}
          cells={cellsOf}
        />
      </Card>
    </>
  );
}

function cellsOf({
  actor,
  target,
  action,
  created_at,
  address,
}: Schemas['AuditEvent']): readonly ReactNode[] {
  const [kind = '', act = ''] = action.split('.');
  return [
    <span key="when" className="muted">
      <Ago at={created_at} />
    </span>,
    <span key="who">
      <bdi>{actor.email ?? actor.name ?? 'the operator'}</bdi>
      {actor.type === 'api_key' && (
        <>
          <br />
          <span className="muted tiny">
            key <bdi>{actor.name}</bdi>
          </span>
        </>
      )}
    </span>,
    <span key="what">
      {typeName(kind)} {typeName(act).toLowerCase()}
      {target.name && (
        <>
          : <bdi>{target.name}</bdi>
        </>
      )}
    </span>,
    address && (
      <span key="from" className="muted">
        {address}
      </span>
    ),
  ];
}
