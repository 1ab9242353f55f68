import { Send } from 'lucide-react';
import { duration } from 'quarry-text/time';
import { bodyOf, client } from '../../api/client.ts';
import { refreshWebhooks } from '../../api/webhooks.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { type Attempt, outcomeOf, type Subscription } from '../../lib/webhooks.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Moment } from '../../ui/time.tsx';

export function TestButton({
  subscription: { id, disabled },
  onSent,
}: {
  readonly subscription: Subscription;
  readonly onSent: (messageId: string) => void;
}) {
  const send = useSubmit(async () => {
    const message = await bodyOf(
      client.POST('/v1/webhooks/subscriptions/{id}/test', { params: { path: { id } } }),
    );
    onSent(message.id);
    await refreshWebhooks();
  });
  return (
    <span>
      <Button
        look={disabled ? 'plain' : 'primary'}
        busy={send.isBusy && 'Sending …'}
        {...(disabled && { off: 'The webhook is switched off.' })}
        onClick={() => send.submit()}
      >
        <Send size={15} aria-hidden="true" /> Send a test message
      </Button>
      {send.summary() && (
        <p className="fault" role="alert">
          {send.summary()}
        </p>
      )}
    </span>
  );
}

/** Says what the endpoint has answered to a test message, as soon as it is known. */
export function TestOutcome({
  attempts,
  messageId,
  onClose,
}: {
  readonly attempts: readonly Attempt[];
  readonly messageId: string;
  readonly onClose: () => void;
}) {
  const of = attempts.filter(({ message_id }) => message_id === messageId);
  const ended = of.find(({ status }) => status !== 'pending');
  const next = of.find(({ status }) => status === 'pending');
  const close = <Button onClick={onClose}>Close</Button>;
  if (!ended)
    return (
      <Banner tone="info" title="The test message is on its way" actions={close}>
        What the endpoint answers is shown here.
      </Banner>
    );
  const took = ended.duration_ms !== null && ` after ${duration(ended.duration_ms)}`;
  if (ended.status === 'success')
    return (
      <Banner tone="ok" title="The test message has arrived" actions={close}>
        {outcomeOf(ended)}
        {took}.
      </Banner>
    );
  return (
    <Banner tone="bad" title="The test message did not arrive" actions={close}>
      {outcomeOf(ended)}
      {ended.response_status_code > 0 && <>{took}.</>}
      {next && (
        <>
          {' '}
          It is tried again: <Moment at={next.timestamp} />.
        </>
      )}
    </Banner>
  );
}
