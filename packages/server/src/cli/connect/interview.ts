/** Asks a person for everything that a connection needs and that no flag has given. */
import type { SourceField } from '../../sources/schema.ts';
import { ServiceRefused } from '../service-client.ts';
import { askField, askFromList } from './ask-field.ts';
import type { Connecting, ConnectionDraft } from './connecting.ts';
import type { GivenValues } from './fields.ts';
import type { ListedChoice } from './pick.ts';
import type { Terminal } from './terminal.ts';
import { isDirect } from './ways.ts';

/** Asks for all but what only the signed-in account can choose. */
export async function interview(
  connecting: Connecting,
  terminal: Terminal,
  draft: ConnectionDraft,
): Promise<void> {
  const { source, flags } = connecting;
  if (isDirect(draft.way)) await askCredentials(connecting, terminal, draft);
  else if (draft.way === 'browser') await askClient(connecting, terminal, draft);
  const fields = source.config_fields.fields;
  await askMissing(terminal, fields.filter(isTyped), draft.config);
  const listed = fields.filter((field) => !isTyped(field));
  if (draft.way !== 'browser') await askListed(connecting, terminal, { draft, fields: listed });
  // The connection must exist before somebody signs in, so what it requires cannot be chosen from a list.
  else
    await askMissing(
      terminal,
      listed.filter(({ required }) => required),
      draft.config,
    );
  if (flags.name !== undefined) return;
  terminal.say('');
  draft.name = await terminal.ask('Name of the connection', draft.name);
}

const isTyped = ({ has_options }: SourceField): boolean => has_options !== true;

const askCredentials = ({ source }: Connecting, terminal: Terminal, draft: ConnectionDraft) =>
  askMissing(terminal, source.auth_fields?.fields ?? [], draft.credentials);

/** Asks for the user's own OAuth client where the operator has none. */
export async function askClient(
  { source }: Connecting,
  terminal: Terminal,
  draft: ConnectionDraft,
): Promise<void> {
  if (!source.requires_byoc || draft.clientId !== undefined) return;
  do draft.clientId = await terminal.ask('Client id');
  while (draft.clientId === '');
  const secret = await terminal.askSecret('Client secret, nothing for a public client');
  draft.clientSecret = secret === '' ? undefined : secret;
}

/** Asks for the fields that have no value yet. */
export async function askMissing(
  terminal: Terminal,
  fields: readonly SourceField[],
  values: GivenValues,
): Promise<void> {
  for (const field of fields.filter(({ name }) => !(name in values))) {
    const value = await askField(terminal, field);
    if (value !== undefined) values[field.name] = value;
  }
}

interface ListedFields {
  readonly draft: ConnectionDraft;
  readonly fields: readonly SourceField[];
  /** This connection has signed in. Without it the credentials of the draft are used. */
  readonly connectionId?: string;
}

/** Lets the person choose among the values that the source knows. A field whose values cannot be listed is typed. */
export async function askListed(
  connecting: Connecting,
  terminal: Terminal,
  { draft, fields, connectionId }: ListedFields,
): Promise<void> {
  const { service, source } = connecting;
  const find = (field: string) => (query: string) =>
    service.call<ListedChoice[]>('POST', `/v1/sources/${source.short_name}/options`, {
      field,
      query,
      config: draft.config,
      ...(connectionId !== undefined
        ? { source_connection_id: connectionId }
        : isDirect(draft.way) && { credentials: draft.credentials }),
    });
  for (const field of fields.filter(({ name }) => !(name in draft.config))) {
    for (let isOpen = true; isOpen; ) {
      try {
        const value = await askFromList(terminal, field, find(field.name));
        if (value !== undefined) draft.config[field.name] = value;
        isOpen = false;
      } catch (error) {
        if (!(error instanceof ServiceRefused)) throw error;
        terminal.say(`The values cannot be listed: ${error.message}`);
        isOpen =
          connectionId === undefined && (await renewed(connecting, terminal, { draft, error }));
        if (!isOpen) await askMissing(terminal, [field], draft.config);
      }
    }
  }
}

interface RefusedDraft {
  readonly draft: ConnectionDraft;
  readonly error: ServiceRefused;
}

/** Asks again for refused credentials. Returns false when something else was refused. */
export async function renewed(
  connecting: Connecting,
  terminal: Terminal,
  { draft, error }: RefusedDraft,
): Promise<boolean> {
  const isRefused =
    error.code === 'credentials_refused' || error.places.some((place) => /credentials/.test(place));
  if (!isRefused || !isDirect(draft.way)) return false;
  for (const name of Object.keys(draft.credentials)) delete draft.credentials[name];
  await askCredentials(connecting, terminal, draft);
  return true;
}
