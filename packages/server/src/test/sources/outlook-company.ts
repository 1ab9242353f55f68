/**
 * Makes a company whose people write mail in Outlook. Each record has a word that no other record has: a message has it in
 * its body, an attachment in its content, and a folder in its name.
 */
import { must } from '../../util.ts';
import { type CloudFake, newWord } from './cloud-suite.ts';
import { makeCompanyClock } from './company-clock.ts';
import type {
  GraphAttachment,
  GraphMailbox,
  GraphMailFolder,
  GraphMessage,
} from './graph-mail-world.ts';
import { openGraph } from './graph-peer.ts';
import { GRAPH_APP_TOKEN, GRAPH_PERSON_TOKEN } from './graph-tokens.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

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

export interface OutlookCompanyOptions {
  /** Returns the id that the connector gives to the record, or null when the connector leaves it out. */
  readonly recordId?: (record: OutlookRecord) => string | null;
  readonly config?: object;
  readonly credentials?: Readonly<Record<string, string>>;
  /** An app reads the mailboxes of Ann and Bob. Otherwise Ann reads her own. */
  readonly isApp?: boolean;
}

interface Kept {
  readonly kind: OutlookRecord['kind'];
  readonly word: string;
  readonly mailbox: GraphMailbox;
  readonly folder: GraphMailFolder | null;
  readonly message: GraphMessage | null;
  readonly attachment: GraphAttachment | null;
}

export type OutlookCompany = Awaited<ReturnType<typeof openOutlookCompany>>;

/** A usual connector copies folders, messages and files, but not those that were thrown away. */
const usualId = (record: OutlookRecord): string | null => {
  const { kind, folders, folderId, messageId, attachmentId } = record;
  if (kind === 'item' || kind === 'reference') return null;
  if (['deleteditems', 'junkemail'].includes(folders[0] ?? '')) return null;
  return attachmentId === null ? (messageId ?? folderId) : `${messageId}/${attachmentId}`;
};

export async function openOutlookCompany({
  recordId = usualId,
  config = {},
  isApp = false,
  credentials = { access_token: isApp ? GRAPH_APP_TOKEN : GRAPH_PERSON_TOKEN },
}: OutlookCompanyOptions = {}) {
  const clock = makeCompanyClock({ ago: 2 * DAY, step: 60_000 });
  const graph = await openGraph(clock);
  const { mail: world, directory, settings } = graph;
  const mine = world.mailboxOf(directory.ann);
  const bobs = world.mailboxOf(directory.bob);
  const kept = new Map<string, Kept>();
  let edits = 0;
  let added = 0;
  let removals = 0;

  const said = (word: string) => `<p>Hello Bob,</p><p>it is about <b>${word}</b> &amp; more.</p>`;
  const nothing = { folder: null, message: null, attachment: null };
  const folderAt = (mailbox: GraphMailbox, key: string) => must(world.folderOf(mailbox, key));

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

  function fill(mailbox: GraphMailbox) {
    for (const one of [...mailbox.folders.values()]) nameFolder(mailbox, one, one.name ?? '');
    const at = (key: string) => folderAt(mailbox, key);
    const clients = addFolder(mailbox, 'Clients', at('inbox').id);
    const projects = addFolder(mailbox, 'Projects');
    const weir = addFolder(mailbox, 'Weir', projects.id);
    const places = [at('inbox'), clients, projects, weir, at('sentitems'), at('archive')];
    for (const folder of [...places, at('inbox'), at('inbox'), clients, weir, at('junkemail')])
      say(mailbox, folder);
    const [first, second, third] = mailbox.messages;
    for (const one of [first, second, third, third]) attach(mailbox, must(one));
    attach(mailbox, must(first), 'item');
    attach(mailbox, must(first), 'reference');
    world.attach(must(second), 'logo.png', 'PNG', {
      contentType: 'image/png',
      isInline: true,
      contentId: 'logo',
    });
    say(mailbox, at('inbox'), { bodyType: 'text', isInvitation: true });
    return { clients, projects, weir };
  }
  const places = fill(mine);
  if (isApp) fill(bobs);
  else world.add(bobs, folderAt(bobs, 'inbox'), { body: 'Nobody else reads this.' });
  settings.largestPage = 3;
  clock.endPast();

  function chainOf({ folders }: GraphMailbox, id: string): GraphMailFolder[] {
    const folder = folders.get(id);
    return folder ? [...chainOf({ folders } as GraphMailbox, folder.parent), folder] : [];
  }
  function recordOf({ kind, mailbox, folder, message, attachment }: Kept): OutlookRecord {
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
  const shown = () =>
    [...kept.values()].flatMap((one) => {
      const id = recordId(recordOf(one));
      return id === null ? [] : [{ ...one, id }];
    });
  /** The company changes only messages that the connector copies, and that Graph does not refuse to show. */
  const open = () =>
    shown().flatMap(({ kind, mailbox, message }) =>
      kind === 'message' && message && !settings.forbidden.has(message.folder)
        ? [{ mailbox, message }]
        : [],
    );
  const plain = () => open().filter(({ message }) => message.attachments.length === 0);
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

  const company = {
    ...graph,
    config,
    credentials,
    expected: () => new Map(shown().map(({ id, word }) => [id, word] as const)),
    edit() {
      const messages = open();
      // The step is prime to most lengths, so several edits reach messages of all folders.
      const { mailbox, message } = must(messages[(edits * 7) % messages.length]);
      const { clients, weir } = places;
      const steps = [
        () => rewrite(mailbox, message),
        () => {
          const [inbox, sent] = [folderAt(mine, 'inbox'), folderAt(mine, 'sentitems')];
          const to = message.folder === inbox.id ? (clients.isGone ? sent : clients) : inbox;
          const from = must(mailbox.folders.get(message.folder));
          if (mailbox === mine) world.move(mailbox, message, to);
          rewrite(mailbox, message);
          // Another message takes its place, because the suite expects that later listings have no fewer pages.
          say(mailbox, from);
        },
        () => nameFolder(mine, weir.isGone ? clients : weir, `Weir ${edits}`),
        () => {
          world.markRead(message);
          rewrite(mailbox, message);
        },
      ];
      must(steps[edits++ % steps.length])();
    },
    add() {
      const { clients, projects } = places;
      const folders = [folderAt(mine, 'inbox'), clients, projects].filter(({ isGone }) => !isGone);
      const folder = must(folders[added % folders.length]);
      const message = say(mine, folder);
      if (added % 2 === 1) attach(mine, message);
      if (added++ % 3 !== 2) return;
      const made = addFolder(mine, `Added ${added}`, folder.id);
      say(mine, made);
      // People make folders for messages that they have.
      world.move(mine, message, made);
    },
    remove() {
      const { mailbox, message } = must(plain().at(-1));
      const withFile = open().find((one) =>
        one.message.attachments.some(({ id }) => kept.get(id)?.kind === 'attachment'),
      );
      const steps = [
        () => removeMessage(mailbox, message),
        () => world.trash(mailbox, message),
        () => {
          const { attachments } = must(withFile).message;
          const file = attachments.find(({ id }) => kept.get(id)?.kind === 'attachment');
          detach(must(withFile).message, must(file));
        },
        () => removeMessage(must(withFile).mailbox, must(withFile).message),
      ];
      must(steps[removals++ % steps.length])();
    },
    removeMany() {
      for (const [i, { mailbox, message }] of plain().slice(0, 4).entries())
        if (i % 2) world.trash(mailbox, message);
        else removeMessage(mailbox, message);
      removeFolder(mine, places.weir);
    },
    removePart: () => removeFolder(mine, places.projects),
    forbidPart: () => void settings.forbidden.add(folderAt(mine, 'archive').id),
    shuffle() {
      company.edit();
      company.edit();
      company.add();
    },
    say,
    attach,
    detach,
    rewrite,
    addFolder,
    nameFolder,
    removeFolder,
    removeMessage,
    mine,
    bobs,
    /** Clients is in the inbox, Projects is at the top, and Weir is in Projects. */
    ...places,
    inPast: clock.inPast,
  } satisfies CloudFake & Record<string, unknown>;
  return company;
}
