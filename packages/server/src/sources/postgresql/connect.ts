/** Connects to the PostgreSQL server of a user, if the operator allows its address. */
import { isIP } from 'node:net';
import pg from 'pg';
import type { SourceContext } from '../define.ts';
import type { Endpoint } from '../sql/credentials.ts';
import { connectWithTls, type Protection } from '../sql/tls.ts';

const CONNECT_MS = 5_000;
/** The driver throws an error with this message when the server does not offer TLS. */
const NO_TLS = 'The server does not support SSL connections';

type ConnectContext = Pick<
  SourceContext<unknown, unknown>,
  'allowHost' | 'signal' | 'meter' | 'log'
>;

export async function connect(ctx: ConnectContext, endpoint: Endpoint): Promise<pg.Client> {
  const { host } = endpoint;
  const address = await ctx.allowHost(host);
  return connectWithTls(endpoint, {
    dial: (protection) => dial(ctx, { ...endpoint, host: address }, tlsOf(protection, host)),
    hasNoTls: (error) => (error as Error).message === NO_TLS,
    isUntrusted: (error) => /CERT|TLS/.test((error as NodeJS.ErrnoException).code ?? ''),
  });
}

/** The certificate must be valid for the configured host name, not for the address to which the name resolves. */
function tlsOf(protection: Protection, host: string): pg.ClientConfig['ssl'] {
  if (protection === 'open') return false;
  if (protection === 'encrypted') return { rejectUnauthorized: false };
  const isName = isIP(host) === 0 && !host.startsWith('/');
  return isName ? { servername: host } : {};
}

async function dial(
  { signal, meter, log }: ConnectContext,
  { host, port, database, user, password }: Endpoint,
  ssl: pg.ClientConfig['ssl'],
): Promise<pg.Client> {
  signal.throwIfAborted();
  const client = new pg.Client({
    host,
    port,
    database,
    user,
    password,
    ssl,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'quarry',
  });
  // When the connection breaks, the current statement fails too, and its caller handles the error.
  client.on('error', (error) => log.debug({ err: error }, 'the connection to PostgreSQL broke'));
  const destroy = () => client.connection.stream.destroy();
  signal.addEventListener('abort', destroy, { once: true });
  try {
    meter.requests++;
    await client.connect();
    return client;
  } catch (error) {
    destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', destroy);
  }
}
