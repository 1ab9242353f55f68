import '../../styles/webhooks.css';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { meQuery } from '../../api/queries.ts';
import { subscriptionsQuery } from '../../api/webhooks.ts';
import { isAtLeast } from '../../lib/role.ts';
import { eventsInWords, type Subscription, subscriptionState } from '../../lib/webhooks.ts';
import { buttonClass } from '../../ui/button.tsx';
import { OnlyMembers } from '../../ui/only-admins.tsx';
import { Card, Empty, Page as Frame } from '../../ui/page.tsx';
import { Part } from '../../ui/part.tsx';
import { State } from '../../ui/state.tsx';
import { Ago } from '../../ui/time.tsx';
import { Messages } from './messages.tsx';

/** The endpoints that Quarry tells about events, and the messages of the last 30 days. */
export function Page() {
  const { data: me } = useSuspenseQuery(meQuery);
  const mayOpen = isAtLeast(me.role, 'member');
  return (
    <Frame
      title="Webhooks"
      sub="Quarry tells your systems what happens, by signed messages."
      actions={mayOpen && <AddLink look="primary" />}
    >
      {mayOpen ? (
        <>
          <Subscriptions />
          <Messages />
        </>
      ) : (
        <OnlyMembers />
      )}
    </Frame>
  );
}

const AddLink = ({ look }: { readonly look: 'primary' | 'plain' }) => (
  <Link to="/webhooks/new" className={buttonClass({ look })}>
    <Plus size={16} aria-hidden="true" /> Add a webhook
  </Link>
);

function Subscriptions() {
  const subscriptions = useQuery(subscriptionsQuery);
  return (
    <Card title="Endpoints">
      <Part query={subscriptions} what="The webhooks">
        {({ items }) =>
          items.length === 0 ? (
            <Empty action={<AddLink look="plain" />}>
              No webhooks yet. Quarry can tell your systems when a sync ends.
            </Empty>
          ) : (
            <ul className="endpoints">
              {items.map((one) => (
                <Row key={one.id} subscription={one} />
              ))}
            </ul>
          )
        }
      </Part>
    </Card>
  );
}

function Row({ subscription }: { readonly subscription: Subscription }) {
  const { id, url, description, filter_types, created_at } = subscription;
  const { tone, word } = subscriptionState(subscription);
  return (
    <li>
      <Link to="/webhooks/$id" params={{ id }} className="endpoint">
        <span>
          <strong>
            <bdi>{description ?? url}</bdi>
          </strong>
          {description !== null && (
            <span className="muted tiny">
              <bdi>{url}</bdi>
            </span>
          )}
        </span>
        <State tone={tone}>{word}</State>
        <span className="soft">{eventsInWords(filter_types)}</span>
        <span className="muted">
          added <Ago at={created_at} />
        </span>
      </Link>
    </li>
  );
}
