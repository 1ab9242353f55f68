/**
 * Makes a company whose people write mail with Gmail. Each record has a word that no other record has: a message has it in
 * its text, a file in its content, and a thread in its subject. Messages never change, so an edit is one of a draft, which
 * is another message then, or a message that comes back from the trash.
 */
import { must } from '../../util.ts';
import { type CloudFake, newWord } from './cloud-suite.ts';
import { makeCompanyClock } from './company-clock.ts';
import { filesOf } from './gmail-mime.ts';
import { ANN, BOB, openGmail } from './gmail-peer.ts';
import { DIRECTORY_SCOPES } from './gmail-settings.ts';
import type { GmailMailbox, GmailMessage } from './gmail-world.ts';
import { type GmailWriting, writtenMail } from './gmail-writing.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const CAFE = '=?ISO-8859-1?Q?Caf=E9?=';

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

export interface GmailCompanyOptions {
  /** Returns the id that the connector gives to the record, or null when the connector leaves it out. */
  readonly recordId?: (record: GmailRecord) => string | null;
  readonly config?: object;
  /** The service account acts for Ann unless other credentials are given. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Ann is an administrator, and Bob has as many messages as she. */
  readonly isOrganization?: boolean;
}

interface Kept {
  readonly kind: GmailRecord['kind'];
  readonly word: string;
  readonly mailbox: GmailMailbox;
  readonly message: GmailMessage;
  readonly partId: string | null;
  readonly filename: string | null;
}

export type GmailCompany = Awaited<ReturnType<typeof openGmailCompany>>;

/** A usual connector copies messages and their files, but no drafts, and nothing that was thrown away. */
const usualId = ({ kind, labels, messageId, partId }: GmailRecord): string | null => {
  if (kind === 'thread' || kind === 'mail') return null;
  if (['DRAFT', 'SPAM', 'TRASH'].some((one) => labels.includes(one))) return null;
  return partId === null ? messageId : `${messageId}/${partId}`;
};

export async function openGmailCompany({
  recordId = usualId,
  config = {},
  credentials,
  isOrganization = false,
}: GmailCompanyOptions = {}) {
  const clock = makeCompanyClock({ ago: 2 * DAY, step: 60_000 });
  const gmail = await openGmail(clock);
  const { world, settings } = gmail;
  const [mine, bobs] = [world.mailboxOf(ANN), world.mailboxOf(BOB)];
  const kept = new Map<string, Kept>();
  /** The key is the id of the thread. */
  const topics = new Map<string, string>();
  let edits = 0;
  let added = 0;
  let removals = 0;

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
    writtenMail(
      ANN,
      { subject: 'Old news', text: `The ${word} swims.` },
      { at: clock.now(), id: word },
    );
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

  function fill(mailbox: GmailMailbox) {
    const projects = world.addLabel(mailbox, 'Projects');
    const weir = world.addLabel(mailbox, 'Projects/Weir');
    const first = say(mailbox);
    say(mailbox, { html: 'more', cc: 'Ann <ann@acme.example>, cid@other.example', files: 2 });
    const parent = say(mailbox);
    say(mailbox, { thread: parent, from: mailbox.email, to: BOB, labels: ['SENT'] });
    say(mailbox, { labels: ['INBOX', projects.id], at: first.internalDate });
    say(mailbox, { labels: [projects.id, 'STARRED'], files: 1 });
    say(mailbox, { labels: [weir.id] });
    say(mailbox, { labels: [] });
    say(mailbox, { labels: ['INBOX', 'CATEGORY_PROMOTIONS'] });
    say(mailbox, { labels: ['INBOX', 'CATEGORY_SOCIAL'] });
    say(mailbox, { labels: ['DRAFT'], from: mailbox.email });
    say(mailbox, { labels: ['DRAFT'], from: mailbox.email, files: 1 });
    say(mailbox, { labels: ['SPAM'] });
    say(mailbox, { labels: ['TRASH'] });
    say(mailbox, { mails: 1 });
    say(mailbox, {
      charset: 'iso-8859-1',
      text: 'Grüße aus dem Café.',
      headers: [
        { name: 'From', value: 'Café <cafe@other.example>', sent: `${CAFE} <cafe@other.example>` },
      ],
    });
    say(mailbox, { charset: 'shift_jis', text: '堰で鷺が待つ。', from: '鷺 <sagi@other.example>' });
    const longAgo = say(mailbox, { at: Date.now() - 400 * DAY });
    return { projects, weir, parent, longAgo };
  }
  const places = fill(mine);
  if (isOrganization) {
    fill(bobs);
    settings.isAdmin = true;
    settings.delegated.push(...DIRECTORY_SCOPES);
  } else world.add(bobs, { text: 'Nobody else reads this.' });
  settings.largestPage = 3;
  clock.endPast();

  const recordOf = ({ kind, mailbox, message, partId, filename }: Kept): GmailRecord => ({
    kind,
    mailbox: mailbox.email,
    threadId: message.threadId,
    messageId: message.id,
    labels: [...message.labels],
    partId,
    filename,
  });
  const shown = () =>
    [...kept.values()].flatMap((one) => {
      const id = recordId(recordOf(one));
      return id === null ? [] : [{ ...one, id }];
    });
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
  /** The company changes only messages that the connector copies, and that Gmail does not refuse to show. */
  const open = () =>
    shown().filter(
      ({ kind, mailbox, message }) =>
        kind === 'message' && message !== places.longAgo && !settings.forbidden.has(mailbox.email),
    );
  const having = (label: string) =>
    [...kept.values()].filter(
      ({ kind, message }) => kind === 'message' && message.labels.has(label),
    );
  const usual = () =>
    open().filter(
      ({ message }) => !['DRAFT', 'SPAM', 'TRASH'].some((one) => message.labels.has(one)),
    );
  function remove(mailbox: GmailMailbox, message: GmailMessage): void {
    world.remove(mailbox, message);
    forgetGone();
  }

  const company = {
    ...gmail,
    config,
    credentials: credentials ?? { service_account: gmail.serviceAccount, subject: ANN },
    expected: () => new Map([...shown().map(({ id, word }) => [id, word] as const), ...threads()]),
    edit() {
      const [draft] = having('DRAFT').filter(
        ({ mailbox }) => !settings.forbidden.has(mailbox.email),
      );
      const steps = [
        () =>
          draft &&
          say(draft.mailbox, { labels: ['DRAFT'], from: draft.mailbox.email }, draft.message),
        () => {
          // One message goes to the trash, and another one comes back.
          const { mailbox, message } = must(usual()[edits % 3]);
          world.trash(mailbox, message);
          const back = having('TRASH').find((one) => one.message !== message);
          if (back) world.untrash(back.mailbox, back.message);
        },
        () => {
          const { mailbox, message } = must(usual()[edits % usual().length]);
          world.relabel(mailbox, message, { add: ['STARRED'], remove: ['UNREAD'] });
          say(mailbox, { thread: message, from: mailbox.email, to: BOB, labels: ['SENT'] });
        },
        () => {
          const back = having('SPAM').find(({ mailbox }) => mailbox === mine);
          const { mailbox, message } = back ?? must(usual().at(-1));
          (back ? world.unspam : world.spam)(mailbox, message);
        },
      ];
      must(steps[edits % steps.length])();
      edits++;
    },
    add() {
      const isHtml = added % 2 === 1;
      say(mine, { ...(isHtml && { html: 'more' }), files: added % 3 === 0 ? 1 : 0 });
      added++;
      if (isOrganization && world.mailboxes.has(BOB) && !settings.forbidden.has(BOB)) say(bobs);
    },
    remove() {
      const { mailbox, message } = must(usual().at(-1));
      const ways = [remove, world.trash, world.spam];
      must(ways[removals++ % ways.length])(mailbox, message);
    },
    removeMany() {
      for (const { mailbox, message } of usual().slice(0, 5)) remove(mailbox, message);
    },
    /** All messages of a project are deleted with its labels. In an organization, Bob leaves. */
    removePart() {
      for (const label of isOrganization ? [] : [places.projects, places.weir]) {
        for (const { mailbox, message } of having(label.id)) remove(mailbox, message);
        world.removeLabel(mine, label);
      }
      if (isOrganization) world.removeMailbox(bobs);
      forgetGone();
    },
    ...(isOrganization && { forbidPart: () => void settings.forbidden.add(BOB) }),
    shuffle() {
      company.edit();
      company.edit();
      company.add();
    },
    say,
    deleteMessage: remove,
    mine,
    bobs,
    ...places,
    inPast: clock.inPast,
  } satisfies CloudFake & Record<string, unknown>;
  return company;
}
