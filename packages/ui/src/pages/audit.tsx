import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { client, listOf, type Schemas } from '../api/client.ts';
import { keepWithin } from '../api/keep.ts';
import { meQuery } from '../api/queries.ts';
import { messageOf } from '../api/refusal.ts';
import { IN_PLACE } from '../lib/in-place.ts';
import { typeName } from '../lib/words.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { FilterField } from '../ui/filter-field.tsx';
import { OnlyAdmins } from '../ui/only-admins.tsx';
import { Card, Empty, Page as Frame } from '../ui/page.tsx';
import { Skeletons } from '../ui/part.tsx';
import { Scroller } from '../ui/scroller.tsx';
import { Ago } from '../ui/time.tsx';

const PART = 100;

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
  const events = useInfiniteQuery({
    queryKey: ['audit', actor],
    placeholderData: keepWithin(['audit']),
    initialPageParam: 0,
    queryFn: ({ pageParam: skip, signal }) =>
      listOf(
        client.GET('/v1/audit-events', {
          params: { query: { skip, limit: PART, ...(actor && { actor }) } },
          signal,
        }),
      ),
    getNextPageParam: (last, pages) => {
      const read = pages.reduce((sum, { items }) => sum + items.length, 0);
      return read < last.total ? read : null;
    },
  });
  const items = events.data?.pages.flatMap((page) => page.items) ?? [];
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
      {events.error && (
        <Banner
          tone="bad"
          title="The audit log could not be loaded"
          actions={<Button onClick={() => void events.refetch()}>Try again</Button>}
        >
          {messageOf(events.error)}
        </Banner>
      )}
      <Card title="Acts">
        {events.isPending && <Skeletons rows={5} />}
        {events.isSuccess && items.length === 0 && (
          <Empty
            action={
              actor && (
                <Link to="/audit" search={{}} className="link">
                  Show all acts
                </Link>
              )
            }
          >
            {actor ? 'No act matches.' : 'Nothing was done yet.'}
          </Empty>
        )}
        {items.length > 0 && (
          <Scroller>
            <table>
              <thead>
                <tr>
                  <th>When</th>
                  <th>Who</th>
                  <th>What</th>
                  <th>From</th>
                </tr>
              </thead>
              <tbody>
                {items.map((event) => (
                  <Row key={event.id} event={event} />
                ))}
              </tbody>
            </table>
          </Scroller>
        )}
        {events.hasNextPage && (
          <p className="pad">
            <Button
              busy={events.isFetchingNextPage && 'Loading …'}
              onClick={() => void events.fetchNextPage()}
            >
              Show 100 more
            </Button>
          </p>
        )}
      </Card>
    </>
  );
}

function Row({ event }: { readonly event: Schemas['AuditEvent'] }) {
  const { actor, target, action, created_at, address } = event;
  const [kind = '', act = ''] = action.split('.');
  return (
    <tr>
      <td className="muted">
        <Ago at={created_at} />
      </td>
      <td>
        <bdi>{actor.email ?? actor.name ?? 'the operator'}</bdi>
        {actor.type === 'api_key' && (
          <>
            <br />
            <span className="muted tiny">
              key <bdi>{actor.name}</bdi>
            </span>
          </>
        )}
      </td>
      <td>
        {typeName(kind)} {typeName(act).toLowerCase()}
        {target.name && (
          <>
            : <bdi>{target.name}</bdi>
          </>
        )}
      </td>
      <td className="muted">{address}</td>
    </tr>
  );
}
