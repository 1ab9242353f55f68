/** Creates the connection of a draft. What the service refuses is asked again. */
import type { SourceConnection } from '../../connections/schema.ts';
import { ServiceRefused } from '../service-client.ts';
import type { Connecting, ConnectionDraft } from './connecting.ts';
import { askClient, askMissing, renewed } from './interview.ts';
import type { Terminal } from './terminal.ts';
import { isDirect } from './ways.ts';

/** Throws ServiceRefused when another answer of a person would not help, or nobody can be asked. */
export async function createFrom(
  connecting: Connecting,
  draft: ConnectionDraft,
  collection: string,
): Promise<SourceConnection> {
  const { service, made, stop } = connecting;
  return untilAccepted(connecting, draft, async () => {
    stop.throwIfAborted();
    const body = bodyOf(connecting, draft, collection);
    const created = await service.call<SourceConnection>('POST', '/v1/source-connections', body);
    made.connection(created.id);
    return created;
  });
}

/** Does the work again each time when a person has corrected what the service has refused. */
export async function untilAccepted<T>(
  connecting: Connecting,
  draft: ConnectionDraft,
  work: () => Promise<T>,
): Promise<T> {
  const { terminal } = connecting;
  for (;;)
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ServiceRefused)) throw error;
      // An address that was given has the credentials in it.
      if (!terminal || connecting.flags.given) throw withAdvice(error, connecting);
      terminal.say('', `This was refused: ${error.message}`);
      if (!(await askAgain(connecting, terminal, { draft, error }))) throw error;
    }
}

/** Nobody can be asked for other credentials, so the message says where they came from. */
function withAdvice(error: ServiceRefused, { flags: { given } }: Connecting): Error {
  if (error.code !== 'credentials_refused') return error;
  const advice = given
    ? 'correct the address, and run the command again'
    : 'check the credentials that --secret-file and --set give';
  return new Error(`${error.message}: ${advice}`, { cause: error });
}

async function askAgain(
  connecting: Connecting,
  terminal: Terminal,
  { draft, error }: { readonly draft: ConnectionDraft; readonly error: ServiceRefused },
): Promise<boolean> {
  const { places } = error;
  const isAt = (place: string) =>
    places.some((one) => one === place || one.startsWith(`${place}.`));
  if (isAt('body.name')) {
    draft.name = await terminal.ask('Name of the connection');
    return true;
  }
  if (isAt('body.auth.oauth_browser')) {
    draft.clientId = undefined;
    await askClient(connecting, terminal, draft);
    return draft.clientId !== undefined;
  }
  if (await renewed(connecting, terminal, { draft, error })) return true;
  if (!isAt('body.config')) return false;
  const { fields } = connecting.source.config_fields;
  const named = fields.filter(({ name }) => isAt(`body.config.${name}`));
  const wrong = named.length > 0 ? named : fields;
  for (const { name } of wrong) delete draft.config[name];
  await askMissing(terminal, wrong, draft.config);
  return true;
}

function bodyOf(
  { source, flags }: Connecting,
  draft: ConnectionDraft,
  readable_collection_id: string,
) {
  const { way, name, config, credentials, clientId, clientSecret } = draft;
  const client = {
    ...(clientId !== undefined && { client_id: clientId }),
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
  };
  return {
    name,
    short_name: source.short_name,
    readable_collection_id,
    config,
    ...(flags.description !== undefined && { description: flags.description }),
    ...(flags.cron !== undefined && { schedule: { cron: flags.cron } }),
    ...(isDirect(way) && { auth: { direct: { credentials } } }),
    // The account that signs in chooses first what is copied.
    ...(way === 'browser' && { auth: { oauth_browser: client }, sync_immediately: false }),
  };
}
