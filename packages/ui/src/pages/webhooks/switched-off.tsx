import { bodyOf, client } from '../../api/client.ts';
import { refreshWebhooks } from '../../api/webhooks.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import type { Subscription } from '../../lib/webhooks.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { Ago } from '../../ui/time.tsx';

/** Says that an endpoint is told nothing, why, and since when; it can be told afterwards what it has missed. */
export function SwitchedOff({ subscription }: { readonly subscription: Subscription }) {
  const { id, disabled, disabled_at, disabled_reason } = subscription;
  const switchOn = (recover_since: string | null) => async () => {
    await bodyOf(
      client.PATCH('/v1/webhooks/subscriptions/{id}', {
        params: { path: { id } },
        body: { disabled: false, ...(recover_since !== null && { recover_since }) },
      }),
    );
    await refreshWebhooks();
  };
  const alone = useSubmit(switchOn(null));
  const withMissed = useSubmit(switchOn(disabled_at));
  if (!disabled) return null;
  return (
    <>
      <Banner
        tone={disabled_reason === null ? 'info' : 'bad'}
        title={
          disabled_reason === null
            ? 'This webhook is switched off'
            : 'Quarry has switched this webhook off'
        }
        actions={
          <>
            <Button
              look="primary"
              busy={withMissed.isBusy && 'Switching on …'}
              onClick={() => withMissed.submit()}
            >
              Switch on and send what it missed
            </Button>
            <Button busy={alone.isBusy && 'Switching on …'} onClick={() => alone.submit()}>
              Switch on
            </Button>
          </>
        }
      >
        {disabled_reason ?? 'It gets no messages.'}{' '}
        {disabled_at !== null && (
          <>
            Since <Ago at={disabled_at} />.
          </>
        )}
      </Banner>
      <FormFault of={alone} title="It was not switched on" />
      <FormFault of={withMissed} title="It was not switched on" />
    </>
  );
}
