import { useQuery } from '@tanstack/react-query';
import { counted } from 'quarry-text/numbers';
import { localInput } from 'quarry-text/time';
import { useEffect, useState } from 'react';
import { bodyOf, client } from '../../api/client.ts';
import { refreshWebhooks } from '../../api/webhooks.ts';
import { serverNow } from '../../lib/clock.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { Card } from '../../ui/page.tsx';
import { Part } from '../../ui/part.tsx';

const DAY = 86_400_000;
const LOOK_MS = 1000;

/** Sends what was not delivered in a period, each message once. */
export function Missed({ id }: { readonly id: string }) {
  const [since, setSince] = useState(() => localInput(serverNow() - DAY));
  const [until, setUntil] = useState('');
  const [fault, setFault] = useState<string>();
  const [task, setTask] = useState<string | null>(null);
  const form = useSubmit(async () => {
    setFault(since === '' ? 'Choose a start time.' : undefined);
    if (since === '') return;
    const recovery = await bodyOf(
      client.POST('/v1/webhooks/subscriptions/{id}/recover', {
        params: { path: { id } },
        body: {
          since: new Date(since).toISOString(),
          ...(until !== '' && { until: new Date(until).toISOString() }),
        },
      }),
    );
    setTask(recovery.id);
  });
  return (
    <Card title="Send what was missed">
      <form className="pad form" onSubmit={form.submit} noValidate>
        <TextField
          label="From"
          type="datetime-local"
          value={since}
          onValue={setSince}
          fault={fault ?? form.faultOf('since')}
        />
        <TextField
          label="Until"
          type="datetime-local"
          isOptional
          help="Messages are kept for 30 days. What has arrived is not sent twice."
          value={until}
          onValue={setUntil}
          fault={form.faultOf('until')}
        />
        <FormFault of={form} title="Nothing is sent" />
        <Button type="submit" busy={form.isBusy && 'Starting …'}>
          Send missed messages
        </Button>
        {task !== null && <Progress id={id} task={task} />}
      </form>
    </Card>
  );
}

function Progress({ id, task }: { readonly id: string; readonly task: string }) {
  const recovery = useQuery({
    queryKey: ['recovery', task],
    queryFn: ({ signal }) =>
      bodyOf(
        client.GET('/v1/webhooks/subscriptions/{id}/recover/{task_id}', {
          params: { path: { id, task_id: task } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.status === 'completed' ? false : LOOK_MS),
  });
  const isDone = recovery.data?.status === 'completed';
  useEffect(() => {
    if (isDone) void refreshWebhooks();
  }, [isDone]);
  return (
    <div role="status">
      <Part query={recovery} what="The progress" rows={1}>
        {({ status, messages }) => (
          <p className="small">
            {status === 'running'
              ? `Looking for missed messages: ${counted(messages, 'message')} so far.`
              : messages === 0
                ? 'No message was missed in this time.'
                : `${counted(messages, 'message')} will be sent again.`}
          </p>
        )}
      </Part>
    </div>
  );
}
