import '../../styles/webhooks.css';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { meQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { refreshWebhooks, subscriptionQuery } from '../../api/webhooks.ts';
import { isAtLeast } from '../../lib/role.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { subscriptionState } from '../../lib/webhooks.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { Menu } from '../../ui/menu.tsx';
import { OnlyMembers } from '../../ui/only-admins.tsx';
import { Card, Page as Frame } from '../../ui/page.tsx';
import { Part } from '../../ui/part.tsx';
import { State } from '../../ui/state.tsx';
import { toast } from '../../ui/toast.tsx';
import { Deliveries } from './deliveries.tsx';
import { type Endpoint, EndpointForm } from './endpoint-form.tsx';
import { Missed } from './missed.tsx';
import { Secret } from './secret.tsx';
import { SwitchedOff } from './switched-off.tsx';
import { TestButton, TestOutcome } from './test-message.tsx';

const ABOVE = [{ label: 'Webhooks', to: '/webhooks' }];

const endpointOf = (of: Schemas['WebhookSubscription']): Endpoint => ({
  url: of.url,
  description: of.description,
  event_types: of.filter_types as Endpoint['event_types'],
});

/** One endpoint: what it was told, what it answered, its secret and its settings. */
export function Page() {
  const { id } = useParams({ from: '/shell/webhooks/$id' });
  const { data: me } = useSuspenseQuery(meQuery);
  if (!isAtLeast(me.role, 'member'))
    return (
      <Frame title="Webhook" above={ABOVE}>
        <OnlyMembers />
      </Frame>
    );
  return <Webhook id={id} />;
}

function Webhook({ id }: { readonly id: string }) {
  const query = useQuery(subscriptionQuery(id));
  const [tested, setTested] = useState<string | null>(null);
  const [isDeleting, setDeleting] = useState(false);
  const navigate = useNavigate();
  const change = (body: Partial<Endpoint> & { readonly disabled?: boolean }) =>
    bodyOf(client.PATCH('/v1/webhooks/subscriptions/{id}', { params: { path: { id } }, body }));
  const switchOff = useSubmit(async () => {
    await change({ disabled: true });
    await refreshWebhooks();
  });
  const { data } = query;
  const shown = data && subscriptionState(data);
  return (
    <Frame
      title={data ? (data.description ?? new URL(data.url).host) : 'Webhook'}
      above={ABOVE}
      sub={
        data &&
        shown && (
          <>
            <State tone={shown.tone}>{shown.word}</State>
            <bdi className="muted breakable">{data.url}</bdi>
          </>
        )
      }
      actions={
        data && (
          <>
            <TestButton subscription={data} onSent={setTested} />
            <Menu name="this webhook">
              {!data.disabled && (
                <button type="button" onClick={() => switchOff.submit()}>
                  Switch off
                </button>
              )}
              <button type="button" className="danger" onClick={() => setDeleting(true)}>
                Delete
              </button>
            </Menu>
          </>
        )
      }
    >
      <Part query={query} what="The webhook">
        {(subscription) => (
          <>
            <FormFault of={switchOff} title="It was not switched off" />
            <SwitchedOff subscription={subscription} />
            {tested !== null && (
              <TestOutcome
                attempts={subscription.delivery_attempts}
                messageId={tested}
                onClose={() => setTested(null)}
              />
            )}
            <div className="cols aside">
              <div className="stack">
                <Deliveries subscription={subscription} />
                <Card title="Endpoint">
                  <EndpointForm
                    // Another secret, or a switch, changes nothing of what is typed here.
                    key={JSON.stringify(endpointOf(subscription))}
                    endpoint={endpointOf(subscription)}
                    action="Save"
                    busy="Saving …"
                    refused="Nothing was saved"
                    onSend={async (body) => {
                      await change(body);
                      await refreshWebhooks();
                      toast('Saved');
                    }}
                  />
                </Card>
              </div>
              <div className="stack">
                <Secret id={id} />
                {!subscription.disabled && <Missed id={id} />}
              </div>
            </div>
          </>
        )}
      </Part>
      {isDeleting && data && (
        <ConfirmDialog
          title={`Delete the webhook to ${new URL(data.url).host}?`}
          action="Delete the webhook"
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await bodyOf(
              client.DELETE('/v1/webhooks/subscriptions/{id}', { params: { path: { id } } }),
            );
            await navigate({ to: '/webhooks' });
            queryClient.removeQueries({ queryKey: ['webhooks', id] });
            await refreshWebhooks();
          }}
        >
          It gets no more messages, not even those that wait. Its secret and its history are
          deleted.
        </ConfirmDialog>
      )}
    </Frame>
  );
}
