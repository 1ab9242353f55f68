/**
 * Turns an error of the protocol into a SourceError. The kind follows from the response code of the server (RFC 5530,
 * RFC 9051 section 7.1), or from the code of the client library.
 */
import { SourceError, type SourceErrorKind, shown } from '../../errors.ts';

const KINDS: Readonly<Record<string, SourceErrorKind>> = {
  AUTHENTICATIONFAILED: 'auth',
  AUTHORIZATIONFAILED: 'auth',
  EXPIRED: 'auth',
  WEBALERT: 'auth', // Gmail wants the person to sign in by a browser.
  PRIVACYREQUIRED: 'config',
  CONTACTADMIN: 'config',
  ALERT: 'config',
  UNAVAILABLE: 'transient',
  INUSE: 'transient',
  SERVERBUG: 'transient',
  LIMIT: 'rate_limited',
  THROTTLED: 'rate_limited',
  OVERQUOTA: 'rate_limited', // Gmail says so when an account has read too much in a day.
  NONEXISTENT: 'skip',
  NOPERM: 'skip',
  CORRUPTION: 'skip',
  EXPUNGEISSUED: 'skip',
};
/** An account that has read too much is asked again after this time. */
const OVER_QUOTA_S = 3600;

/** Servers without response codes say in words that a client asks too much. */
const TOO_MUCH = /throttl|too many|rate limit|maximum number of connections|bandwidth/i;

/** The properties that the library gives its errors. */
interface ProtocolError extends NodeJS.ErrnoException {
  readonly serverResponseCode?: string;
  readonly responseStatus?: string;
  readonly responseText?: string;
  readonly reason?: string;
  readonly authenticationFailed?: boolean;
  readonly throttleReset?: number;
}

export interface AskedServer {
  /** The address is the host and the port that the user has given. */
  readonly address: string;
  /** The server might repeat it, so it is cut out of its words. */
  readonly password: string;
}

export function toSourceError(error: unknown, { address, password }: AskedServer): SourceError {
  if (error instanceof SourceError) return error;
  const cause = error as ProtocolError;
  const words = wordsOf(cause).replaceAll(password, '…');
  if (cause.throttleReset !== undefined)
    return new SourceError('rate_limited', `${address} answered: ${words}`, {
      retryAfter: cause.throttleReset / 1000,
      cause,
    });
  // A refusal has a status; all other errors mean that no whole answer came.
  if (cause.responseStatus === undefined) return unreachable(cause, address);
  const code = cause.serverResponseCode ?? '';
  const kind = KINDS[code] ?? kindOf(cause, words);
  return new SourceError(kind, `${address} answered: ${words}`, {
    ...(code === 'OVERQUOTA' && { retryAfter: OVER_QUOTA_S }),
    ...(kind === 'auth' && {
      hint: 'Many providers want an app password instead of the password of the account.',
    }),
    cause,
  });
}

function kindOf({ authenticationFailed, responseStatus }: ProtocolError, words: string) {
  if (TOO_MUCH.test(words)) return 'rate_limited';
  if (authenticationFailed) return 'auth';
  // BAD means that the server does not understand the command.
  return responseStatus === 'BAD' ? 'fatal' : 'skip';
}

function unreachable(cause: ProtocolError, address: string): SourceError {
  const { code = '', syscall, message } = cause;
  if (/CERT|^ERR_TLS|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)/.test(code))
    return new SourceError(
      'config',
      `${address} does not prove that it is the right server: ${message}`,
      { hint: 'Give its certificate, or that of its authority, in `certificate`.', cause },
    );
  if (/STARTTLS/.test(message))
    return new SourceError('config', `${address} offers no STARTTLS, which security requires`, {
      cause,
    });
  if (/^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/.test(code))
    return new SourceError('config', `${address} speaks no TLS: set security to starttls`, {
      cause,
    });
  // A message of the operating system contains the address to which the host resolves.
  const reason = code && (syscall || message === '') ? code : wordsOf(cause);
  return new SourceError('transient', `${address} cannot be reached: ${reason}`, { cause });
}

const wordsOf = ({ responseText, reason, message }: ProtocolError): string =>
  shown((responseText || reason || message).replace(/\s+/g, ' ').trim());
