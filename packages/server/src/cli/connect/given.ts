/** Reads from the flags of `quarry connect` what a person would be asked otherwise. */
import type { SourceField, SourceType } from '../../sources/schema.ts';
import { assignmentOf, fieldValue, type GivenValues, secretOfFile } from './fields.ts';
import { isDirect, type SignInWay, waysOf } from './ways.ts';

export interface ConnectFlags {
  readonly signIn?: SignInWay;
  readonly name?: string;
  readonly description?: string;
  readonly cron?: string;
  readonly collection?: string;
  readonly newCollection?: string;
  readonly set: readonly string[];
  readonly secretFile: readonly string[];
  readonly clientId?: string;
  readonly open: boolean;
  readonly wait: number;
  readonly json?: true;
  /** The caller knows these values already. */
  readonly given?: { readonly config?: GivenValues; readonly credentials?: GivenValues };
  /** A new collection gets this readable_id. */
  readonly newCollectionId?: string;
}

export interface Given {
  readonly credentials: GivenValues;
  readonly config: GivenValues;
  readonly clientSecret: string | undefined;
}

/** The secret of an OAuth client has this name among the files. */
const CLIENT_SECRET = 'client_secret';

/** Throws an Error with a sentence for a field that the source does not have, and for a secret that is not in a file. */
export async function readGiven(
  source: SourceType,
  way: SignInWay | null,
  flags: ConnectFlags,
): Promise<Given> {
  const authFields = isDirect(way) ? (source.auth_fields?.fields ?? []) : [];
  const configFields = source.config_fields.fields;
  const credentials: GivenValues = { ...flags.given?.credentials };
  const config: GivenValues = { ...flags.given?.config };
  const place = (field: SourceField) => (authFields.includes(field) ? credentials : config);
  const fieldOf = (name: string) => {
    const field = [...authFields, ...configFields].find((one) => one.name === name);
    if (field) return field;
    const names = [...authFields, ...configFields].map((one) => one.name);
    throw new Error(
      `${source.short_name} has no field '${name}' here; it has ${names.join(', ') || 'none'}`,
    );
  };
  for (const text of flags.set) {
    const [name, value] = assignmentOf('--set', text);
    if (name === CLIENT_SECRET && way === 'browser') throw isSecret(name);
    const field = fieldOf(name);
    if (field.secret) throw isSecret(name);
    place(field)[name] = fieldValue(field, value);
  }
  let clientSecret: string | undefined;
  for (const text of flags.secretFile) {
    const [name, path] = assignmentOf('--secret-file', text);
    if (name === CLIENT_SECRET && way === 'browser') clientSecret = await secretOfFile(path);
    else place(fieldOf(name))[name] = await secretOfFile(path);
  }
  return { credentials, config, clientSecret };
}

const isSecret = (name: string) =>
  new Error(
    `${name} is a secret, and other users of this machine see arguments: give --secret-file ${name}=<path>`,
  );

/** Throws an Error with a sentence for a way that the source does not have. */
export function wayOfFlags(source: SourceType, { signIn }: ConnectFlags): SignInWay | undefined {
  const ways = waysOf(source);
  if (signIn !== undefined && !ways.includes(signIn))
    throw new Error(
      `${source.name} has no sign-in by '${signIn}': ${ways.length === 0 ? 'leave out --sign-in, because it needs none' : `use --sign-in ${ways.join(' or ')}`}`,
    );
  return signIn;
}

/** Throws an Error that names the flags for everything that is missing, because nobody can be asked. */
export function requireGiven(
  source: SourceType,
  { way, given, flags }: { way: SignInWay | null; given: Given; flags: ConnectFlags },
): void {
  const missing = (fields: readonly SourceField[], values: GivenValues) =>
    fields
      .filter(({ name, required }) => required && !(name in values))
      .map(({ name, secret }) =>
        secret ? `--secret-file ${name}=<path>` : `--set ${name}=<value>`,
      );
  const needed = [
    ...(way === 'browser'
      ? source.requires_byoc && flags.clientId === undefined
        ? ['--client-id <id>']
        : []
      : missing(source.auth_fields?.fields ?? [], given.credentials)),
    ...missing(source.config_fields.fields, given.config),
    ...(flags.collection === undefined && flags.newCollection === undefined
      ? ['--collection <readable_id> or --new-collection <name>']
      : []),
  ];
  if (needed.length > 0)
    throw new Error(
      `nobody can be asked without a terminal: give ${needed.join(', ')}, or run this in a terminal`,
    );
}
