/** Makes a company whose people write mail in Outlook, and changes it: people write, file, read and delete messages. */
import { must } from '../../util.ts';
import type { CloudFake } from './cloud-company.ts';
import { DAY, makeCompanyClock } from './company-clock.ts';
import { type CompanyOptions, copied, wordsOf } from './company-words.ts';
import type { GraphMailbox } from './graph-mail-records.ts';
import { openGraph } from './graph-peer.ts';
import { GRAPH_APP_TOKEN, GRAPH_PERSON_TOKEN } from './graph-tokens.ts';
import { makeOutlookWords, type OutlookRecord } from './outlook-words.ts';

interface OutlookCompanyOptions extends CompanyOptions<OutlookRecord> {
  /** An app reads the mailboxes of Ann and Bob. Otherwise Ann reads her own. */
  readonly isApp?: boolean;
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
  const writer = makeOutlookWords(world);
  const { kept, recordOf, addFolder, nameFolder, say, attach, rewrite } = writer;
  const { removeFolder, removeMessage, detach } = writer;
  let edits = 0;
  let added = 0;
  let removals = 0;

  const folderAt = (mailbox: GraphMailbox, key: string) => must(world.folderOf(mailbox, key));
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

  const idOf = (one: Parameters<typeof recordOf>[0]) => recordId(recordOf(one));
  /** The company changes only messages that the connector copies, and that Graph does not refuse to show. */
  const open = () =>
    copied(kept.values(), idOf).flatMap(({ kind, mailbox, message }) =>
      kind === 'message' && message && !settings.forbidden.has(message.folder)
        ? [{ mailbox, message }]
        : [],
    );
  const plain = () => open().filter(({ message }) => message.attachments.length === 0);
  const company = {
    ...graph,
    config,
    credentials,
    expected: () => wordsOf(kept.values(), idOf),
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
