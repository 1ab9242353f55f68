/** Decides how a connection is encrypted. */
import { SourceError } from '../../errors.ts';
import type { Endpoint } from './credentials.ts';

/** open: without TLS. encrypted: with TLS, to any server. verified: with TLS, to a server that proves its name. */
export type Protection = 'open' | 'encrypted' | 'verified';

interface Dialer<Connection> {
  dial(protection: Protection): Promise<Connection>;
  /** Returns true when the driver says that the server offers no TLS. */
  hasNoTls(error: unknown): boolean;
  /** Returns true when the server is not the one that the credentials name, or cannot prove it. */
  isUntrusted(error: unknown): boolean;
}

/** Connects as the credentials demand. Throws a SourceError 'config' for a server that does not fulfil the demand. */
export async function connectWithTls<Connection>(
  { host, ssl }: Pick<Endpoint, 'host' | 'ssl'>,
  { dial, hasNoTls, isUntrusted }: Dialer<Connection>,
): Promise<Connection> {
  if (ssl === 'verify')
    return dial('verified').catch((error: Error) => {
      if (!hasNoTls(error) && !isUntrusted(error)) throw error;
      const reason = hasNoTls(error) ? 'it offers no TLS' : error.message;
      throw new SourceError(
        'config',
        `${host} does not prove that it is the right server: ${reason}`,
        { cause: error },
      );
    });
  // A Unix socket has no TLS and needs none, because it does not leave this machine.
  if (ssl === 'disable' || host.startsWith('/')) return dial('open');
  try {
    return await dial('encrypted');
  } catch (error) {
    if (!hasNoTls(error)) throw error;
    if (ssl === 'prefer') return dial('open');
    throw new SourceError('config', `${host} offers no TLS, which the credentials require`, {
      cause: error,
    });
  }
}
