import { useInfiniteQuery, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { bytes, counted } from 'quarry-text/numbers';
import { markedText, plainText } from 'quarry-text/passage';
import { useEffect } from 'react';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { meQuery, sourcesQuery } from '../../api/queries.ts';
import { useSourceNames } from '../../api/use-source-names.ts';
import { Refusal } from '../../lib/refusal.ts';
import { kindOf } from '../../lib/source-kinds.ts';
import { typeName } from '../../lib/words.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Empty, Page as Frame } from '../../ui/page.tsx';
import { Part } from '../../ui/part.tsx';
import { Ago } from '../../ui/time.tsx';
import { WhoMaySee } from './record-access.tsx';
import { Origin } from './record-origin.tsx';
import '../../styles/contents.css';
import { COLLECTIONS, crumbOf, useCollectionName } from '../../parts/collection-crumbs.ts';

const FROM = '/shell/collections/$collection/record';
const CHUNKS = 50;
/** A passage far below is shown with so many before it. */
const BEFORE = 20;

/** One record: its text, chunk by chunk, and its fields. */
export function Page() {
  const { collection } = useParams({ from: FROM });
  const { id = '', at, q = '' } = useSearch({ from: FROM });
  const collectionName = useCollectionName(collection);
  const { data: me } = useSuspenseQuery(meQuery);
  const meant = Math.max(0, Number(at) || 0);
  const start = meant < CHUNKS ? 0 : meant - BEFORE;
  const record = useInfiniteQuery({
    queryKey: ['record', collection, id, start],
    initialPageParam: { from: start, limit: CHUNKS },
    // Somebody may come back to a record that is gone by now.
    refetchOnMount: 'always',
    queryFn: ({ pageParam, signal }) =>
      bodyOf(
        client.GET('/v1/collections/{readable_id}/contents/read', {
          params: {
            path: { readable_id: collection },
            query: { id, ...pageParam },
          },
          signal,
        }),
      ),
    getPreviousPageParam: (_page, _pages, { from }) => {
      const earlier = Math.max(0, from - CHUNKS);
      return from > 0 ? { from: earlier, limit: from - earlier } : null;
    },
    getNextPageParam: ({ total_chunks }, _pages, { from, limit }) =>
      from + limit < total_chunks ? { from: from + limit, limit: CHUNKS } : null,
  });
  const shown = record.data?.pages[0];
  const chunks = record.data?.pages.flatMap((page) => page.chunks) ?? [];
  const above = [
    COLLECTIONS,
    crumbOf(collection, collectionName),
    { label: 'Contents', to: `/collections/${encodeURIComponent(collection)}/contents` },
  ];
  if (record.error instanceof Refusal && record.error.status === 404)
    return (
      <Frame title="Record" above={above}>
        <Empty
          action={
            <Link
              to="/collections/$collection/contents"
              params={{ collection }}
              className="link nowrap"
            >
              See the contents
            </Link>
          }
        >
          This record was deleted, or never existed.
        </Empty>
      </Frame>
    );
  if (!shown)
    return (
      <Frame title="Record" above={above}>
        <Part query={record} what="The record">
          {() => null}
        </Part>
      </Frame>
    );
  return (
    <Frame
      title={shown.name}
      above={above}
      sub={
        <>
          {shown.breadcrumbs.length > 0 && <bdi>{shown.breadcrumbs.join(' › ')}</bdi>}
          <span>{typeName(shown.entity_type)}</span>
          {shown.updated_at && (
            <span>
              changed <Ago at={shown.updated_at} />
            </span>
          )}
        </>
      }
      actions={
        /^https?:/.test(shown.url) && (
          <a className="btn" href={shown.url} target="_blank" rel="noreferrer">
            Open the original
            <span className="sr">
              {' '}
              of <bdi>{shown.name}</bdi>
            </span>
          </a>
        )
      }
    >
      <div className="cols aside">
        <Card title="Text" note={counted(shown.total_chunks, 'passage')}>
          {record.hasPreviousPage && (
            <p className="pad">
              <Button
                busy={record.isFetchingPreviousPage && 'Loading …'}
                onClick={() => void record.fetchPreviousPage()}
              >
                Show earlier
              </Button>
            </p>
          )}
          {chunks.map((chunk) => (
            <Chunk
              key={chunk.position}
              chunk={chunk}
              query={q}
              isMeant={at === String(chunk.position)}
            />
          ))}
          {record.hasNextPage && (
            <p className="pad">
              <Button
                busy={record.isFetchingNextPage && 'Loading …'}
                onClick={() => void record.fetchNextPage()}
              >
                Show more
              </Button>
            </p>
          )}
        </Card>
        <div className="stack">
          {me.role === 'admin' && <WhoMaySee key={id} id={shown.entity_record_id} />}
          <Origin record={shown} collection={collection} />
          <Fields record={shown} />
        </div>
      </div>
    </Frame>
  );
}

function Chunk({
  chunk: { position, heading, page, text },
  query,
  isMeant,
}: {
  readonly chunk: Schemas['ContentDocument']['chunks'][number];
  readonly query: string;
  readonly isMeant: boolean;
}) {
  const id = `passage-${position}`;
  useEffect(() => {
    if (isMeant) document.getElementById(id)?.scrollIntoView({ block: 'center' });
  }, [id, isMeant]);
  return (
    <section
      id={id}
      className={isMeant ? 'chunk meant' : 'chunk'}
      aria-label={`Passage ${position + 1}`}
    >
      <p className="muted tiny">
        {[heading, page !== null && `page ${page}`].filter(Boolean).join(' · ')}
      </p>
      <p className="reading" dir="auto">
        {markedText(plainText(text), query).map((piece, i) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a passage never move.
          piece.isMatch ? <mark key={i}>{piece.text}</mark> : <span key={i}>{piece.text}</span>,
        )}
      </p>
    </section>
  );
}

function Fields({ record }: { readonly record: Schemas['ContentDocument'] }) {
  const nameOf = useSourceNames();
  const sources = useQuery(sourcesQuery).data ?? [];
  const source = sources.find(({ short_name }) => short_name === record.source_name);
  // A size in a table, or in what people push, may be one of anything.
  const hasBytes = source && ['folder', 'app'].includes(kindOf(source) ?? '');
  const fields = Object.entries(record.metadata).filter(([, value]) => value !== null);
  return (
    <Card title="Fields">
      <dl className="pairs pad">
        <dt>Source</dt>
        <dd>{nameOf(record.source_name)}</dd>
        {fields.map(([name, value]) => (
          <Pair
            key={name}
            name={typeName(name)}
            value={hasBytes && name === 'size' && typeof value === 'number' ? bytes(value) : value}
          />
        ))}
        <dt>Id at the source</dt>
        <dd>
          <code>{record.entity_id}</code>
        </dd>
      </dl>
    </Card>
  );
}

const Pair = ({ name, value }: { readonly name: string; readonly value: unknown }) => (
  <>
    <dt>{name}</dt>
    <dd>
      <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>
    </dd>
  </>
);
