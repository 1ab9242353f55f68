/** The credentials of a database server are several fields, or one URL with the same content. */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import { must } from '../../util.ts';
import { secret } from '../define.ts';
import { isHostAlone, NOT_ALONE } from '../service-url.ts';
import { type DatabaseAddress, readUrl, TLS, type Tls, type UrlForm } from './url.ts';

const DEFAULT_TLS = 'prefer';

const NOT_WITH_URL = 'Leave it out when url is given.';

const NEEDED = ['host', 'database', 'user', 'password'] as const;

/** The protocols end texts with a NUL, so the server would read text behind a NUL as another setting. */
export const nameFor = ({ product }: UrlForm) =>
  z.string().min(1).max(255).refine(withoutNul, nulIn(product));

const withoutNul = (text: string) => !text.includes('\0');
const nulIn = (product: string) => `it has a NUL character, which nothing in ${product} can have`;

interface CredentialTexts<Schema extends z.ZodType<string | undefined>> {
  readonly form: UrlForm;
  /** This is the description of the host, of the user and of the schema. */
  readonly host: string;
  readonly user: string;
  readonly schema: Schema;
}

export function credentialsOf<Schema extends z.ZodType<string | undefined>>({
  form,
  host,
  user,
  schema,
}: CredentialTexts<Schema>) {
  const { product, schemes, defaultPort, tlsParameter } = form;
  const name = nameFor(form);
  return z
    .object({
      url: secret(
        'URL',
        `${schemes[0]}://user:password@host:port/database?${tlsParameter}=${modeFor(form, 'require')}, instead of all other fields except the schema. Special characters in it are percent-encoded.`,
      )
        .max(2000)
        .optional(),
      host: name
        .refine(isHostAlone, NOT_ALONE)
        .optional()
        .meta({ title: 'Host', description: `${host} ${NOT_WITH_URL}` }),
      port: z
        .int()
        .min(1)
        .max(65535)
        .default(defaultPort)
        .meta({ title: 'Port', description: `Port of the server. ${NOT_WITH_URL}` }),
      database: name
        .optional()
        .meta({ title: 'Database', description: `Name of the database. ${NOT_WITH_URL}` }),
      user: name.optional().meta({ title: 'User', description: `${user} ${NOT_WITH_URL}` }),
      password: secret('Password', `Password of the user. ${NOT_WITH_URL}`)
        .refine(withoutNul, nulIn(product))
        .optional(),
      schema,
      ssl: z
        .enum(TLS)
        .default(DEFAULT_TLS)
        .meta({
          title: 'TLS',
          description: `prefer: encrypted when the server can. require: always. verify: always, and only to a server whose certificate proves its name. disable: never. In a URL, ${tlsParameter} sets it.`,
        }),
    })
    .superRefine((credentials, { addIssue }) => {
      for (const [field, message] of faultsOf(form, credentials))
        addIssue({ code: 'custom', path: [field], message });
    });
}

/** Returns the wrong fields, each with a message. */
function faultsOf(form: UrlForm, credentials: ServerCredentials): [field: string, string][] {
  const { url, port, ssl } = credentials;
  const given = (field: (typeof NEEDED)[number]) => credentials[field] !== undefined;
  if (url === undefined)
    return NEEDED.filter((field) => !given(field)).map((field) => [
      field,
      'give this field, or a url',
    ]);
  const twice = [...NEEDED.filter(given), ...(port === form.defaultPort ? [] : ['port'])];
  const faults = twice.map((field): [string, string] => [
    field,
    'the url contains it already: leave this out',
  ]);
  const read = readUrl(form, url);
  if ('wrong' in read) faults.push(['url', read.wrong]);
  else if (read.ssl && ssl !== DEFAULT_TLS && ssl !== read.ssl)
    faults.push([
      'ssl',
      `the ${form.tlsParameter} of the url has another value: leave out one of the two`,
    ]);
  return faults;
}

/** Returns the value of the parameter for TLS that means this setting. */
const modeFor = ({ tlsModes }: UrlForm, tls: Tls) =>
  [...tlsModes].find(([, meaning]) => meaning === tls)?.[0];

/** An endpoint is the address of the server and the user who connects to it. */
export interface Endpoint extends DatabaseAddress {
  readonly ssl: Tls;
}

interface ServerCredentials {
  readonly url?: string | undefined;
  readonly host?: string | undefined;
  readonly port: number;
  readonly database?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly ssl: Tls;
}

/** Returns the endpoint of validated credentials. Throws a SourceError 'config' for a wrong URL. */
export function endpointOf(
  form: UrlForm,
  { url, host, port, database, user, password, ssl }: ServerCredentials,
): Endpoint {
  if (url === undefined)
    return {
      host: must(host),
      port,
      database: must(database),
      user: must(user),
      password: must(password),
      ssl,
    };
  const read = readUrl(form, url);
  if ('wrong' in read) throw new SourceError('config', `the url of the credentials: ${read.wrong}`);
  return { ssl, ...read };
}
