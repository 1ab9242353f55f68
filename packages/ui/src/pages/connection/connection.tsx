import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { counted } from 'quarry-text/numbers';
import { lazy, Suspense } from 'react';
import { connectionQuery, meQuery } from '../../api/queries.ts';
import { useSourceNames } from '../../api/use-source-names.ts';
import { pageFile } from '../../lib/page-file.ts';
import { isAtLeast } from '../../lib/role.ts';
import { connectionState, isRunning } from '../../lib/states.ts';
import { COLLECTIONS, crumbOf, useCollectionName } from '../../parts/collection-crumbs.ts';
import { Fault } from '../../parts/connection/fault.tsx';
import { LiveBox } from '../../parts/connection/live-box.tsx';
import { Page as Frame } from '../../ui/page.tsx';
import { State } from '../../ui/state.tsx';
import { Ago } from '../../ui/time.tsx';
import { Delete } from './delete.tsx';
import { Jobs } from './jobs.tsx';
import { RecordCounts } from './record-counts.tsx';
import { Run } from './run.tsx';
import { Schedule } from './schedule.tsx';
import { Transformers } from './transformers.tsx';
import { useJobs } from './use-jobs.ts';
import { WhatIsRead } from './what-is-read.tsx';

const FROM = '/shell/collections/$collection/connections/$connection';
/** The library of charts comes when the rest of the page is there. */
const CountsCard = lazy(
  pageFile(() => import('./counts-card.tsx').then((file) => ({ default: file.CountsCard }))),
);

/** One connection: how it is, what its syncs have done, and when the next one comes. */
export function Page() {
  const { collection, connection: id } = useParams({ from: FROM });
  const { data: connection } = useSuspenseQuery(connectionQuery(id));
  const { data: me } = useSuspenseQuery(meQuery);
  const jobs = useJobs(connection);
  const newest = jobs.items[0] ?? null;
  const collectionName = useCollectionName(collection);
  const sourceName = useSourceNames()(connection.short_name);
  const mayChange = isAtLeast(me.role, 'member');
  const { tone, word } = connectionState(connection);
  const running = newest && isRunning(newest.status) ? newest : null;
  const isCopied = !connection.federated_search;
  return (
    <Frame
      title={connection.name}
      above={[COLLECTIONS, crumbOf(collection, collectionName)]}
      sub={
        <>
          <State tone={tone}>{word}</State>
          <span>{sourceName}</span>
          {connection.auth.account && <bdi>{connection.auth.account}</bdi>}
          {connection.true_as_of && (
            <span>
              true as of <Ago at={connection.true_as_of} />
            </span>
          )}
          {isCopied && <span>{counted(connection.entities.total_entities, 'record')}</span>}
        </>
      }
      actions={mayChange && isCopied && <Run id={id} isRunning={running !== null} />}
    >
      <Fault connection={connection} mayChange={mayChange} />
      {running && <LiveBox connection={connection} job={running} mayChange={mayChange} />}
      <div className="cols aside">
        <div className="stack">
          {isCopied && (
            <Suspense fallback={<section className="card chart-room" aria-busy="true" />}>
              <CountsCard connectionId={id} />
            </Suspense>
          )}
          <Jobs connectionId={id} jobs={jobs} />
        </div>
        <div className="stack">
          <WhatIsRead connection={connection} />
          <RecordCounts connection={connection} />
          {isCopied && <Schedule connection={connection} mayChange={mayChange} />}
          {isCopied && <Transformers connection={connection} mayChange={mayChange} />}
          {mayChange && <Delete connection={connection} collection={collection} />}
        </div>
      </div>
    </Frame>
  );
}
