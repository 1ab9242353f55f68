import { useState } from 'react';
import { bodyOf, client } from '../../api/client.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { Card } from '../../ui/page.tsx';

/** The secret by which the receiver knows that a message comes from Quarry. It is asked for only when it is shown. */
export function Secret({ id }: { readonly id: string }) {
  const [secret, setSecret] = useState<string | null>(null);
  const [isReplacing, setReplacing] = useState(false);
  const path = { id };
  const load = async () => {
    const query = { include_secret: 'true' } as const;
    const detail = await bodyOf(
      client.GET('/v1/webhooks/subscriptions/{id}', { params: { path, query } }),
    );
    setSecret(detail.secret ?? null);
  };
  const show = useSubmit(load);
  return (
    <Card title="Signing secret">
      <div className="pad form">
        <p className="soft small">
          Each message is signed with it, so that the receiver knows who has sent it.{' '}
          <a
            className="link"
            href="https://www.standardwebhooks.com"
            target="_blank"
            rel="noreferrer"
          >
            How to verify
          </a>
        </p>
        {secret !== null && <Code text={secret} label="the secret" />}
        <div className="row wrap">
          {secret === null ? (
            <Button busy={show.isBusy && 'Loading …'} onClick={() => show.submit()}>
              Show the secret
            </Button>
          ) : (
            <Button onClick={() => setSecret(null)}>Hide it</Button>
          )}
          <Button look="ghost" onClick={() => setReplacing(true)}>
            Replace it
          </Button>
        </div>
        <FormFault of={show} title="The secret could not be shown" />
      </div>
      {isReplacing && (
        <ConfirmDialog
          title="Replace the signing secret?"
          action="Replace it"
          onClose={() => setReplacing(false)}
          onConfirm={async () => {
            await bodyOf(
              client.POST('/v1/webhooks/subscriptions/{id}/rotate-secret', { params: { path } }),
            );
            await load();
            setReplacing(false);
          }}
        >
          A new secret is made and shown. For 24 hours each message is signed with both, so that
          nothing is refused while you change it at the receiver.
        </ConfirmDialog>
      )}
    </Card>
  );
}
