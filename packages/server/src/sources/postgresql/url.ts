/**
 * Parses URLs of PostgreSQL servers (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS).
 * Only one host and the parameter `sslmode` are supported. Any other parameter is refused and not ignored, because it
 * may be there for security.
 *
 * A URL contains a password, so messages quote only the names of its parameters.
 */
export const TLS = ['disable', 'prefer', 'require', 'verify'] as const;
/**
 * disable: TLS is never used. prefer: TLS is used when the server offers it, as in libpq. require: only TLS is
 * used, with whatever server answers. verify: only TLS is used, with a server that proves its name.
 */
export type Tls = (typeof TLS)[number];

export const DEFAULT_PORT = 5432;

export interface DatabaseAddress {
  /** This is a host name, an address, or the folder of a Unix socket, which begins with `/`. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
}

/** Maps each sslmode to our setting, which is never weaker than the sslmode is in libpq. */
const SSL_MODES: ReadonlyMap<string, Tls> = new Map([
  ['disable', 'disable'],
  ['allow', 'prefer'],
  ['prefer', 'prefer'],
  ['require', 'require'],
  ['verify-ca', 'verify'],
  ['verify-full', 'verify'],
]);

/** Parses a URL. `wrong` is a message that says what is wrong with the URL and what to do. */
export function readUrl(
  text: string,
): (DatabaseAddress & { readonly ssl?: Tls }) | { readonly wrong: string } {
  if (!/^postgres(ql)?:\/\//i.test(text)) return { wrong: 'it does not begin with postgres://' };
  const url = URL.parse(text);
  if (!url)
    return {
      wrong:
        'it is not of the form postgres://user:password@host:port/database with one host: write special characters of the parts percent-encoded, such as %23 for # and %2F for /',
    };
  if (url.hash !== '')
    return { wrong: 'it has a # that is not percent-encoded: write %23 instead' };
  const parts = {
    user: decoded(url.username),
    password: decoded(url.password),
    host: decoded(url.hostname.replace(/^\[(.*)\]$/, '$1')),
    database: decoded(url.pathname.slice(1)),
  };
  for (const [part, value] of Object.entries(parts))
    if (value === '') return { wrong: `it names no ${part}` };
  const { user, password, host, database } = parts;
  if (user === null || password === null || host === null || database === null)
    return {
      wrong: 'it has a % that does not begin a percent-encoded character: write %25 instead',
    };
  if (Object.values(parts).some((value) => value?.includes('\0')))
    return { wrong: 'it has a NUL character, which nothing in PostgreSQL can have' };
  const port = url.port === '' ? DEFAULT_PORT : Number(url.port);
  if (port === 0) return { wrong: 'its port is 0: the port of a server is from 1 to 65535' };
  return withTls({ host, port, database, user, password }, url.searchParams);
}

function withTls(
  address: DatabaseAddress,
  parameters: URLSearchParams,
): ReturnType<typeof readUrl> {
  const others = [...parameters.keys()].filter((key) => key !== 'sslmode');
  if (others.length > 0)
    return {
      wrong: `it has the parameter ${others[0]}, and only sslmode is known: take the others out`,
    };
  const modes = parameters.getAll('sslmode');
  if (modes.length === 0) return address;
  const ssl = SSL_MODES.get(modes.join());
  if (!ssl) return { wrong: `its sslmode is not one of ${[...SSL_MODES.keys()].join(', ')}` };
  return { ...address, ssl };
}

/** Returns null for a text that is not percent-encoded UTF-8. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    // The caller makes the message.
    return null;
  }
}
