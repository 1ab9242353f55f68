/** The credentials of a PostgreSQL server are several fields, or one URL with the same content. */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import { must } from '../../util.ts';
import { secret } from '../define.ts';
import { type DatabaseAddress, DEFAULT_PORT, readUrl, TLS, type Tls } from './url.ts';

/** The protocol ends every text with a NUL, so the server would read text behind a NUL as another setting. */
const withoutNul = (text: string) => !text.includes('\0');
const NUL = 'it has a NUL character, which nothing in PostgreSQL can have';
const name = z.string().min(1).max(255).refine(withoutNul, NUL);

const DEFAULT_TLS = 'prefer';

const NOT_WITH_URL = 'Leave it out when url is given.';

export const Credentials = z
  .object({
    url: secret(
      'URL',
      'postgres://user:password@host:port/database?sslmode=require, instead of all other fields except the schema. Special characters in it are percent-encoded.',
    )
      .max(2000)
      .optional(),
    host: name.optional().meta({
      title: 'Host',
      description: `Name or address of the server, or the folder of its socket. ${NOT_WITH_URL}`,
    }),
    port: z
      .int()
      .min(1)
      .max(65535)
      .default(DEFAULT_PORT)
      .meta({
        title: 'Port',
        description: `Port of the server. ${NOT_WITH_URL}`,
      }),
    database: name.optional().meta({
      title: 'Database',
      description: `Name of the database. ${NOT_WITH_URL}`,
    }),
    user: name.optional().meta({
      title: 'User',
      description: `A role that may read the tables. ${NOT_WITH_URL}`,
    }),
    password: secret('Password', `Password of the role. ${NOT_WITH_URL}`)
      .refine(withoutNul, NUL)
      .optional(),
    schema: name.default('public').meta({
      title: 'Schema',
      description: 'Schema of the tables that are named without one, and where queries look first.',
    }),
    ssl: z.enum(TLS).default(DEFAULT_TLS).meta({
      title: 'TLS',
      description:
        'prefer: encrypted when the server can. require: always. verify: always, and only to a server whose certificate proves its name. disable: never. In a URL, sslmode sets it.',
    }),
  })
  .superRefine((credentials, { addIssue }) => {
    const fault = (field: string, message: string) =>
      addIssue({ code: 'custom', path: [field], message });
    if (credentials.url === undefined) {
      for (const field of NEEDED)
        if (credentials[field] === undefined) fault(field, 'give this field, or a url');
      return;
    }
    for (const field of NEEDED)
      if (credentials[field] !== undefined)
        fault(field, 'the url contains it already: leave this out');
    if (credentials.port !== DEFAULT_PORT)
      fault('port', 'the url contains it already: leave this out');
    const read = readUrl(credentials.url);
    if ('wrong' in read) fault('url', read.wrong);
    else if (read.ssl && credentials.ssl !== DEFAULT_TLS && credentials.ssl !== read.ssl)
      fault('ssl', 'the sslmode of the url has another value: leave out one of the two');
  });
export type Credentials = z.infer<typeof Credentials>;

const NEEDED = ['host', 'database', 'user', 'password'] as const;

/** An endpoint is the address of the server and the role that connects to it. */
export interface Endpoint extends DatabaseAddress {
  readonly ssl: Tls;
}

/** Returns the endpoint of validated credentials. Throws a SourceError 'config' for a wrong URL. */
export function endpointOf(credentials: Credentials): Endpoint {
  const { url, host, port, database, user, password, ssl } = credentials;
  if (url === undefined)
    return {
      host: must(host),
      port,
      database: must(database),
      user: must(user),
      password: must(password),
      ssl,
    };
  const read = readUrl(url);
  if ('wrong' in read) throw new SourceError('config', `the url of the credentials: ${read.wrong}`);
  return { ssl, ...read };
}
