import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { connectionJobsQuery, connectionQuery, meQuery } from '../../api/queries.ts';
import { count } from '../../lib/numbers.ts';
import { isAtLeast } from '../../lib/role.ts';
import { connectionState, isRunning } from '../../lib/states.ts';
import { useSourceNames } from '../../lib/use-source-names.ts';
import { Card, Empty, Page as Frame } from '../../ui/page.tsx';
import { Part } from '../../ui/part.tsx';
import { State } from '../../ui/state.tsx';
import { Ago } from '../../ui/time.tsx';
import { LiveBox } from '../collection/live-box.tsx';
import { COLLECTIONS, crumbOf, useCollectionName } from '../collection/tabs.tsx';
import { Delete } from './delete.tsx';
import { Fault } from './fault.tsx';
import { JobTable } from './job-table.tsx';
import { Records } from './records.tsx';
import { Run } from './run.tsx';
import { Schedule } from './schedule.tsx';

const FROM = '/shell/collections/$collection/connections/$connection';

/** One connection: how it is, what its syncs have done, and when the next one comes. */
export function Page() {
  const { collection, connection: id } = useParams({ from: FROM });
  const { data: connection } = useSuspenseQuery(connectionQuery(id));
  const { data: me } = useSuspenseQuery(meQuery);
  const jobs = useQuery(connectionJobsQuery(id));
  const collectionName = useCollectionName(collection);
  const sourceName = useSourceNames()(connection.short_name);
  const mayChange = isAtLeast(me.role, 'member');
  const { tone, word } = connectionState(connection);
  const running = jobs.data?.items.find(({ status }) => isRunning(status));
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
          <span>
            <strong>{count(connection.entities.total_entities)}</strong> records
          </span>
        </>
      }
      actions={
        mayChange && !connection.federated_search && <Run id={id} isRunning={Boolean(running)} />
      }
    >
      <Fault connection={connection} mayChange={mayChange} newest={jobs.data?.items[0]} />
      {running && <LiveBox connection={connection} job={running} mayChange={mayChange} />}
      <div className="cols aside">
        <Card title="Jobs" note={jobs.data && count(jobs.data.total)}>
          <Part query={jobs} what="The jobs">
            {({ items }) =>
              items.length === 0 ? (
                <Empty>No sync has run yet.</Empty>
              ) : (
                <JobTable jobs={items} connectionId={id} mayChange={mayChange} />
              )
            }
          </Part>
        </Card>
        <div className="stack">
          <Records connection={connection} />
          {!connection.federated_search && (
            <Schedule connection={connection} mayChange={mayChange} />
          )}
          {mayChange && <Delete connection={connection} collection={collection} />}
        </div>
      </div>
    </Frame>
  );
}
