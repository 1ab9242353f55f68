import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { whyFailed } from '../../lib/states.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { HeldBack } from './held-back.tsx';

/** Says what is wrong with the connection, with the way on. */
export function Fault({
  connection,
  mayChange,
}: {
  readonly connection: Schemas['SourceConnection'];
  readonly mayChange: boolean;
}) {
  const { id, status, auth, sync, deletions_held_back } = connection;
  const signIn = useSubmit(async () => {
    const again = await bodyOf(
      client.POST('/v1/source-connections/{id}/reinitiate-oauth', { params: { path: { id } } }),
    );
    if (again.auth.auth_url) window.location.assign(again.auth.auth_url);
  });
  if (status === 'PENDING_AUTH' || status === 'NEEDS_REAUTH')
    return (
      <>
        <Banner
          tone="warn"
          title={
            status === 'PENDING_AUTH'
              ? 'This connection waits for a sign-in'
              : 'The sign-in was refused'
          }
          actions={
            mayChange &&
            auth.method === 'oauth_browser' && (
              <Button
                look="primary"
                busy={signIn.isBusy && 'Opening …'}
                onClick={() => signIn.submit()}
              >
                Sign in
              </Button>
            )
          }
        >
          {auth.sign_in_error?.message ??
            sync.last_job?.error ??
            'Nothing is copied until somebody signs in.'}
        </Banner>
        <FormFault of={signIn} title="The sign-in was not begun" />
      </>
    );
  if (deletions_held_back) return <HeldBack connection={connection} mayChange={mayChange} />;
  if (status === 'ERROR' && sync.last_job)
    return (
      <Banner tone="bad" title="The last sync failed">
        {whyFailed(sync.last_job)}
      </Banner>
    );
  return null;
}
