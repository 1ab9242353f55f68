import '../../styles/transformers.css';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import type { Schemas } from '../../api/client.ts';
import { meQuery } from '../../api/queries.ts';
import { transformersQuery } from '../../api/transformers.ts';
import { isAtLeast } from '../../lib/role.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Card, Page as Frame } from '../../ui/page.tsx';
import { Part } from '../../ui/part.tsx';

/** The transformers that a connection can use. */
export function Page() {
  const { data: me } = useSuspenseQuery(meQuery);
  const transformers = useQuery(transformersQuery);
  return (
    <Frame
      title="Transformers"
      sub="A transformer changes records before a search can find them. A connection says on its own page which ones it uses."
      actions={
        isAtLeast(me.role, 'member') && (
          <Link to="/transformers/new" className={buttonClass({ look: 'primary' })}>
            <Plus size={16} aria-hidden="true" /> Add a transformer
          </Link>
        )
      }
    >
      <Card title="Transformers">
        <Part query={transformers} what="The transformers">
          {({ items }) => (
            <ul className="transformers">
              {items.map((one) => (
                <Row key={one.id} transformer={one} />
              ))}
            </ul>
          )}
        </Part>
      </Card>
    </Frame>
  );
}

const Row = ({ transformer }: { readonly transformer: Schemas['Transformer'] }) => {
  const { id, name, description, module_name, method_name, organization_id } = transformer;
  return (
    <li>
      <Link to="/transformers/$id" params={{ id }}>
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        {organization_id === null ? (
          <span className="tag">part of Quarry</span>
        ) : (
          <code>
            {module_name} › {method_name}
          </code>
        )}
        {description && (
          <span className="soft small">
            <bdi>{description}</bdi>
          </span>
        )}
      </Link>
    </li>
  );
};
