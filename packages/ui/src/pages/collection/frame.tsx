import { useSuspenseQuery } from '@tanstack/react-query';
import { count, counted } from 'quarry-text/numbers';
import type { ReactNode } from 'react';
import { collectionQuery } from '../../api/queries.ts';
import { COLLECTIONS } from '../../parts/collection-crumbs.ts';
import { CopyButton } from '../../ui/code.tsx';
import { Page } from '../../ui/page.tsx';
import { Ago } from '../../ui/time.tsx';
import { CollectionTabs } from './tabs.tsx';

/** The pages of a collection have one head, so that nothing moves when one goes from one page to another. */
export function CollectionFrame({
  collection,
  part,
  actions,
  children,
}: {
  readonly collection: string;
  /** The title of the window begins with it. */
  readonly part?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const { data } = useSuspenseQuery(collectionQuery(collection));
  const records = data.entities.total_entities;
  return (
    <Page
      title={data.name}
      part={part}
      above={[COLLECTIONS]}
      sub={
        <>
          <span className="row">
            <code>{data.readable_id}</code>
            <CopyButton text={data.readable_id} label="Copy the id" />
          </span>
          {data.true_as_of && (
            <span>
              true as of <Ago at={data.true_as_of} />
            </span>
          )}
          <span>
            <strong>{count(records)}</strong> {records === 1 ? 'record' : 'records'} from{' '}
            {counted(data.source_connections, 'connection')}
          </span>
        </>
      }
      actions={actions}
      tabs={<CollectionTabs collection={collection} />}
    >
      {children}
    </Page>
  );
}
