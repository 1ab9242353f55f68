import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { bodyOf, client } from '../../api/client.ts';
import { messageOf } from '../../api/refusal.ts';
import { useSourceNames } from '../../lib/use-source-names.ts';
import { typeName } from '../../lib/words.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Card, Empty, Page as Frame } from '../../ui/page.tsx';
import { Part } from '../../ui/part.tsx';
import { Scroller } from '../../ui/scroller.tsx';
import { Ago } from '../../ui/time.tsx';
import { COLLECTIONS, CollectionTabs, crumbOf, useCollectionName } from './tabs.tsx';

const FROM = '/shell/collections/$collection/contents';

/** Lists the records of a collection. */
export function Page() {
  const { collection } = useParams({ from: FROM });
  const { type, source, name = '' } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: '/collections/$collection/contents' });
  const collectionName = useCollectionName(collection);
  const nameOf = useSourceNames();
  const path = { readable_id: collection };
  const contents = useQuery({
    queryKey: ['contents', collection, null],
    queryFn: ({ signal }) =>
      bodyOf(client.GET('/v1/collections/{readable_id}/contents', { params: { path }, signal })),
  });
  const set = (change: { type?: string; source?: string; name?: string }) =>
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  return (
    <Frame
      title="Contents"
      above={[COLLECTIONS, crumbOf(collection, collectionName)]}
      tabs={<CollectionTabs collection={collection} />}
    >
      <Part query={contents} what="The contents">
        {({ entity_types, source_names }) => (
          <div className="filters">
            <TextField
              label="Name"
              type="search"
              help="A part of the name."
              value={name}
              onValue={(value) => set({ name: value || undefined })}
            />
            <SelectField
              label="Type"
              value={type ?? ''}
              onValue={(value) => set({ type: value || undefined })}
              choices={[
                { value: '', label: 'All types' },
                ...entity_types.map(({ entity_type, count }) => ({
                  value: entity_type,
                  label: `${typeName(entity_type)}${count === null ? '' : ` (${count.toLocaleString('en-GB')})`}`,
                })),
              ]}
            />
            <SelectField
              label="Source"
              value={source ?? ''}
              onValue={(value) => set({ source: value || undefined })}
              choices={[
                { value: '', label: 'All sources' },
                ...source_names.map((value) => ({ value, label: nameOf(value) })),
              ]}
            />
          </div>
        )}
      </Part>
      <Records collection={collection} filter={{ type, source, name }} />
    </Frame>
  );
}

function Records({
  collection,
  filter: { type, source, name },
}: {
  readonly collection: string;
  readonly filter: { type?: string; source?: string; name: string };
}) {
  const nameOf = useSourceNames();
  const records = useInfiniteQuery({
    queryKey: ['contents', collection, 'list', type, source, name],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      bodyOf(
        client.GET('/v1/collections/{readable_id}/contents/list', {
          params: {
            path: { readable_id: collection },
            query: {
              limit: 100,
              ...(pageParam && { after: pageParam }),
              ...(type && { entity_type: type }),
              ...(source && { source_name: source }),
              ...(name && { name }),
            },
          },
          signal,
        }),
      ),
    getNextPageParam: ({ next }) => next || null,
  });
  const items = records.data?.pages.flatMap((page) => page.items) ?? [];
  if (records.error)
    return (
      <Banner
        tone="bad"
        title="The records could not be loaded"
        actions={<Button onClick={() => void records.refetch()}>Try again</Button>}
      >
        {messageOf(records.error)}
      </Banner>
    );
  return (
    <Card title="Records">
      {items.length === 0 && !records.isPending && <Empty>No record matches.</Empty>}
      {items.length > 0 && (
        <Scroller>
          <table>
            <thead>
              <tr>
                <th>Name</th>
                <th>Type</th>
                <th>Source</th>
                <th>Changed</th>
              </tr>
            </thead>
            <tbody>
              {items.map((one) => (
                <tr key={one.id}>
                  <td>
                    {one.breadcrumbs.length > 0 && (
                      <span className="muted tiny">
                        <bdi>{one.breadcrumbs.join(' › ')}</bdi>
                        <br />
                      </span>
                    )}
                    <Link
                      to="/collections/$collection/record"
                      params={{ collection }}
                      search={{ id: one.id }}
                    >
                      <strong>
                        <bdi>{one.name}</bdi>
                      </strong>
                    </Link>
                  </td>
                  <td>{typeName(one.entity_type)}</td>
                  <td>{nameOf(one.source_name)}</td>
                  <td className="muted">{one.updated_at && <Ago at={one.updated_at} />}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
      {records.hasNextPage && (
        <p className="pad">
          <Button
            busy={records.isFetchingNextPage && 'Loading …'}
            onClick={() => void records.fetchNextPage()}
          >
            Show 100 more
          </Button>
        </p>
      )}
    </Card>
  );
}
