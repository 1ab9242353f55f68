/**
 * Writes mail of the company in Gmail. Each record has a word that no other record has: a message has it in its text, a file
 * in its content, and a thread in its subject.
 */
import { must } from '../../util.ts';
import { newWord } from './cloud-company.ts';
import { copied } from './company-words.ts';
import { filesOf } from './gmail-mime.ts';
import { ANN } from './gmail-peer.ts';
import type { GmailMailbox, GmailMessage, GmailWorld } from './gmail-world.ts';
import { type GmailWriting, writtenMail } from './gmail-writing.ts';

/** A record of the company that a search must find by its word. */
export interface GmailRecord {
  /** A mail is a message that was attached to another one. */
  readonly kind: 'message' | 'attachment' | 'mail' | 'thread';
  readonly mailbox: string;
  readonly threadId: string;
  /** The message itself, or that which has the file. A thread has the id of its first message. */
  readonly messageId: string;
  /** The ids of the labels that the message has, or those that the messages of the thread have. */
  readonly labels: readonly string[];
  /** The place of the file in its message. It stays, while the id of an attachment is another one in each answer. */
  readonly partId: string | null;
  readonly filename: string | null;
}

interface KeptMail {
  readonly kind: GmailRecord['kind'];
  readonly word: string;
  readonly mailbox: GmailMailbox;
  readonly message: GmailMessage;
  readonly partId: string | null;
  readonly filename: string | null;
}

interface GmailWordsParts {
  readonly world: GmailWorld;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
  /** Returns the id that the connector gives to the record, or null when the connector leaves it out. */
  readonly recordId: (record: GmailRecord) => string | null;
}

export function makeGmailWords({ world, now, recordId }: GmailWordsParts) {
  const kept = new Map<string, KeptMail>();
  /** The key is the id of the thread. */
  const topics = new Map<string, string>();

  function keep(mailbox: GmailMailbox, message: GmailMessage, words: readonly string[]): void {
    const [word = '', ...others] = words;
    const none = { partId: null, filename: null };
    kept.set(message.id, { kind: 'message', word, mailbox, message, ...none });
    const files = filesOf(message.mail.body).filter(({ part }) => !part.contentId);
    for (const [i, { part, path }] of files.entries())
      kept.set(`${message.id}/${path}`, {
        kind: part.mail ? 'mail' : 'attachment',
        word: must(others[i], `the file ${part.filename} has no word`),
        mailbox,
        message,
        partId: path,
        filename: part.filename ?? '',
      });
  }

  const oldMail = (word: string) =>
    writtenMail(ANN, { subject: 'Old news', text: `The ${word} swims.` }, { at: now(), id: word });
  /** Writes a message with a word in its text, and in each of so many files and attached messages. */
  function say(
    mailbox: GmailMailbox,
    {
      files = 0,
      mails = 0,
      ...writing
    }: Omit<GmailWriting, 'files' | 'mails'> & {
      files?: number;
      mails?: number;
    } = {},
    draft?: GmailMessage,
  ): GmailMessage {
    const words = Array.from({ length: 1 + files + mails }, newWord);
    const [word = '', ...others] = words;
    const topic = topics.get(writing.thread?.threadId ?? draft?.threadId ?? '') ?? newWord();
    const isReply = writing.thread !== undefined;
    const text = `Hello Bob,\n\nit is about ${word} & more.\n`;
    const whole: GmailWriting = {
      subject: `${isReply ? 'Re: ' : ''}The ${topic}`,
      ...writing,
      ...(writing.html === undefined
        ? { text: writing.text === undefined ? text : `${writing.text} ${word}` }
        : { html: `<p>Hello Bob,</p><p>it is about <b>${word}</b> &amp; ${writing.html}</p>` }),
      files: others
        .slice(0, files)
        .map((one) => ({ filename: 'notes.md', content: `# Notes\n\nThe ${one} flies.\n` })),
      mails: others.slice(files).map(oldMail),
    };
    const message = draft ? world.editDraft(mailbox, draft, whole) : world.add(mailbox, whole);
    topics.set(message.threadId, topic);
    keep(mailbox, message, words);
    forgetGone();
    return message;
  }

  function forgetGone(): void {
    for (const [key, { mailbox, message }] of kept)
      if (!mailbox.messages.has(message.id) || !world.mailboxes.has(mailbox.email))
        kept.delete(key);
  }

  const recordOf = ({ kind, mailbox, message, partId, filename }: KeptMail): GmailRecord => ({
    kind,
    mailbox: mailbox.email,
    threadId: message.threadId,
    messageId: message.id,
    labels: [...message.labels],
    partId,
    filename,
  });
  const shown = () => copied(kept.values(), (one) => recordId(recordOf(one)));
  /** A thread is shown as long as one of its messages is. */
  function threads(): (readonly [string, string])[] {
    const messages = shown().filter(({ kind }) => kind === 'message');
    return [...Map.groupBy(messages, ({ message }) => message.threadId)].flatMap(
      ([threadId, list]) => {
        const [one] = list;
        const labels = [...new Set(list.flatMap(({ message }) => [...message.labels]))];
        const id =
          one && recordId({ ...recordOf(one), kind: 'thread', messageId: threadId, labels });
        return id ? [[id, must(topics.get(threadId))] as const] : [];
      },
    );
  }
  const expected = () =>
    new Map([...shown().map(({ id, word }) => [id, word] as const), ...threads()]);
  const having = (label: string) =>
    [...kept.values()].filter(
      ({ kind, message }) => kind === 'message' && message.labels.has(label),
    );
  function remove(mailbox: GmailMailbox, message: GmailMessage): void {
    world.remove(mailbox, message);
    forgetGone();
  }

  return { say, remove, forgetGone, shown, having, expected };
}
