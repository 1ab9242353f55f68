/**
 * Parses URLs of database servers, such as postgres://user:password@host:port/database. Only one host and the parameter
 * for TLS are supported. Any other parameter is refused and not ignored, because it may be there for security.
 *
 * A URL contains a password, so messages quote only the names of its parameters.
 */
export const TLS = ['disable', 'prefer', 'require', 'verify'] as const;
/**
 * disable: TLS is never used. prefer: TLS is used when the server offers it. require: only TLS is
 * used, with whatever server answers. verify: only TLS is used, with a server that proves its name.
 */
export type Tls = (typeof TLS)[number];

/** Describes the URLs of one kind of server. */
export interface UrlForm {
  /** This is the name of the server in messages. */
  readonly product: string;
  /** The first scheme is the one that messages name. */
  readonly schemes: readonly string[];
  readonly defaultPort: number;
  /** This parameter of the URL sets how TLS is used. */
  readonly tlsParameter: string;
  /** Maps each value of the parameter to our setting, which is never weaker. The keys are in lower case. */
  readonly tlsModes: ReadonlyMap<string, Tls>;
}

export interface DatabaseAddress {
  /** This is a host name, an address, or the path of a Unix socket, which begins with `/`. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
}

/** Parses a URL. `wrong` is a message that says what is wrong with the URL and what to do. */
export function readUrl(
  form: UrlForm,
  text: string,
): (DatabaseAddress & { readonly ssl?: Tls }) | { readonly wrong: string } {
  const [scheme] = form.schemes;
  if (!form.schemes.some((one) => text.toLowerCase().startsWith(`${one}://`)))
    return { wrong: `it does not begin with ${scheme}://` };
  const url = URL.parse(text);
  if (!url)
    return {
      wrong: `it is not of the form ${scheme}://user:password@host:port/database with one host: write special characters of the parts percent-encoded, such as %23 for # and %2F for /`,
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
    return { wrong: `it has a NUL character, which nothing in ${form.product} can have` };
  const port = url.port === '' ? form.defaultPort : Number(url.port);
  if (port === 0) return { wrong: 'its port is 0: the port of a server is from 1 to 65535' };
  return withTls(form, { host, port, database, user, password }, url.searchParams);
}

function withTls(
  { tlsParameter, tlsModes }: UrlForm,
  address: DatabaseAddress,
  parameters: URLSearchParams,
): ReturnType<typeof readUrl> {
  const others = [...parameters.keys()].filter((key) => key !== tlsParameter);
  if (others.length > 0)
    return {
      wrong: `it has the parameter ${others[0]}, and only ${tlsParameter} is known: take the others out`,
    };
  const modes = parameters.getAll(tlsParameter);
  if (modes.length === 0) return address;
  const ssl = tlsModes.get(modes.join().toLowerCase());
  if (!ssl)
    return { wrong: `its ${tlsParameter} is not one of ${[...tlsModes.keys()].join(', ')}` };
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
