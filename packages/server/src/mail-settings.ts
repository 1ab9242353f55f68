/** The settings of mail name the server through which invitations are sent. Without them nothing is mailed. */
import { z } from 'zod';
import { isLoopback } from './net/addresses.ts';
import type { SmtpServer } from './net/smtp.ts';

const text = () =>
  z
    .string()
    // An empty environment variable counts as not set.
    .transform((value) => value.trim() || undefined)
    .optional();

export const MAIL_SETTINGS = {
  QUARRY_SMTP_URL: text()
    .refine(
      (value) => value === undefined || partsOf(value) !== null,
      'use smtp://user:password@host:port, or smtps:// when TLS begins with the connection; other characters than letters and digits in user and password are written as %40 for @',
    )
    .describe(
      'Mail server through which invitations are sent, such as smtp://user:password@mail.example.com:587. Without it nothing is mailed. A password is sent over TLS only, except on this machine.',
    ),
  QUARRY_MAIL_FROM: text()
    .refine(
      (value) => value === undefined || senderOf(value) !== null,
      'use the form quarry@example.com, or Quarry <quarry@example.com>',
    )
    .describe('Sender of mails, such as Quarry <quarry@example.com>. QUARRY_SMTP_URL needs it.'),
};

const MailValues = z.object(MAIL_SETTINGS);
type MailValues = z.infer<typeof MailValues> & { readonly QUARRY_PUBLIC_URL?: string | undefined };

/**
 * Returns null when nothing is mailed. Throws an Error with a message for the operator when a setting that belongs to
 * the others is missing.
 */
export function mailOf(values: MailValues): SmtpServer | null {
  const { QUARRY_SMTP_URL: url, QUARRY_MAIL_FROM: sender } = values;
  if (url === undefined) {
    if (sender === undefined) return null;
    throw new Error(
      'QUARRY_MAIL_FROM has no effect without QUARRY_SMTP_URL: set that too, or leave it out',
    );
  }
  if (sender === undefined)
    throw new Error(
      'QUARRY_SMTP_URL needs QUARRY_MAIL_FROM: the sender of mails, such as Quarry <quarry@example.com>',
    );
  if (values.QUARRY_PUBLIC_URL === undefined)
    throw new Error(
      'QUARRY_SMTP_URL needs QUARRY_PUBLIC_URL: the address at which people open the links in mails, such as https://quarry.example.com',
    );
  const [server, from] = [partsOf(url), senderOf(sender)];
  // The schema has refused both other forms already.
  if (!server || !from) throw new Error('the settings of mail have another form');
  return { ...server, from };
}

function partsOf(value: string): Omit<SmtpServer, 'from'> | null {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (!url || !/^smtps?:$/.test(url.protocol) || !url.hostname) return null;
  if (!/^\/?$/.test(url.pathname) || /[?#]/.test(value)) return null;
  const [user, pass] = [decoded(url.username), decoded(url.password)];
  // A user without a password is most likely a password that was forgotten.
  if (user === null || pass === null || (user === '') !== (pass === '')) return null;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isTls = url.protocol === 'smtps:';
  return {
    host,
    port: Number(url.port) || (isTls ? 465 : 587),
    isTls,
    needsTls: !isTls && user !== '' && !isLoopback(host),
    login: user === '' ? null : { user, pass },
  };
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    // A % that begins no character is a mistake in the address, which the caller reports.
    return null;
  }
}

const Address = z.email().max(254);

function senderOf(value: string): SmtpServer['from'] | null {
  const [, name = '', within] = /^([^<>]*)<([^<>]+)>$/.exec(value) ?? [];
  const address = within ?? value;
  if (/\p{Cc}/u.test(value) || !Address.safeParse(address).success) return null;
  return { name: name.trim().replace(/^"(.*)"$/, '$1'), address };
}
