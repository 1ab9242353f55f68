/**
 * Holds mailboxes of Gmail: messages, threads, labels and the history of each mailbox. A message never changes, but for its
 * labels: an edited draft is another message. A renamed label is in no history.
 */
import { randomUUID } from 'node:crypto';
import { must } from '../../util.ts';
import type { GmailMail } from './gmail-mime.ts';
import { type GmailWriting, writtenMail } from './gmail-writing.ts';

export interface GmailMessage {
  readonly id: string;
  readonly threadId: string;
  readonly labels: Set<string>;
  readonly mail: GmailMail;
  /** The time is in milliseconds since 1970. Google took the message then. */
  readonly internalDate: number;
  historyId: bigint;
  readonly writing: GmailWriting;
}

export interface GmailLabel {
  readonly id: string;
  name: string;
  readonly type: 'system' | 'user';
}

type GmailChange = 'messageAdded' | 'messageDeleted' | 'labelAdded' | 'labelRemoved';

export interface GmailEvent {
  readonly id: bigint;
  readonly change: GmailChange;
  readonly message: GmailMessage;
  /** The labels that came or went. */
  readonly labels: readonly string[];
  /** The message had these labels after the change. */
  readonly labelsThen: readonly string[];
}

export interface GmailMailbox {
  readonly email: string;
  readonly labels: Map<string, GmailLabel>;
  readonly messages: Map<string, GmailMessage>;
  history: GmailEvent[];
  historyId: bigint;
  /** Gmail has forgotten what was before. */
  oldestHistoryId: bigint;
}

export type GmailWorld = ReturnType<typeof makeGmailWorld>;

const SYSTEM =
  `INBOX SENT DRAFT SPAM TRASH UNREAD STARRED IMPORTANT CHAT CATEGORY_PERSONAL CATEGORY_SOCIAL
  CATEGORY_PROMOTIONS CATEGORY_UPDATES CATEGORY_FORUMS`.split(/\s+/);
/** The ids of a history have 64 bits. Numbers of JavaScript cannot hold these. */
const FIRST_HISTORY_ID = 2n ** 53n + 1n;

/** Gmail never uses an id twice, so two companies have no id in common. */
let lastId = 0x18f3_0000_0000_0000n;
const newId = (): string => {
  lastId += 0x1_0001n;
  return lastId.toString(16);
};

/** `now` returns milliseconds since 1970. */
export function makeGmailWorld(now: () => number) {
  const mailboxes = new Map<string, GmailMailbox>();
  let labels = 0;

  /** Ids of a history grow, with gaps. */
  const tick = (mailbox: GmailMailbox): bigint => {
    mailbox.historyId += 1n + (mailbox.historyId % 7n);
    return mailbox.historyId;
  };
  function log(
    mailbox: GmailMailbox,
    change: GmailChange,
    { message, labels = [] }: Pick<GmailEvent, 'message'> & { labels?: readonly string[] },
  ): void {
    const id = tick(mailbox);
    message.historyId = id;
    mailbox.history.push({ id, change, message, labels, labelsThen: [...message.labels] });
  }

  const world = {
    mailboxes,
    addMailbox(email: string): GmailMailbox {
      const mailbox: GmailMailbox = {
        email,
        labels: new Map(SYSTEM.map((id) => [id, { id, name: id, type: 'system' }])),
        messages: new Map(),
        history: [],
        historyId: FIRST_HISTORY_ID,
        oldestHistoryId: FIRST_HISTORY_ID,
      };
      mailboxes.set(email, mailbox);
      return mailbox;
    },
    /** The person leaves the company. */
    removeMailbox: ({ email }: GmailMailbox) => void mailboxes.delete(email),
    mailboxOf: (email: string): GmailMailbox =>
      must(mailboxes.get(email), `there is no mailbox of ${email}`),
    addLabel({ labels: all }: GmailMailbox, name: string): GmailLabel {
      const label: GmailLabel = { id: `Label_${++labels}`, name, type: 'user' };
      all.set(label.id, label);
      return label;
    },
    /** Messages keep the label, whose id stays. */
    renameLabel(label: GmailLabel, name: string): void {
      label.name = name;
    },
    /** The messages stay, without the label. */
    removeLabel(mailbox: GmailMailbox, { id }: GmailLabel): void {
      mailbox.labels.delete(id);
      for (const message of mailbox.messages.values())
        if (message.labels.has(id)) world.relabel(mailbox, message, { remove: [id] });
    },
    add(mailbox: GmailMailbox, writing: GmailWriting = {}): GmailMessage {
      const id = newId();
      const at = writing.at ?? now();
      const { labels: given = ['INBOX', 'UNREAD', 'CATEGORY_PERSONAL'] } = writing;
      const message: GmailMessage = {
        id,
        threadId: writing.thread?.threadId ?? id,
        labels: new Set(given),
        mail: writing.mail ?? writtenMail(mailbox.email, writing, { at, id: randomUUID() }),
        internalDate: at,
        historyId: mailbox.historyId,
        writing,
      };
      for (const label of given) must(mailbox.labels.get(label), `there is no label ${label}`);
      mailbox.messages.set(id, message);
      log(mailbox, 'messageAdded', { message });
      return message;
    },
    /** Deletes the message for ever, without the trash. */
    remove(mailbox: GmailMailbox, message: GmailMessage): void {
      must(mailbox.messages.delete(message.id) || undefined, `there is no message ${message.id}`);
      log(mailbox, 'messageDeleted', { message });
    },
    relabel(
      mailbox: GmailMailbox,
      message: GmailMessage,
      { add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] },
    ): void {
      const came = add.filter((one) => !message.labels.has(one));
      const went = remove.filter((one) => message.labels.has(one));
      for (const one of came) {
        must(mailbox.labels.get(one), `there is no label ${one}`);
        message.labels.add(one);
      }
      if (came.length > 0) log(mailbox, 'labelAdded', { message, labels: came });
      for (const one of went) message.labels.delete(one);
      if (went.length > 0) log(mailbox, 'labelRemoved', { message, labels: went });
    },
    trash: (mailbox: GmailMailbox, message: GmailMessage) =>
      world.relabel(mailbox, message, { add: ['TRASH'], remove: ['INBOX'] }),
    untrash: (mailbox: GmailMailbox, message: GmailMessage) =>
      world.relabel(mailbox, message, { add: ['INBOX'], remove: ['TRASH'] }),
    spam: (mailbox: GmailMailbox, message: GmailMessage) =>
      world.relabel(mailbox, message, { add: ['SPAM'], remove: ['INBOX'] }),
    unspam: (mailbox: GmailMailbox, message: GmailMessage) =>
      world.relabel(mailbox, message, { add: ['INBOX'], remove: ['SPAM'] }),
    archive: (mailbox: GmailMailbox, message: GmailMessage) =>
      world.relabel(mailbox, message, { remove: ['INBOX'] }),
    /** Replaces the draft by another message of the thread, and returns it. */
    editDraft(
      mailbox: GmailMailbox,
      message: GmailMessage,
      writing: GmailWriting,
      labels: readonly string[] = ['DRAFT'],
    ): GmailMessage {
      world.remove(mailbox, message);
      return world.add(mailbox, { ...message.writing, ...writing, labels, thread: message });
    },
    sendDraft: (mailbox: GmailMailbox, message: GmailMessage): GmailMessage =>
      world.editDraft(mailbox, message, {}, ['SENT']),
    /** Gmail forgets the history so far, as it does after a week, or sooner. */
    forgetHistory(mailbox: GmailMailbox): void {
      mailbox.history = [];
      tick(mailbox);
      mailbox.oldestHistoryId = mailbox.historyId;
    },
  };
  return world;
}
