/**
 * Plans one source connection. Quarry makes it when only a sign-in in a browser is missing, for which connections can wait.
 * Credentials are checked before a connection is made, so for any other sign-in a person gets the command that makes it.
 */
import { checkCron } from '../../connections/schedule.ts';
import { NewSourceConnection } from '../../connections/schema.ts';
import type { SourceType } from '../../sources/schema.ts';
import { waysOf } from '../connect/ways.ts';
import type { ServiceFlags } from '../options.ts';
import type { AirweaveConnection } from './airweave-content.ts';
import { connectCommand } from './connect-command.ts';
import { faultsOf } from './faults.ts';
import type { ImportStep } from './steps.ts';
import { quarryShortName, translateConfig } from './translate-config.ts';

interface ImportContext {
  /** The sources of Quarry, by their short_name. */
  readonly sources: ReadonlyMap<string, SourceType>;
  /** These collections exist, or are made before. */
  readonly collections: ReadonlySet<string>;
  readonly where: ServiceFlags;
}

/** The connection does not exist in Quarry yet. */
export function connectionStep(theirs: AirweaveConnection, context: ImportContext): ImportStep {
  const { name, readable_collection_id } = theirs;
  const source = context.sources.get(quarryShortName(theirs.short_name));
  const short_name = source?.short_name ?? theirs.short_name;
  const thing = { kind: 'source_connection' as const, name, short_name, readable_collection_id };
  const impossible = (...notes: string[]) => ({ thing, action: 'impossible' as const, notes });
  if (!source) return impossible(`Quarry has no source '${theirs.short_name}' here.`);
  if (!context.collections.has(readable_collection_id))
    return impossible(`Its collection '${readable_collection_id}' is not imported.`);
  const { config, leftOut } = translateConfig(source, theirs.config ?? {});
  const { cron, note } = scheduleOf(theirs, source);
  const notes = [
    ...leftOut.map(
      (field) =>
        `The setting ${field} is left out, because ${short_name} has no such setting in Quarry: more or less may be copied than before.`,
    ),
    ...(note === undefined ? [] : [note]),
  ];
  const description = theirs.description || undefined;
  const known = { name, short_name, readable_collection_id, config };
  const body = {
    ...known,
    ...(description !== undefined && { description }),
    ...(cron !== undefined && { schedule: { cron } }),
    auth: { oauth_browser: {} },
  };
  const faults = faultsOf(NewSourceConnection, body);
  if (faults.length > 0) return impossible(...faults);
  if (canWait(theirs, source, config))
    return { thing, action: 'make', path: '/v1/source-connections', body, notes };
  const command = connectCommand(
    {
      ...known,
      ...(description !== undefined && { description }),
      ...(typeof cron === 'string' && { cron }),
    },
    context.where,
  );
  return { thing, action: 'by_hand', command, notes: [...notes, ...byHandNotes(theirs, cron)] };
}

/** Tells whether a person only has to sign in in a browser, with the client of the operator. */
const canWait = (
  { auth }: AirweaveConnection,
  source: SourceType,
  config: Readonly<Record<string, unknown>>,
): boolean =>
  auth.method !== 'direct' &&
  waysOf(source).includes('browser') &&
  !source.requires_byoc &&
  source.config_fields.fields.every(({ name, required }) => !required || name in config);

/** The cron is undefined where the default of Quarry remains, and null where no sync starts by itself. */
function scheduleOf(
  { schedule }: AirweaveConnection,
  { federated_search, supports_continuous, is_local }: SourceType,
): { readonly cron?: string | null; readonly note?: string } {
  if (!schedule || federated_search) return {};
  const cron = schedule.cron ?? null;
  if (cron === null) return { cron };
  try {
    checkCron(cron, supports_continuous || is_local);
    return { cron };
  } catch (error) {
    return {
      note: `The schedule is not kept (${(error as Error).message}). Quarry's own one takes its place.`,
    };
  }
}

const byHandNotes = (
  { auth }: AirweaveConnection,
  cron: string | null | undefined,
): readonly string[] => [
  ...(auth.provider_readable_id
    ? [
        `In Airweave the auth provider '${auth.provider_readable_id}' signs in; Quarry has such providers, too (docs/auth-providers.md).`,
      ]
    : []),
  ...(cron === null
    ? ['Airweave has no schedule for it: remove that of Quarry on the page of the connection.']
    : []),
];
