/** Leads a person through the sign-in in a browser. */

import { processEnvironment } from '../../config.ts';
import type { SourceConnection } from '../../connections/schema.ts';
import { connectionPath } from '../follow-sync.ts';
import type { Connecting, ConnectionDraft } from './connecting.ts';
import { untilAccepted } from './create.ts';
import { askListed } from './interview.ts';
import { openLink } from './open-link.ts';
import { NotSignedIn, waitForSignIn } from './wait.ts';

/** Tells what has to be registered at the provider, where the operator has not done it. */
export function tellClient({ source, flags, tell }: Connecting): void {
  const scopes = source.oauth_scopes?.join(' ') ?? '';
  const isRegistered = !source.requires_byoc && flags.clientId === undefined;
  const lines = isRegistered
    ? [`Quarry asks ${source.name} for these permissions: ${scopes}`]
    : [
        `Register an OAuth client at ${source.name} with:`,
        `  redirect address  ${source.redirect_uri}`,
        `  scopes            ${scopes}`,
      ];
  tell('', ...lines);
}

/** Waits for the sign-in, and lets the account choose what is copied. */
export async function signInInBrowser(
  connecting: Connecting,
  draft: ConnectionDraft,
  created: SourceConnection,
): Promise<SourceConnection> {
  const { service, source, terminal, tell } = connecting;
  const { id } = created;
  const { account } = (await signIn(connecting, created)).auth;
  tell('', account === null ? 'Signed in.' : `Signed in as ${account}.`);
  const fields = source.config_fields.fields.filter(
    ({ has_options, required }) => has_options && !required,
  );
  if (!terminal) return created;
  await askListed(connecting, terminal, { draft, fields, connectionId: id });
  return untilAccepted(connecting, draft, () =>
    service.call<SourceConnection>('PATCH', connectionPath(id), { config: draft.config }),
  );
}

/** Offers a new link as long as the sign-in fails and a person wants to try again. */
async function signIn(
  { service, source, terminal, flags, stop, tell }: Connecting,
  { id, auth }: SourceConnection,
): Promise<SourceConnection> {
  for (let link = auth.auth_url ?? ''; ; ) {
    tell('', `Sign in to ${source.name} here (the link works once, for 10 minutes):`, link);
    const opened = flags.open ? await openLink(link, processEnvironment()) : null;
    if (opened?.isOpened) tell('It opens in your browser.');
    try {
      return await waitForSignIn(service, { id, minutes: flags.wait, stop });
    } catch (error) {
      if (!(error instanceof NotSignedIn) || !terminal) throw error;
      tell('', error.message);
    } finally {
      await opened?.close();
    }
    const again = await terminal.ask('Try again with a new link?', 'yes');
    if (!/^y(es)?$/i.test(again)) throw new NotSignedIn('nobody has signed in');
    const path = `${connectionPath(id)}/reinitiate-oauth`;
    link = (await service.call<SourceConnection>('POST', path)).auth.auth_url ?? '';
  }
}
