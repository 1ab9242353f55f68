import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { count } from 'quarry-text/numbers';
import type { ReactNode } from 'react';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { keepWithin } from '../../api/keep.ts';
import { pagesOf } from '../../api/pages.ts';
import { useSourceNames } from '../../api/use-source-names.ts';
import type { Pages } from '../../lib/pages.ts';
import { typeName } from '../../lib/words.ts';
import { Card, Empty } from '../../ui/page.tsx';
import { PagedTable } from '../../ui/paged-table.tsx';
import { Ago } from '../../ui/time.tsx';

interface RecordFilter {
  readonly type: string | undefined;
  readonly source: string | undefined;
  readonly name: string;
  readonly connection: string | undefined;
  readonly below: string | undefined;
}

/** The service counts by type alone, and only for those who may see everything. */
export function totalOf(
  { entity_types }: Schemas['CollectionContents'],
  { type, source, name, connection, below }: RecordFilter,
): number | null {
  if ((source ?? connection ?? below) !== undefined || name !== '') return null;
  const counts = entity_types
    .filter(({ entity_type }) => type === undefined || type === entity_type)
    .map(({ count }) => count);
  return counts.includes(null) ? null : counts.reduce((sum: number, one) => sum + (one ?? 0), 0);
}

/** Lists the records that filters leave, of the whole collection or of a part of it. */
export function RecordList({
  collection,
  filter: { type, source, name, connection, below },
  total,
}: {
  readonly collection: string;
  readonly filter: RecordFilter;
  readonly total: number | null;
}) {
  const part = ['contents', collection, 'list', connection, below];
  const list = useInfiniteQuery({
    queryKey: [...part, type, source, name],
    placeholderData: keepWithin(part),
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
              ...(connection && { source_connection_id: connection }),
              ...(below && { below }),
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
      <RecordTable
        collection={collection}
        pages={records}
        empty={<Empty>No record matches.</Empty>}
      />
    </Card>
  );
}

/** Shows records with their names, types and sources. */
export function RecordTable({
  collection,
  pages,
  empty,
}: {
  readonly collection: string;
  readonly pages: Pages<Schemas['ContentItem']>;
  readonly empty: ReactNode;
}) {
  const nameOf = useSourceNames();
  return (
    <PagedTable
      pages={pages}
      what="The records"
      empty={empty}
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
