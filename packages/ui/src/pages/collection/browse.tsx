import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Folder } from 'lucide-react';
import { count, counted } from 'quarry-text/numbers';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { pagesOf } from '../../api/pages.ts';
import { useSourceNames } from '../../api/use-source-names.ts';
import { wholeLevel } from '../../lib/tree.ts';
import { typeName } from '../../lib/words.ts';
import { Card, Empty } from '../../ui/page.tsx';
import { MoreButton } from '../../ui/paged.tsx';
import { PartFault } from '../../ui/part.tsx';
import { SourceTile } from '../../ui/source-tile.tsx';
import { RecordTable } from './record-list.tsx';

/** Lists the connections of a collection, each of which can be browsed. */
export function Sources({
  collection,
  connections,
}: {
  readonly collection: string;
  readonly connections: Schemas['CollectionContents']['source_connections'];
}) {
  const nameOf = useSourceNames();
  if (connections.length === 0) return null;
  return (
    <Card title="Browse" note="by source">
      <ul className="branches">
        {connections.map(({ id, name, source_name, records }) => (
          <li key={id}>
            <Link
              to="/collections/$collection/contents"
              params={{ collection }}
              search={{ in: id }}
            >
              <SourceTile shortName={source_name} name={nameOf(source_name)} />
              <span className="grow">
                <strong>
                  <bdi>{name}</bdi>
                </strong>
                <span className="muted small">{nameOf(source_name)}</span>
              </span>
              {records !== null && (
                <span className="muted small">{counted(records, 'record')}</span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Shows what is directly below a breadcrumb of a connection, and the way to it. */
export function Level({
  collection,
  connection,
  below,
  isFiltered,
}: {
  readonly collection: string;
  readonly connection: { readonly id: string; readonly name: string };
  readonly below: string | undefined;
  /** Only the way is shown, because the records that filters leave stand below. */
  readonly isFiltered: boolean;
}) {
  const query = useInfiniteQuery({
    queryKey: ['contents', collection, 'tree', connection.id, below],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      bodyOf(
        client.GET('/v1/collections/{readable_id}/contents/tree', {
          params: {
            path: { readable_id: collection },
            query: {
              source_connection_id: connection.id,
              limit: 200,
              ...(below && { below }),
              ...(pageParam && { after: pageParam }),
            },
          },
          signal,
        }),
      ),
    getNextPageParam: ({ next }) => next || null,
  });
  const { path, branches, items } = wholeLevel(query.data?.pages ?? []);
  const pages = pagesOf(query, null);
  const way = [{ id: undefined, name: connection.name }, ...path];
  if (query.error && !query.data)
    return <PartFault what="This part" error={query.error} retry={pages.retry} />;
  return (
    <>
      <nav aria-label="Place in the source" className="small">
        <ol className="crumbs">
          <li>
            <Link to="/collections/$collection/contents" params={{ collection }} search={{}}>
              All sources
            </Link>
          </li>
          {way.map(({ id, name }) => (
            <li key={id ?? ''}>
              <Link
                to="/collections/$collection/contents"
                params={{ collection }}
                search={{ in: connection.id, ...(id && { below: id }) }}
                aria-current={id === below ? 'page' : undefined}
              >
                <bdi>{name}</bdi>
              </Link>
            </li>
          ))}
        </ol>
      </nav>
      {!isFiltered && (
        <Card title={way.at(-1)?.name ?? connection.name}>
          {branches.length > 0 && (
            <ul className="branches">
              {branches.map(({ id, name, type, records }) => (
                <li key={id}>
                  <Link
                    to="/collections/$collection/contents"
                    params={{ collection }}
                    search={{ in: connection.id, below: id }}
                  >
                    <Folder size={16} aria-hidden="true" />
                    <span className="grow">
                      <strong>
                        <bdi>{name}</bdi>
                      </strong>
                      <span className="muted small">{typeName(type)}</span>
                    </span>
                    <span className="muted small">
                      {count(records)}
                      {query.hasNextPage && ' or more'} {records === 1 ? 'record' : 'records'}
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )}
          {items.length > 0 ? (
            <RecordTable collection={collection} pages={pages} empty={null} />
          ) : (
            <MoreButton pages={pages} />
          )}
          {branches.length + items.length === 0 && !query.isPending && !query.hasNextPage && (
            <Empty>Nothing is here, or nothing that you may see.</Empty>
          )}
        </Card>
      )}
    </>
  );
}
