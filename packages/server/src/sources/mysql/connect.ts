/** Connects to the MySQL server of a user, if the operator allows its address. */
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import mysql from 'mysql2';
import { SourceError } from '../../errors.ts';
import type { SourceContext } from '../define.ts';
import type { Endpoint } from '../sql/credentials.ts';
import { connectWithTls, type Protection } from '../sql/tls.ts';
import { client_ed25519 } from './ed25519.ts';

const CONNECT_MS = 5_000;

type MysqlContext = Pick<SourceContext<unknown, unknown>, 'allowHost' | 'signal' | 'meter' | 'log'>;

export async function connect(ctx: MysqlContext, endpoint: Endpoint): Promise<mysql.Connection> {
  const { host, ssl } = endpoint;
  // The driver compares the certificate with a name only.
  if (ssl === 'verify' && isIP(host) !== 0)
    throw new SourceError(
      'config',
      `the certificate of ${host} cannot be verified, because the host is an address: give its name`,
    );
  const address = await ctx.allowHost(host);
  return connectWithTls(endpoint, {
    dial: (protection) => dial(ctx, endpoint, { address, protection }),
    hasNoTls: (error) => codeOf(error) === 'HANDSHAKE_NO_SSL_SUPPORT',
    isUntrusted: (error) =>
      codeOf(error) === 'HANDSHAKE_SSL_ERROR' && /certificate/i.test((error as Error).message),
  });
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

/** Returns the socket of a connection. TLS replaces it while the connection is opened. */
export const socketOf = (connection: mysql.Connection): Duplex =>
  (connection as unknown as { stream: Duplex }).stream;

async function dial(
  { signal, meter, log }: MysqlContext,
  { host, port, database, user, password }: Endpoint,
  { address, protection }: { address: string; protection: Protection },
): Promise<mysql.Connection> {
  signal.throwIfAborted();
  const connection = mysql.createConnection({
    ...(address.startsWith('/') ? { socketPath: address } : { host: address, port }),
    database,
    user,
    password,
    charset: 'UTF8MB4_UNICODE_CI',
    connectTimeout: CONNECT_MS,
    // A server must not ask for files of this machine.
    flags: ['-LOCAL_FILES'],
    multipleStatements: false,
    // Names of columns must not become a part of code.
    disableEval: true,
    authPlugins: { client_ed25519 },
    connectAttributes: { program_name: 'quarry' },
    ...(protection !== 'open' && {
      ssl: {
        rejectUnauthorized: protection === 'verified',
        verifyIdentity: protection === 'verified',
      },
    }),
  });
  // The connection goes to the allowed address; TLS asks for the configured name.
  connection.config.host = host;
  // When the connection breaks, the current statement fails too, and its caller handles the error.
  connection.on('error', (error) => log.debug({ err: error }, 'the connection to MySQL broke'));
  const destroy = () => socketOf(connection).destroy();
  signal.addEventListener('abort', destroy, { once: true });
  try {
    meter.requests++;
    await new Promise<void>((resolve, reject) => {
      connection.connect((error) => (error ? reject(error) : resolve()));
    });
    return connection;
  } catch (error) {
    destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', destroy);
  }
}
