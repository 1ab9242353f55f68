/** This source copies the messages of a mailbox, with their attachments, from any IMAP server. */
import { z } from 'zod';
import { defineSource, type SourceContext } from '../define.ts';
import { accessOf } from '../imap/access.ts';
import { readContents } from '../imap/content.ts';
import { ImapCursor } from '../imap/known.ts';
import { checkMailboxes, optionsOf } from '../imap/mailboxes.ts';
import { FILE, MESSAGE } from '../imap/message.ts';
import { pull } from '../imap/pull.ts';
import { type ImapSession, openSession } from '../imap/session.ts';
import { ImapConfig, ImapCredentials } from '../imap/settings.ts';

/** While a pull runs, the contents are read in its session, so that each batch does not sign in again. */
const running = new WeakMap<object, ImapSession>();

async function inSession<T>(
  ctx: SourceContext<unknown, ImapCredentials>,
  work: (session: ImapSession) => Promise<T>,
): Promise<T> {
  const session = await openSession(ctx);
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

const people = (description: string) => z.array(z.string()).meta({ description });
const text = (description: string) => z.string().nullable().meta({ description });

export const imap = defineSource({
  shortName: 'imap',
  name: 'Mailbox (IMAP)',
  description: 'Messages of a mailbox with their attachments, from any IMAP server.',
  labels: ['Email'],
  auth: { direct: { fields: ImapCredentials } },
  config: ImapConfig,
  cursor: ImapCursor,
  deletions: 'told',
  entities: {
    [MESSAGE]: z.object({
      from: people('Senders, at most 100.'),
      to: people('Recipients, at most 100.'),
      cc: people('Recipients of copies, at most 100.'),
      message_id: text('Message-ID of the message.'),
      in_reply_to: text('Message-ID of the message that is answered.'),
      folder: z.string().meta({ description: 'Name of the folder in which the message is.' }),
      received_at: text('Time at which the server got the message.'),
      protection: text('signed or encrypted, if the message is. Encrypted text is not copied.'),
    }),
    [FILE]: z.object({
      media_type: z.string().meta({ description: 'Media type, as the sender named it.' }),
      size: z.number().meta({ description: 'Size in bytes as it was sent, mostly in Base64.' }),
      message_id: text('Message-ID of the message to which the file is attached.'),
    }),
  },
  namesViewers: true,
  files: 'attachments',
  evidence: [{ class: 'A', by: 'Dovecot', asOf: '2.3.19' }],
  rateLimitLevel: null,

  account: async ({ credentials }) => credentials.user,

  check: (ctx) => inSession(ctx, (session) => checkMailboxes(session, ctx.config.folders)),

  async *pull(ctx) {
    const session = await openSession(ctx);
    running.set(ctx, session);
    try {
      yield* pull(ctx, session, accessOf(ctx.config, ctx.credentials));
    } finally {
      running.delete(ctx);
      await session.close();
    }
  },

  async *hydrate(ctx, stubs) {
    const shared = running.get(ctx);
    const session = shared ?? (await openSession(ctx));
    try {
      yield* readContents(session, stubs, ctx.downloads);
    } finally {
      if (!shared) await session.close();
    }
  },

  options: (ctx) => inSession(ctx, async (session) => optionsOf(await session.list())),
});
