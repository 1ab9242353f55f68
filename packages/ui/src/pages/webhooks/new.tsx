import '../../styles/webhooks.css';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { bodyOf, client } from '../../api/client.ts';
import { meQuery } from '../../api/queries.ts';
import { refreshWebhooks } from '../../api/webhooks.ts';
import { isAtLeast } from '../../lib/role.ts';
import { OnlyMembers } from '../../ui/only-admins.tsx';
import { Card, Page as Frame } from '../../ui/page.tsx';
import { EndpointForm } from './endpoint-form.tsx';

const ABOVE = [{ label: 'Webhooks', to: '/webhooks' }];

export function Page() {
  const { data: me } = useSuspenseQuery(meQuery);
  const navigate = useNavigate();
  return (
    <Frame title="Add a webhook" above={ABOVE}>
      {isAtLeast(me.role, 'member') ? (
        <Card title="Endpoint" note="Nothing is sent to it when you add it.">
          <EndpointForm
            endpoint={{
              url: '',
              description: null,
              event_types: ['sync.completed', 'sync.failed'],
            }}
            action="Add the webhook"
            busy="Adding …"
            refused="The webhook was not added"
            onSend={async (body) => {
              const { id } = await bodyOf(client.POST('/v1/webhooks/subscriptions', { body }));
              await refreshWebhooks();
              await navigate({ to: '/webhooks/$id', params: { id } });
            }}
          />
        </Card>
      ) : (
        <OnlyMembers />
      )}
    </Frame>
  );
}
