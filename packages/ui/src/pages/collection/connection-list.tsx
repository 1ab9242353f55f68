import { Link } from '@tanstack/react-router';
import { RefreshCw, Settings } from 'lucide-react';
import { count } from 'quarry-text/numbers';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { useSourceNames } from '../../api/use-source-names.ts';
import type { Pages } from '../../lib/pages.ts';
import { connectionState, hasFoundNothing, isRunning, nothingFoundAt } from '../../lib/states.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { LiveBox } from '../../parts/connection/live-box.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { Menu } from '../../ui/menu.tsx';
import { MoreButton, useReadAhead } from '../../ui/paged.tsx';
import { SourceTile } from '../../ui/source-tile.tsx';
import { State } from '../../ui/state.tsx';
import { Ago, Moment } from '../../ui/time.tsx';
import { useVirtualRows } from '../../ui/use-virtual-rows.ts';

type Connection = Schemas['SourceConnection'];
/** A browser allows six connections to a host for all tabs, so no more syncs than this are followed at the same time. */
const MOST_LIVE = 2;
const ROW_PX = 57;

export function ConnectionList({
  connections,
  mayChange,
}: {
  readonly connections: Pages<Connection>;
  readonly mayChange: boolean;
}) {
  const { items, total } = connections;
  const running = items.filter(({ status }) => status === 'SYNCING').slice(0, MOST_LIVE);
  const { container, parts, rowProps } = useVirtualRows<HTMLUListElement>({
    count: items.length,
    heightPx: ROW_PX,
  });
  useReadAhead(connections, parts);
  return (
    <>
      <div className="connection connections-head" aria-hidden="true">
        <span />
        <span>Source</span>
        <span>State</span>
        <span>Last read</span>
        <span className="num">Records</span>
        <span>Next sync</span>
        <span />
      </div>
      <ul className="connections" ref={container}>
        {parts.map((part) => {
          if ('height' in part)
            return <li key={part.key} aria-hidden="true" style={{ height: part.height }} />;
          const one = items[part.index] as Connection;
          return (
            <li
              key={one.id}
              aria-setsize={total ?? -1}
              aria-posinset={part.index + 1}
              {...rowProps(part.index)}
            >
              <Row connection={one} mayChange={mayChange} isFollowed={running.includes(one)} />
            </li>
          );
        })}
      </ul>
      <MoreButton pages={connections} />
    </>
  );
}

function Row({
  connection,
  mayChange,
  isFollowed,
}: {
  readonly connection: Connection;
  readonly mayChange: boolean;
  readonly isFollowed: boolean;
}) {
  const { id, name, short_name, readable_collection_id, sync, entities } = connection;
  const sourceName = useSourceNames()(short_name);
  const { tone, word } = connectionState(connection);
  const isEmpty = connection.status === 'ACTIVE' && hasFoundNothing(connection);
  const last = sync?.last_job ?? null;
  const run = useSubmit(async () => {
    await bodyOf(client.POST('/v1/source-connections/{id}/run', { params: { path: { id } } }));
    await queryClient.invalidateQueries({ queryKey: ['connections'] });
  });
  const page = {
    to: '/collections/$collection/connections/$connection',
    params: { collection: readable_collection_id, connection: id },
  } as const;
  return (
    <>
      <div className="connection">
        <SourceTile shortName={connection.short_name} name={sourceName} />
        <Link {...page} className="cut">
          <strong className="cut" dir="auto">
            {name}
          </strong>
          <span className="muted small">
            {sourceName}
            {connection.auth.account && <> · {connection.auth.account}</>}
            {isEmpty && <> · {nothingFoundAt(short_name)}</>}
          </span>
        </Link>
        <State tone={tone}>{word}</State>
        <span className="small">
          <span className="only-narrow muted">Last read </span>
          <Freshness connection={connection} />
        </span>
        <span className="num">
          <strong>{count(entities.total_entities)}</strong>
          <span className="only-narrow"> records</span>
        </span>
        <span className="small muted">
          <span className="only-narrow">Next sync: </span>
          <NextSync connection={connection} />
        </span>
        <span className="row">
          {mayChange && connection.status === 'NEEDS_REAUTH' && (
            <Link {...page} className="btn sm">
              Sign in again
            </Link>
          )}
          {mayChange && (
            <Menu name={name}>
              <button type="button" aria-keyshortcuts="r" onClick={() => run.submit()}>
                <RefreshCw size={15} aria-hidden="true" /> Sync now
              </button>
              <Link {...page}>
                <Settings size={15} aria-hidden="true" /> Open
              </Link>
            </Menu>
          )}
        </span>
      </div>
      {run.error !== null && (
        <div className="pad">
          <FormFault of={run} title={`${name} was not synced`} />
        </div>
      )}
      {isFollowed && last && isRunning(last.status) && (
        <LiveBox connection={connection} job={last} mayChange={mayChange} />
      )}
    </>
  );
}

/** Everything that the source had at this time can be found. */
function Freshness({ connection }: { readonly connection: Connection }) {
  if (connection.federated_search) return 'now';
  if (connection.true_as_of) return <Ago at={connection.true_as_of} />;
  return <span className="muted">no sync yet</span>;
}

function NextSync({
  connection: { schedule, federated_search },
}: {
  readonly connection: Connection;
}) {
  if (federated_search) return 'asked at each search';
  if (schedule.next_run) return <Moment at={schedule.next_run} />;
  if (schedule.continuous) return 'as it changes';
  return 'only when started by hand';
}
