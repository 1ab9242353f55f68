import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { pagesOf } from '../../api/pages.ts';
import { count } from '../../lib/numbers.ts';
import { useSourceNames } from '../../lib/use-source-names.ts';
import { typeName } from '../../lib/words.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Card, Empty, Page as Frame } from '../../ui/page.tsx';
import { PagedTable } from '../../ui/paged-table.tsx';
import { Part } from '../../ui/part.tsx';
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
                ...entity_types.map(({ entity_type, count: records }) => ({
                  value: entity_type,
                  label: `${typeName(entity_type)}${records === null ? '' : ` (${count(records)})`}`,
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
      <Records
        collection={collection}
        filter={{ type, source, name }}
        total={contents.data ? totalOf(contents.data, { type, source, name }) : null}
      />
    </Frame>
  );
}

interface RecordFilter {
  readonly type: string | undefined;
  readonly source: string | undefined;
  readonly name: string;
}

/** The service counts by type alone, and only for those who may see everything. */
function totalOf(
  { entity_types }: Schemas['CollectionContents'],
  { type, source, name }: RecordFilter,
): number | null {
  if (source !== undefined || name !== '') return null;
  const counts = entity_types
    .filter(({ entity_type }) => type === undefined || type === entity_type)
    .map(({ count }) => count);
  return counts.includes(null) ? null : counts.reduce((sum: number, one) => sum + (one ?? 0), 0);
}

function Records({
  collection,
  filter: { type, source, name },
  total,
}: {
  readonly collection: string;
  readonly filter: RecordFilter;
  readonly total: number | null;
}) {
  const nameOf = useSourceNames();
  const list = useInfiniteQuery({
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
  const records = pagesOf(list, total);
  return (
    <Card title="Records" note={total === null ? undefined : count(total)}>
      <PagedTable
        pages={records}
        what="The records"
        empty={<Empty>No record matches.</Empty>}
        columns={COLUMNS}
        keyOf={(one) => one.id}
        cells={(one) => [
          <RecordName key="name" collection={collection} record={one} />,
          typeName(one.entity_type),
          nameOf(one.source_name),
          one.updated_at && (
            <span key="at" className="muted">
              <Ago at={one.updated_at} />
            </span>
          ),
        ]}
      />
    </Card>
  );
}

const COLUMNS = [{ title: 'Name' }, { title: 'Type' }, { title: 'Source' }, { title: 'Changed' }];

const RecordName = ({
  collection,
  record,
}: {
  readonly collection: string;
  readonly record: Schemas['ContentItem'];
}) => (
  <>
    {record.breadcrumbs.length > 0 && (
      <span className="muted tiny">
        <bdi>{record.breadcrumbs.join(' › ')}</bdi>
        <br />
      </span>
    )}
    <Link to="/collections/$collection/record" params={{ collection }} search={{ id: record.id }}>
      <strong>
        <bdi>{record.name}</bdi>
      </strong>
    </Link>
  </>
);
