/** These are the settings of a mailbox: the server and the account are credentials, what is copied is configuration. */
import { z } from 'zod';
import { secret } from '../define.ts';
import { isHostAlone, NOT_ALONE } from '../service-url.ts';

/** The protocol sends each of these within a line, and a line break or a NUL would end it. */
const withoutControls = (text: string) => !/[\0\r\n]/.test(text);
const CONTROLS = 'it has a line break or a NUL character';
const line = (most: number) => z.string().min(1).max(most).refine(withoutControls, CONTROLS);

const SECURITY = ['tls', 'starttls', 'none'] as const;
const DEFAULT_PORTS = { tls: 993, starttls: 143, none: 143 } as const;

/**
 * The server belongs to the credentials, because a password must only reach the server for which it was given: whoever
 * changes the server must know the password.
 */
export const ImapCredentials = z.object({
  host: line(255)
    .refine((host) => !host.startsWith('/'), 'is a path: give the name of a server')
    .refine(isHostAlone, NOT_ALONE)
    .meta({ title: 'Host', description: 'Name or address of the IMAP server.' }),
  port: z.int().min(1).max(65535).optional().meta({
    title: 'Port',
    description: 'Port of the server. The default is 993, and 143 without implicit TLS.',
  }),
  security: z.enum(SECURITY).default('tls').meta({
    title: 'Security',
    description:
      'tls: encrypted from the beginning. starttls: encrypted before the sign-in. none: never, which is allowed only on this machine.',
  }),
  certificate: z.string().max(100_000).optional().meta({
    title: 'Certificate',
    description:
      'PEM of the authority, or of the server itself, that is trusted. Without it, the public authorities are trusted.',
  }),
  user: line(320).meta({
    title: 'User',
    description: 'Name of the account, mostly its e-mail address.',
  }),
  password: secret(
    'Password',
    'Password of the account. Use an app password where the provider has them.',
  )
    .max(1000)
    .refine(withoutControls, CONTROLS),
});
export type ImapCredentials = z.infer<typeof ImapCredentials>;

export const portOf = ({ port, security }: ImapCredentials): number =>
  port ?? DEFAULT_PORTS[security];

export const ImapConfig = z.strictObject({
  folders: z.array(line(1000)).min(1).max(1000).optional().meta({
    title: 'Folders',
    description:
      'Names of folders, such as INBOX or Work/Projects; the folders below them are read too. Without it, all folders of the account are read except trash, junk and drafts.',
    options: true,
  }),
  since: z.iso.date().optional().meta({
    title: 'Since',
    description: 'Only messages that arrived on this day or later are read, such as 2025-01-31.',
  }),
  viewers: z.array(z.email()).min(1).max(100).optional().meta({
    title: 'Viewers',
    description:
      'E-mail addresses of the people who may find the messages. Without it, only the person whose address the user name is finds them.',
  }),
});
export type ImapConfig = z.infer<typeof ImapConfig>;
