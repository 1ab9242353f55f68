/**
 * Holds the mailboxes of an organization in Outlook. A message gets another id when it moves to another folder, and keeps
 * its immutable id. A folder keeps its id.
 */
import { must } from '../../util.ts';
import { timeInSeconds } from './company-clock.ts';
import { type GraphUser, newGraphId } from './graph-directory.ts';
import type {
  GraphAddress,
  GraphAttachment,
  GraphMailbox,
  GraphMailFolder,
  GraphMessage,
  GraphRemoval,
} from './graph-mail-records.ts';

const WELL_KNOWN = {
  inbox: 'Inbox',
  drafts: 'Drafts',
  sentitems: 'Sent Items',
  deleteditems: 'Deleted Items',
  junkemail: 'Junk Email',
  archive: 'Archive',
} as const;

export type GraphMailWorld = ReturnType<typeof makeGraphMailWorld>;

export function makeGraphMailWorld({
  now,
  nextChange,
}: {
  readonly now: () => number;
  readonly nextChange: () => number;
}) {
  const mailboxes = new Map<string, GraphMailbox>();
  const time = () => timeInSeconds(now());
  const newId = (prefix: string) =>
    `${prefix}${Buffer.from(newGraphId().replaceAll('-', ''), 'hex').toString('base64url')}-_A=`;

  function addFolder(
    mailbox: GraphMailbox,
    name: string | null,
    more: Partial<GraphMailFolder> = {},
  ): GraphMailFolder {
    const folder: GraphMailFolder = {
      id: newId('AQMkAG'),
      name,
      parent: mailbox.rootId,
      wellKnown: null,
      isHidden: false,
      seq: nextChange(),
      isGone: false,
      ...more,
    };
    mailbox.folders.set(folder.id, folder);
    return folder;
  }
  function leave(mailbox: GraphMailbox, message: GraphMessage, reason: GraphRemoval['reason']) {
    const { folder, id, immutableId } = message;
    mailbox.removals.push({ folder, id, immutableId, seq: nextChange(), reason });
  }
  function changed(message: GraphMessage): void {
    message.seq = nextChange();
    message.version++;
    message.modifiedAt = time();
    message.isReadAlone = false;
  }

  const mail = {
    mailboxes,
    addFolder,
    addressOf: ({ displayName, mail: address }: GraphUser): GraphAddress => ({
      name: displayName,
      address,
    }),
    /** Returns the mailbox of the person, and makes it when there is none. */
    mailboxOf(user: GraphUser): GraphMailbox {
      const known = mailboxes.get(user.id);
      if (known) return known;
      const mailbox: GraphMailbox = {
        user,
        rootId: newId('AQMkAG'),
        folders: new Map(),
        messages: [],
        removals: [],
      };
      mailboxes.set(user.id, mailbox);
      for (const [wellKnown, name] of Object.entries(WELL_KNOWN))
        addFolder(mailbox, name, { wellKnown });
      return mailbox;
    },
    /** Returns the folder that is called by its id or by its well-known name. */
    folderOf: ({ folders }: GraphMailbox, key: string): GraphMailFolder | undefined =>
      [...folders.values()].find(
        ({ id, wellKnown, isGone }) => !isGone && (id === key || wellKnown === key.toLowerCase()),
      ),
    changeFolder(folder: GraphMailFolder, changes: Partial<GraphMailFolder>): void {
      Object.assign(folder, changes, { seq: nextChange() });
    },
    /** Deletes the folder for ever, with its folders and messages. */
    removeFolder(mailbox: GraphMailbox, folder: GraphMailFolder): void {
      folder.isGone = true;
      folder.seq = nextChange();
      for (const message of mailbox.messages.filter((one) => one.folder === folder.id))
        mail.remove(mailbox, message);
      for (const inner of mailbox.folders.values())
        if (inner.parent === folder.id && !inner.isGone) mail.removeFolder(mailbox, inner);
    },
    add(
      mailbox: GraphMailbox,
      folder: GraphMailFolder,
      more: Partial<GraphMessage> = {},
    ): GraphMessage {
      const at = time();
      const message: GraphMessage = {
        id: newId('AAMkAG'),
        immutableId: newId('AAkALg'),
        folder: folder.id,
        subject: 'Hello',
        body: '<p>Hello</p>',
        bodyType: 'html',
        from: { name: 'Stranger', address: 'stranger@partner.example' },
        to: [mail.addressOf(mailbox.user)],
        cc: [],
        sentAt: at,
        receivedAt: at,
        createdAt: at,
        modifiedAt: at,
        version: 1,
        isDraft: false,
        isRead: false,
        categories: [],
        conversation: newId('AAQkAG'),
        isInvitation: false,
        attachments: [],
        seq: nextChange(),
        isReadAlone: false,
        ...more,
      };
      mailbox.messages.push(message);
      return message;
    },
    change(message: GraphMessage, changes: Partial<GraphMessage>): void {
      Object.assign(message, changes);
      changed(message);
    },
    markRead(message: GraphMessage): void {
      message.isRead = true;
      changed(message);
      message.isReadAlone = true;
    },
    move(mailbox: GraphMailbox, message: GraphMessage, folder: GraphMailFolder): void {
      leave(mailbox, message, 'changed');
      message.folder = folder.id;
      message.id = newId('AAMkAG');
      changed(message);
    },
    trash(mailbox: GraphMailbox, message: GraphMessage): void {
      mail.move(mailbox, message, must(mail.folderOf(mailbox, 'deleteditems')));
    },
    /** Deletes the message for ever. */
    remove(mailbox: GraphMailbox, message: GraphMessage): void {
      leave(mailbox, message, 'deleted');
      mailbox.messages.splice(mailbox.messages.indexOf(message), 1);
    },
    attach(
      message: GraphMessage,
      name: string | null,
      content: string | Buffer,
      more: Partial<GraphAttachment> = {},
    ): GraphAttachment {
      const attachment: GraphAttachment = {
        id: newId('AAMkAGBEg'),
        kind: 'file',
        name,
        contentType: 'text/markdown',
        content,
        claimedSize: null,
        isInline: false,
        contentId: null,
        ...more,
      };
      message.attachments.push(attachment);
      changed(message);
      return attachment;
    },
    detach(message: GraphMessage, attachment: GraphAttachment): void {
      message.attachments.splice(message.attachments.indexOf(attachment), 1);
      changed(message);
    },
  };
  return mail;
}
