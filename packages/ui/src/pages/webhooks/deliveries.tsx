import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { messageQuery, refreshWebhooks } from '../../api/webhooks.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import {
  canBeResent,
  type Delivery,
  deliveriesOf,
  deliveryState,
  eventName,
  outcomeOf,
} from '../../lib/webhooks.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { Card, Empty } from '../../ui/page.tsx';
import { Part } from '../../ui/part.tsx';
import { State } from '../../ui/state.tsx';
import { Ago, Moment } from '../../ui/time.tsx';
import { AttemptList } from './attempt-list.tsx';

/** Shows what the endpoint was told, the newest first, in one row for each message. */
export function Deliveries({
  subscription,
}: {
  readonly subscription: Schemas['WebhookSubscriptionDetail'];
}) {
  const [open, setOpen] = useState<string | null>(null);
  const deliveries = deliveriesOf(subscription.delivery_attempts);
  return (
    <Card title="Deliveries" note="the newest 100 attempts">
      {deliveries.length === 0 && (
        <Empty>Nothing was sent yet. A test message shows whether the endpoint answers.</Empty>
      )}
      <ul className="foldable">
        {deliveries.map((delivery) => (
          <Row
            key={delivery.messageId}
            {...{ delivery }}
            subscriptionId={subscription.id}
            isOpen={open === delivery.messageId}
            mayResend={!subscription.disabled && canBeResent(delivery)}
            onToggle={() => setOpen(open === delivery.messageId ? null : delivery.messageId)}
          />
        ))}
      </ul>
    </Card>
  );
}

interface RowProps {
  readonly delivery: Delivery;
  readonly subscriptionId: string;
  readonly isOpen: boolean;
  readonly mayResend: boolean;
  readonly onToggle: () => void;
}

function Row({ delivery, subscriptionId, isOpen, mayResend, onToggle }: RowProps) {
  const { tone, word } = deliveryState(delivery);
  const [newest] = delivery.attempts;
  const ended = delivery.attempts.find(({ status }) => status !== 'pending');
  return (
    <li>
      <button type="button" className="fold" aria-expanded={isOpen} onClick={onToggle}>
        <State tone={tone}>{word}</State>
        <span className="grow">{eventName(delivery.type)}</span>
        <span className="muted">{ended && outcomeOf(ended)}</span>
        {newest && (
          <span className="muted">
            {newest.status === 'pending' ? (
              <Moment at={newest.timestamp} />
            ) : (
              <Ago at={newest.timestamp} />
            )}
          </span>
        )}
      </button>
      {isOpen && (
        <Details delivery={delivery} subscriptionId={subscriptionId} mayResend={mayResend} />
      )}
    </li>
  );
}

function Details({
  delivery,
  subscriptionId,
  mayResend,
}: Pick<RowProps, 'delivery' | 'subscriptionId' | 'mayResend'>) {
  const message = useQuery({
    ...messageQuery(delivery.messageId),
    enabled: delivery.type !== null,
  });
  return (
    <div className="pad stack folded">
      <AttemptList attempts={delivery.attempts} />
      {delivery.type !== null && (
        <Part query={message} what="The message" rows={1}>
          {({ payload, timestamp }) => (
            <>
              {mayResend && <Resend subscriptionId={subscriptionId} sentAt={timestamp} />}
              <Code text={JSON.stringify(payload, null, 2)} label="the message" />
            </>
          )}
        </Part>
      )}
    </div>
  );
}

/** Recovers the period of one message, which is the millisecond in which it was made. */
function Resend({
  subscriptionId,
  sentAt,
}: {
  readonly subscriptionId: string;
  readonly sentAt: string;
}) {
  const resend = useSubmit(async () => {
    const until = new Date(Date.parse(sentAt) + 1).toISOString();
    await bodyOf(
      client.POST('/v1/webhooks/subscriptions/{id}/recover', {
        params: { path: { id: subscriptionId } },
        body: { since: sentAt, until },
      }),
    );
    await refreshWebhooks();
  });
  return (
    <>
      <Button busy={resend.isBusy && 'Sending …'} onClick={() => resend.submit()}>
        Send it again
      </Button>
      <FormFault of={resend} title="It was not sent again" />
    </>
  );
}
