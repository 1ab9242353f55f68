/** Reaching and entering a user's server, by the way that the operator allows. */
import { isIP } from 'node:net';
import pg from 'pg';
import { SourceError } from '../../errors.ts';
import type { SourceContext } from '../define.ts';

const CONNECT_MS = 5_000;
/** What the driver says when the server declines TLS. */
const NO_TLS = 'The server does not support SSL connections';

export interface Credentials {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly schema: string;
  /** prefer: TLS when the server offers it, as in libpq. verify: only TLS, to the right server. */
  readonly ssl: 'prefer' | 'verify';
}

type Context = SourceContext<unknown, Credentials>;

export async function connect(ctx: Context): Promise<pg.Client> {
  const { host, ssl } = ctx.credentials;
  const address = await ctx.allowHost(host);
  if (ssl === 'verify') return connectVerified(ctx, address);
  if (address.startsWith('/')) return dial(ctx, address, false);
  try {
    return await dial(ctx, address, { rejectUnauthorized: false });
  } catch (error) {
    if ((error as Error).message !== NO_TLS) throw error;
    return dial(ctx, address, false);
  }
}

/** The certificate must prove the name that was asked for, not the address that it led to. */
async function connectVerified(ctx: Context, address: string): Promise<pg.Client> {
  const { host } = ctx.credentials;
  const isName = isIP(host) === 0 && !host.startsWith('/');
  try {
    return await dial(ctx, address, isName ? { servername: host } : {});
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
  { credentials, signal, meter, log }: Context,
  host: string,
  ssl: pg.ClientConfig['ssl'],
): Promise<pg.Client> {
  signal.throwIfAborted();
  const { port, database, user, password } = credentials;
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
  // A connection that breaks also fails the statement in hand, which is where it is dealt with.
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
