/** Connects to the PostgreSQL server of a user, if the operator allows its address. */
import { isIP } from 'node:net';
import pg from 'pg';
import { SourceError } from '../../errors.ts';
import type { SourceContext } from '../define.ts';
import type { Endpoint } from './credentials.ts';

const CONNECT_MS = 5_000;
/** The driver throws an error with this message when the server does not offer TLS. */
const NO_TLS = 'The server does not support SSL connections';

type ConnectContext = Pick<
  SourceContext<unknown, unknown>,
  'allowHost' | 'signal' | 'meter' | 'log'
>;

export async function connect(ctx: ConnectContext, endpoint: Endpoint): Promise<pg.Client> {
  const { host, ssl } = endpoint;
  const address = await ctx.allowHost(host);
  const dialWith = (tls: pg.ClientConfig['ssl']) => dial(ctx, { ...endpoint, host: address }, tls);
  if (ssl === 'verify') return verified(host, dialWith);
  // A Unix socket has no TLS and needs none, because it does not leave this machine.
  if (ssl === 'disable' || address.startsWith('/')) return dialWith(false);
  try {
    return await dialWith({ rejectUnauthorized: false });
  } catch (error) {
    if ((error as Error).message !== NO_TLS) throw error;
    if (ssl === 'prefer') return dialWith(false);
    throw new SourceError('config', `${host} offers no TLS, which the credentials require`, {
      cause: error,
    });
  }
}

/** The certificate must be valid for the configured host name, not for the address to which the name resolves. */
async function verified(
  host: string,
  dialWith: (tls: pg.ClientConfig['ssl']) => Promise<pg.Client>,
): Promise<pg.Client> {
  const isName = isIP(host) === 0 && !host.startsWith('/');
  try {
    return await dialWith(isName ? { servername: host } : {});
  } catch (error) {
    const { message, code = '' } = error as NodeJS.ErrnoException;
    if (message !== NO_TLS && !/CERT|TLS/.test(code)) throw error;
    const reason = message === NO_TLS ? 'it offers no TLS' : message;
    throw new SourceError(
      'config',
      `${host} does not prove that it is the right server: ${reason}`,
      {
        cause: error,
      },
    );
  }
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
