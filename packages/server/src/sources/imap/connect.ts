/** Connects to the IMAP server of a user, if the operator allows its address, and signs in. */
import { isIP } from 'node:net';
import type { ImapFlow } from 'imapflow';
import { SourceError } from '../../errors.ts';
import { isLoopback } from '../../net/addresses.ts';
import type { SourceContext } from '../define.ts';
import { type ImapCredentials, portOf } from './settings.ts';

export type ImapContext = Pick<
  SourceContext<unknown, ImapCredentials>,
  'allowHost' | 'signal' | 'meter' | 'log' | 'credentials'
>;

/** These times are in milliseconds. */
export interface Patience {
  /** The server must be connected and must greet within this time. */
  readonly connectMs: number;
  /** Within a command, the server must not be silent for longer than this. */
  readonly silenceMs: number;
  /** A command must have its whole answer within this time. */
  readonly commandMs: number;
}

const MB = 1024 * 1024;
/** A part of a message is the largest literal. */
const LARGEST_LITERAL = 32 * MB;

export interface ImapConnection {
  readonly client: ImapFlow;
  /** Returns the error that broke the connection. A command that was running then has only the error that it broke. */
  readonly broke: () => unknown;
}

/** Throws errors of the library, and a SourceError 'config' when the connection would not be confidential. */
export async function connect(
  { allowHost, signal, credentials, log }: ImapContext,
  { connectMs, silenceMs }: Patience,
): Promise<ImapConnection> {
  const { host, security, user, password, certificate } = credentials;
  const address = await allowHost(host);
  if (security === 'none' && !isLoopback(address))
    throw new SourceError(
      'config',
      `${host} is not on this machine, so the password may not be sent to it without encryption: set security to tls or starttls`,
    );
  // The import is late because a start without mailboxes would spend a tenth of its time on it.
  const { ImapFlow: Client } = await import('imapflow');
  signal.throwIfAborted();
  const client = new Client({
    host: address,
    port: portOf(credentials),
    secure: security === 'tls',
    doSTARTTLS: security === 'starttls' ? true : security === 'none' ? false : undefined,
    // The certificate must be valid for the configured name, not for the address to which the name resolves.
    ...(isIP(host) === 0 && { servername: host }),
    tls: { rejectUnauthorized: true, ...(certificate !== undefined && { ca: certificate }) },
    auth: { user, pass: password },
    clientInfo: { name: 'Quarry' },
    logger: false,
    // The size of an answer that is compressed could not be foreseen.
    disableCompression: true,
    disableAutoIdle: true,
    disableAutoEnable: true,
    disableIMAP4rev2: true,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    maxLineLength: LARGEST_LITERAL,
    maxLiteralSize: LARGEST_LITERAL,
    maxResponseSize: 2 * LARGEST_LITERAL,
  });
  let first: unknown;
  client.on('error', (error: unknown) => {
    first ??= error;
    log.debug({ err: error }, 'the connection to the IMAP server broke');
  });
  const stop = () => client.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await client.connect();
    return { client, broke: () => first };
  } catch (error) {
    client.close();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
