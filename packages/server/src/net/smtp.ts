/**
 * Every connection to a mail server is opened here. The operator chooses the server (QUARRY_SMTP_URL), so it may be
 * anywhere, as the issuer and models may.
 *
 * A mail is tried once. It is sent or has failed after ten seconds at the latest, because somebody waits for the answer.
 */
import type { NodemailerError } from 'nodemailer';

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** If true, TLS begins with the connection; otherwise the server may offer it later (STARTTLS). */
  readonly isTls: boolean;
  /** If true, nothing is sent over a connection without TLS. */
  readonly needsTls: boolean;
  readonly login: { readonly user: string; readonly pass: string } | null;
  readonly from: { readonly name: string; readonly address: string };
}

export interface OutgoingMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Rejects with a MailFailure when the server has not taken the mail. */
export type SendMail = (mail: OutgoingMail) => Promise<void>;

export const MAIL_FAULTS = [
  'late',
  'unreachable',
  'broken',
  'not_secure',
  'login_refused',
  'sender_refused',
  'recipient_refused',
  'refused',
] as const;
export type MailFault = (typeof MAIL_FAULTS)[number];

/** The message is for the log: it may have text of the server, but not of its answer to the password. */
export class MailFailure extends Error {
  override readonly name = 'MailFailure';
  readonly fault: MailFault;
  /** The server answered with this status of SMTP (RFC 5321, 4.2); null when it did not answer. */
  readonly status: number | null;

  constructor(fault: MailFault, message: string, status: number | null) {
    super(message);
    this.fault = fault;
    this.status = status;
  }
}

const MAIL_MS = 10_000;
/** The log repeats this many characters of what the server says. */
const MOST_OF_RESPONSE = 300;

export function createSmtp(
  { host, port, isTls, needsTls, login, from }: SmtpServer,
  { timeoutMs = MAIL_MS } = {},
): SendMail {
  const options = {
    ...{ host, port, secure: isTls, requireTLS: needsTls },
    // Without this, a server that takes no password would get the mail without one, and nobody would notice.
    ...(login && { auth: login, forceAuth: true }),
    // The signal ends a mail in time. These limits only keep the connection from outliving it.
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    socketCloseTimeout: 0,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  return async ({ to, ...content }) => {
    // The library is loaded with the first mail, because many installations send none.
    const { createTransport } = await import('nodemailer');
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      await createTransport(options).sendMail({
        ...content,
        from,
        to: { name: '', address: to },
        headers: { 'Auto-Submitted': 'auto-generated' },
        signal,
      });
    } catch (error) {
      throw signal.aborted
        ? new MailFailure('late', `no answer in ${timeoutMs} ms`, null)
        : failureOf(error as NodemailerError);
    }
  };
}

function failureOf(error: NodemailerError): MailFailure {
  const { command, responseCode, response, message } = error;
  const fault = faultOf(error);
  // A server may repeat the password when it refuses it.
  const said = fault === 'login_refused' ? command : (response ?? message);
  return new MailFailure(fault, String(said).slice(0, MOST_OF_RESPONSE), responseCode ?? null);
}

const UNREACHABLE = /^(ECONNREFUSED|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|EADDRNOTAVAIL)$/;
const OF_TLS = /^ERR_(TLS|SSL)_|CERT|^UNABLE_TO_/;

function faultOf({ code, command, originalCode = '' }: NodemailerError): MailFault {
  switch (code) {
    case 'ETIMEDOUT':
      return 'late';
    case 'EDNS':
      return 'unreachable';
    case 'ETLS':
      return 'not_secure';
    case 'EAUTH':
      return 'login_refused';
    case 'EENVELOPE':
      if (command === 'MAIL FROM') return 'sender_refused';
      return command === 'RCPT TO' ? 'recipient_refused' : 'refused';
    case 'EMESSAGE':
    case 'EPROTOCOL':
      return 'refused';
    default:
      if (UNREACHABLE.test(originalCode)) return 'unreachable';
      return OF_TLS.test(originalCode) ? 'not_secure' : 'broken';
  }
}
