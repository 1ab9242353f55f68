import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Plus, RefreshCw } from 'lucide-react';
import { count } from 'quarry-text/numbers';
import { bodyOf, client, listOf } from '../../api/client.ts';
import { usePages } from '../../api/pages.ts';
import { collectionQuery, meQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { isAtLeast } from '../../lib/role.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { Card, Empty } from '../../ui/page.tsx';
import { Paged } from '../../ui/paged.tsx';
import { Attention } from './attention.tsx';
import { ConnectionList } from './connection-list.tsx';
import { CollectionFrame } from './frame.tsx';
import { RecentJobs } from './recent-jobs.tsx';

export function Page() {
  const { collection } = useParams({ from: '/shell/collections/$collection' });
  const { data: me } = useSuspenseQuery(meQuery);
  const { data } = useSuspenseQuery(collectionQuery(collection));
  const connections = usePages(
    ['connections', collection],
    (query, signal) =>
      listOf(
        client.GET('/v1/source-connections', {
          params: { query: { ...query, collection } },
          signal,
        }),
      ),
    { isLive: true },
  );
  const mayChange = isAtLeast(me.role, 'member');
  const connect = mayChange && (
    <Link
      to="/collections/$collection/connect"
      params={{ collection }}
      className={buttonClass({ look: 'primary' })}
      aria-keyshortcuts="c"
    >
      <Plus size={16} aria-hidden="true" /> Connect a source
    </Link>
  );
  const syncAll = useSubmit(async () => {
    await bodyOf(
      client.POST('/v1/collections/{readable_id}/refresh_all', {
        params: { path: { readable_id: collection } },
      }),
    );
    await queryClient.invalidateQueries({ queryKey: ['connections'] });
  });
  return (
    <CollectionFrame
      collection={collection}
      actions={
        <>
          {mayChange && connections.items.some((one) => !one.federated_search) && (
            <Button busy={syncAll.isBusy && 'Starting …'} onClick={() => syncAll.submit()}>
              <RefreshCw size={15} aria-hidden="true" />{' '}
              {data.source_connections > 1 ? 'Sync all' : 'Sync now'}
            </Button>
          )}
          {connect}
        </>
      }
    >
      <FormFault of={syncAll} title="The syncs were not started" />
      <Attention connections={connections.items} mayChange={mayChange} />
      <Card title="Connections" note={connections.total !== null && count(connections.total)}>
        <Paged
          pages={connections}
          what="The connections"
          empty={
            <Empty action={connect}>
              No source yet. Quarry can copy folders, databases and apps into this collection.
            </Empty>
          }
        >
          {() => <ConnectionList connections={connections} mayChange={mayChange} />}
        </Paged>
      </Card>
      {connections.items.length > 0 && <RecentJobs collection={collection} />}
    </CollectionFrame>
  );
}
