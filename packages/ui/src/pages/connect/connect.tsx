import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.ts';
import { sourceQuery } from '../../api/queries.ts';
import { COLLECTIONS, crumbOf, useCollectionName } from '../../parts/collection-crumbs.ts';
import { ConnectForm } from '../../parts/connect/connect-form.tsx';
import { Card, Page as Frame } from '../../ui/page.tsx';

/** Connects a source to a collection. */
export function Page() {
  const { collection, source: shortName } = useParams({
    from: '/shell/collections/$collection/connect/$source',
  });
  const { data: source } = useSuspenseQuery(sourceQuery(shortName));
  const collectionName = useCollectionName(collection);
  const navigate = useNavigate();
  const address = `/collections/${encodeURIComponent(collection)}`;
  return (
    <Frame
      title={`Connect ${source.name}`}
      above={[
        COLLECTIONS,
        crumbOf(collection, collectionName),
        { label: 'Connect a source', to: `${address}/connect` },
      ]}
      sub={source.description}
    >
      <div className="cols aside">
        <ConnectForm
          source={source}
          collection={async () => collection}
          back={() => address}
          onConnected={() => navigate({ to: '/collections/$collection', params: { collection } })}
        />
        <About source={source} />
      </div>
    </Frame>
  );
}

const About = ({ source }: { readonly source: Schemas['SourceType'] }) => (
  <Card title={`About ${source.name}`}>
    <dl className="pairs pad">
      <dt>Kinds of records</dt>
      <dd>{source.output_entity_definitions.join(', ') || 'as you push them'}</dd>
      <dt>Access</dt>
      <dd>
        {source.supports_access_control
          ? 'People find what they may see at the source.'
          : 'Everybody in the organization finds all of it.'}
      </dd>
      <dt>Changes</dt>
      <dd>
        {source.federated_search
          ? 'Nothing is copied: the source is asked at each search.'
          : source.supports_continuous
            ? 'Every few minutes, only what has changed.'
            : 'Each sync compares everything; unchanged records are not read again.'}
      </dd>
    </dl>
  </Card>
);
