/**
 * Lists the values that a field of the configuration may have, which the source knows: projects, channels, folders. The
 * source is asked with credentials that are not stored yet, or as a connection that has signed in.
 */
import { z } from 'zod';
import type { Ctx } from '../context.ts';
import { invalid, notFound } from '../errors.ts';
import { reachOf } from '../model/reach.ts';
import { openCredentials } from '../secrets.ts';
import { requireSignIn } from '../sign-in/needed.ts';
import { openSource, openUnsaved } from '../sign-in/open-source.ts';
import { isMeant, markedFields, type Source } from '../sources/define.ts';
import { must } from '../util.ts';
import { askSource, type SourceToAsk } from './ask-source.ts';
import { secretsOf } from './causes.ts';
import { parseConfig, parseCredentials, requireSameServer } from './check.ts';
import type { ConnectionDeps } from './deps.ts';
import type { OptionsInput, ShownOption } from './schema.ts';
import * as store from './store.ts';

/** An answer has at most this many options. A person who needs another option searches for a part of its name. */
const MAX_OPTIONS = 200;

export async function listOptions(
  deps: ConnectionDeps,
  ctx: Ctx,
  { shortName, input }: { readonly shortName: string; readonly input: OptionsInput },
): Promise<ShownOption[]> {
  const source = deps.sources.get(shortName);
  if (!source) throw notFound('source', shortName);
  const { field, query } = input;
  const fields = markedFields(source.config, 'options');
  if (!fields.includes(field)) throw withoutOptions(source, fields);
  const asked =
    input.source_connection_id === undefined
      ? ofCredentials(deps, ctx, { source, input })
      : await ofConnection(deps, ctx, { source, input, id: input.source_connection_id });
  const list = must(source.options);
  const found = await askSource(ctx, asked, (context) =>
    list(context, { field, query, limit: MAX_OPTIONS }),
  );
  return found
    .filter((option) => isMeant(option, query))
    .slice(0, MAX_OPTIONS)
    .map(({ value, title, description = null }) => ({ value, title, description }));
}

interface OptionsQuestion {
  readonly source: Source;
  readonly input: OptionsInput;
}

function ofCredentials(
  deps: ConnectionDeps,
  ctx: Ctx,
  { source, input }: OptionsQuestion,
): SourceToAsk {
  const { direct, oauth } = source.auth;
  if (!input.credentials && (direct || oauth))
    throw invalid('give credentials, or the source_connection_id of a connection that signed in');
  const loc = ['body', 'credentials'];
  const credentials = parseCredentials(source, input.credentials ?? null, loc);
  const unsaved = {
    organizationId: ctx.organization.id,
    connectionId: null,
    ...withoutChoices(source, input, {}),
    credentials,
  };
  return {
    source,
    secrets: secretsOf(source, credentials),
    loc,
    open: (call) => openUnsaved(deps, unsaved, call),
  };
}

async function ofConnection(
  deps: ConnectionDeps,
  ctx: Ctx,
  { source, input, id }: OptionsQuestion & { readonly id: string },
): Promise<SourceToAsk> {
  const loc = ['body', 'source_connection_id'];
  if (input.credentials)
    throw invalid('give credentials or source_connection_id, not both', { loc });
  const row = await store.find(deps.db, reachOf(ctx), id);
  if (!row) throw notFound('source connection', id);
  if (row.short_name !== source.shortName)
    throw invalid(`this is a connection of ${row.short_name}, not of ${source.shortName}`, { loc });
  requireSignIn(row);
  const choosing = withoutChoices(source, input, row.config);
  // The field whose options are wanted is not known yet, so the stored value of it is asked.
  requireSameServer(source, row, { ...choosing.config, [input.field]: row.config[input.field] });
  const isDirect = row.auth_method === 'direct';
  return {
    source,
    secrets: isDirect ? secretsOf(source, openCredentials(deps.vault, row)) : [],
    loc,
    open: (call) =>
      openSource(
        { ...deps, sources: new Map([[source.shortName, choosing.source]]) },
        { ...row, config: choosing.config },
        call,
      ),
  };
}

/**
 * Returns the source with a schema of the configuration in which fields with options may be missing. Also returns the
 * settings, without the field whose options are wanted. Rules about several fields are not checked, because not all
 * fields are chosen yet.
 */
function withoutChoices(
  source: Source,
  { config, field }: OptionsInput,
  stored: Readonly<Record<string, unknown>>,
): { readonly source: Source; readonly config: Record<string, unknown> } {
  const schema = source.config;
  const choices = markedFields(schema, 'options').map((name) => [
    name,
    z.optional(must(schema.shape[name])),
  ]);
  const shape = { ...schema.shape, ...Object.fromEntries(choices) };
  const choosing = { ...source, config: schema.clone({ ...schema.def, shape, checks: [] }) };
  const { [field]: _asked, ...others } = config ?? stored;
  return { source: choosing, config: parseConfig(choosing, others) };
}

function withoutOptions({ shortName }: Source, fields: readonly string[]) {
  const known =
    fields.length === 0
      ? `no field of ${shortName} has options`
      : `these fields of ${shortName} have options: ${fields.join(', ')}`;
  return invalid(known, { loc: ['body', 'field'], code: 'no_options' });
}
