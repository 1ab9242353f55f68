/**
 * Writes mail of the company in Outlook. Each record has a word that no other record has: a message has it in its body, an
 * attachment in its content, and a folder in its name.
 */
import { must } from '../../util.ts';
import { newWord } from './cloud-company.ts';
import type {
  GraphAttachment,
  GraphMailbox,
  GraphMailFolder,
  GraphMessage,
} from './graph-mail-records.ts';
import type { GraphMailWorld } from './graph-mail-world.ts';

/** A record of the company that a search must find by its word. */
export interface OutlookRecord {
  readonly kind: 'folder' | 'message' | 'attachment' | 'item' | 'reference';
  readonly userId: string;
  readonly folderId: string;
  /** The folder and those above it, from the top, by their well-known name, or by their id. */
  readonly folders: readonly string[];
  /** A message has an id that never changes, and one that changes when it moves. */
  readonly messageId: string | null;
  readonly mutableId: string | null;
  readonly attachmentId: string | null;
}

interface KeptOfMailbox {
  readonly kind: OutlookRecord['kind'];
  readonly word: string;
  readonly mailbox: GraphMailbox;
  readonly folder: GraphMailFolder | null;
  readonly message: GraphMessage | null;
  readonly attachment: GraphAttachment | null;
}

export function makeOutlookWords(world: GraphMailWorld) {
  const kept = new Map<string, KeptOfMailbox>();
  const said = (word: string) => `<p>Hello Bob,</p><p>it is about <b>${word}</b> &amp; more.</p>`;
  const nothing = { folder: null, message: null, attachment: null };

  function nameFolder(mailbox: GraphMailbox, folder: GraphMailFolder, name: string): void {
    const word = newWord();
    world.changeFolder(folder, { name: `${name} ${word}` });
    kept.set(folder.id, { ...nothing, kind: 'folder', word, mailbox, folder });
  }
  function addFolder(mailbox: GraphMailbox, name: string, parent = mailbox.rootId) {
    const folder = world.addFolder(mailbox, name, { parent });
    nameFolder(mailbox, folder, name);
    return folder;
  }
  function keep(mailbox: GraphMailbox, message: GraphMessage, word: string): void {
    kept.set(message.immutableId, { ...nothing, kind: 'message', word, mailbox, message });
  }
  function say(
    mailbox: GraphMailbox,
    folder: GraphMailFolder,
    more: Partial<GraphMessage> = {},
  ): GraphMessage {
    const word = newWord();
    const message = world.add(mailbox, folder, { subject: 'News', body: said(word), ...more });
    keep(mailbox, message, word);
    return message;
  }
  function attach(
    mailbox: GraphMailbox,
    message: GraphMessage,
    kind: GraphAttachment['kind'] = 'file',
  ): GraphAttachment {
    const word = newWord();
    const content = kind === 'item' ? `Subject: Old\r\n\r\n${said(word)}` : `The ${word} flies.\n`;
    const name = kind === 'file' ? 'notes.md' : `${kind} ${word}`;
    const attachment = world.attach(message, name, content, { kind });
    const what = kind === 'file' ? 'attachment' : kind;
    kept.set(attachment.id, { ...nothing, kind: what, word, mailbox, message, attachment });
    return attachment;
  }
  function rewrite(mailbox: GraphMailbox, message: GraphMessage): void {
    const word = newWord();
    world.change(message, { body: said(word) });
    keep(mailbox, message, word);
  }

  function chainOf({ folders }: GraphMailbox, id: string): GraphMailFolder[] {
    const folder = folders.get(id);
    return folder ? [...chainOf({ folders } as GraphMailbox, folder.parent), folder] : [];
  }
  function recordOf({ kind, mailbox, folder, message, attachment }: KeptOfMailbox): OutlookRecord {
    const folderId = folder?.id ?? must(message).folder;
    return {
      kind,
      userId: mailbox.user.id,
      folderId,
      folders: chainOf(mailbox, folderId).map(({ wellKnown, id }) => wellKnown ?? id),
      messageId: message?.immutableId ?? null,
      mutableId: message?.id ?? null,
      attachmentId: attachment?.id ?? null,
    };
  }
  function forgetGone(): void {
    for (const [id, { mailbox, folder, message, attachment }] of kept) {
      const isThere = message
        ? mailbox.messages.includes(message) &&
          (attachment === null || message.attachments.includes(attachment))
        : !folder?.isGone;
      if (!isThere) kept.delete(id);
    }
  }
  function removeFolder(mailbox: GraphMailbox, folder: GraphMailFolder): void {
    world.removeFolder(mailbox, folder);
    forgetGone();
  }
  function removeMessage(mailbox: GraphMailbox, message: GraphMessage): void {
    world.remove(mailbox, message);
    forgetGone();
  }
  function detach(message: GraphMessage, attachment: GraphAttachment): void {
    world.detach(message, attachment);
    forgetGone();
  }

  return {
    kept,
    recordOf,
    addFolder,
    nameFolder,
    say,
    attach,
    rewrite,
    removeFolder,
    removeMessage,
    detach,
  };
}
