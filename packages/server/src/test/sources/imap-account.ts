/** An account on a real Dovecot, which an independent client changes as a person with a mail program does. */
import { ImapFlow } from 'imapflow';
import { must } from '../../util.ts';
import { type DovecotServer, PASSWORD } from '../dovecot-server.ts';

let accounts = 0;

export interface Mail {
  readonly subject?: string;
  readonly text?: string;
  readonly from?: string;
  readonly to?: string;
  readonly id?: string;
  readonly headers?: readonly string[];
  /** This is the whole body with the headers of MIME, in place of `text`. */
  readonly body?: string;
}

export type MailAccount = Awaited<ReturnType<typeof openAccount>>;

export async function openAccount(server: DovecotServer, name = 'ann') {
  accounts++;
  const user = `${name}${accounts}@example.org`;
  const credentials = {
    host: '127.0.0.1',
    port: server.port,
    security: 'none',
    user,
    password: PASSWORD,
  };
  let client = await signIn();

  async function signIn(): Promise<ImapFlow> {
    const opened = new ImapFlow({
      host: '127.0.0.1',
      port: server.port,
      secure: false,
      doSTARTTLS: false,
      auth: { user, pass: PASSWORD },
      logger: false,
      disableAutoIdle: true,
    });
    opened.on('error', () => {});
    await opened.connect();
    return opened;
  }

  async function inFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
    const lock = await client.getMailboxLock(folder);
    try {
      return await work();
    } finally {
      lock.release();
    }
  }

  let messages = 0;
  return {
    user,
    credentials,
    get client() {
      return client;
    },
    /** Puts a message into a folder, and returns its UID. */
    async append(folder: string, mail: Mail | string, received?: Date): Promise<number> {
      messages++;
      const source = typeof mail === 'string' ? mail : sourceOf(mail, `${messages}@${user}`);
      const done = await client.append(folder, source, [], received);
      return must((done || null)?.uid, 'the server does not tell the UID');
    },
    create: (folder: string) => client.mailboxCreate(folder),
    rename: (folder: string, to: string) => client.mailboxRename(folder, to),
    deleteFolder: async (folder: string) => {
      await client.mailboxClose();
      await client.mailboxDelete(folder);
    },
    move: (folder: string, uid: number | string, to: string) =>
      inFolder(folder, () => client.messageMove(String(uid), to, { uid: true })),
    copy: (folder: string, uid: number | string, to: string) =>
      inFolder(folder, () => client.messageCopy(String(uid), to, { uid: true })),
    expunge: (folder: string, uid: number | string) =>
      inFolder(folder, () => client.messageDelete(String(uid), { uid: true })),
    flag: (folder: string, uid: number | string, flags: string[]) =>
      inFolder(folder, () => client.messageFlagsAdd(String(uid), flags, { uid: true })),
    /** Returns the UIDs of the messages in a folder. */
    uids: (folder: string) =>
      inFolder(folder, async () =>
        must((await client.search({ all: true }, { uid: true })) || null),
      ),
    /** Signs in again after the server was started again. */
    async reconnect() {
      client.close();
      client = await signIn();
    },
    async close() {
      await client.logout();
    },
  };
}

export function sourceOf(mail: Mail, number: string): string {
  const {
    subject = `Message ${number}`,
    text = `About ${number}.`,
    from = 'Bob <bob@example.org>',
    to = 'Ann <ann@example.org>',
    id = `<${number}>`,
    headers = [],
    body,
  } = mail;
  return [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Message-ID: ${id}`,
    'Date: Mon, 02 Mar 2026 10:00:00 +0000',
    ...headers,
    ...(body === undefined
      ? ['MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8', '', text]
      : ['MIME-Version: 1.0', body]),
    '',
  ]
    .join('\n')
    .replaceAll(/\r?\n/g, '\r\n');
}

/** Makes the body of a multipart message of these parts, each with its headers. */
export function multipart(type: string, parts: readonly string[], boundary = 'edge'): string {
  const all = parts.map((part) => `--${boundary}\n${part}\n`).join('');
  return `Content-Type: multipart/${type}; boundary="${boundary}"\n\n${all}--${boundary}--\n`;
}

export const plain = (text: string) => `Content-Type: text/plain; charset=utf-8\n\n${text}`;
export const html = (text: string) => `Content-Type: text/html; charset=utf-8\n\n${text}`;
export const attached = (name: string, content: string, type = 'application/octet-stream') =>
  `Content-Type: ${type}\nContent-Disposition: attachment; filename="${name}"\nContent-Transfer-Encoding: base64\n\n${Buffer.from(content).toString('base64')}`;
