/**
 * Lists all messages of a mailbox. A known message becomes stubs; any other is read, because a listing tells nothing of
 * its labels and files. The place in the history is taken before, so nothing that changes meanwhile is missed. When
 * messages leave the mailbox during the listing, others may move to a page that was already read; then it is listed
 * once more.
 */
import { SourceError } from '../../errors.ts';
import { fail, type SourceItem } from '../items.ts';
import { ahead } from '../kit/listing.ts';
import { omissionOf } from '../mail/record.ts';
import { idsOf, messageOf, NoGmail, profileOf } from './api.ts';
import { changesSince } from './changes.ts';
import { isWanted, type LabelNames, withSpamAndTrash } from './config.ts';
import { CONCURRENCY } from './hydrate.ts';
import type { GmailBox } from './mailboxes.ts';
import { type GmailPlace, type KnownMail, pack, type StoredMailbox, unpack } from './memory.ts';
import { itemsOf, MESSAGE, messageId, readParts, stubOf, VERSION } from './record.ts';

/** The number of passes has a limit, because messages leave a busy mailbox all the time. */
const PASSES = 3;
/** The bookmarks hold all messages, so they become rarer while their number grows. */
const MARK_SHARE = 0.1;

export type GmailItems<Result = void> = AsyncGenerator<SourceItem, Result, void>;

/** The state of a mailbox in memory. */
export interface MailboxState {
  historyId: string;
  readonly known: KnownMail;
}

/** A mailbox is listed whole, perhaps in several attempts. */
export interface WholeListing {
  /** Earlier pulls have stored this; null when nothing that was stored may be taken for unchanged. */
  readonly before: StoredMailbox | null;
  /** An earlier attempt was interrupted here. */
  readonly from: GmailPlace['current'];
  /** Makes the bookmark; null in an incremental pull, which has none. */
  readonly placeAt: ((current: NonNullable<GmailPlace['current']>) => SourceItem) | null;
}

/** Another version may read files that this one leaves out. */
export const rulesText = ({ rules }: GmailBox): string => JSON.stringify([VERSION, rules]);

export const store = async (box: GmailBox, state: MailboxState): Promise<StoredMailbox> => ({
  historyId: state.historyId,
  names: { ...box.names },
  rules: rulesText(box),
  known: await pack(state.known),
});

/** Returns the ids of labels that have another name now. */
export const renamed = (names: LabelNames, before: LabelNames): string[] =>
  Object.keys(names).filter((id) => before[id] !== undefined && before[id] !== names[id]);

/** Reads messages, notes them in the state, and yields their items. A message that is gone, or not wanted, has none. */
export async function* readMessages(
  box: GmailBox,
  ids: Iterable<string>,
  state: MailboxState,
): GmailItems {
  const read = async (id: string): Promise<MessageItems> => {
    try {
      return await itemsOfMessage(box, id);
    } catch (error) {
      // One message that cannot be read is a failure of this message only.
      if (!(error instanceof SourceError) || error.kind !== 'skip') throw error;
      if (error instanceof NoGmail) throw error;
      return { id, files: state.known.get(id), items: [fail(messageId(box, id), MESSAGE, error)] };
    }
  };
  for await (const { id, files, items } of ahead(ids, CONCURRENCY, read)) {
    yield* items;
    if (files === undefined) state.known.delete(id);
    else state.known.set(id, files);
  }
}

interface MessageItems {
  readonly id: string;
  /** This is remembered of the message; undefined forgets it. */
  readonly files: readonly string[] | null | undefined;
  readonly items: readonly SourceItem[];
}

async function itemsOfMessage(box: GmailBox, id: string): Promise<MessageItems> {
  const message = await messageOf(box, id);
  if (!message) return { id, files: undefined, items: [] };
  if (!isWanted(message, box.rules)) return { id, files: null, items: [] };
  const parts = readParts(message);
  // A file that is left out has no record, so a later listing need not ask for it.
  const files = parts.parts.files.filter((file) => !omissionOf(file)).map(({ part }) => part);
  return { id, files, items: await itemsOf(box.http, box, parts) };
}

export async function* listWhole(
  box: GmailBox,
  { before, from, placeAt }: WholeListing,
): GmailItems<MailboxState> {
  const { known, state, ...start } = await begin(box, before, from);
  let place: ListingPlace = start;
  let marked = state.known.size;
  async function* mark(listing: number, page: string | null): GmailItems {
    place = { listing, page };
    const { size } = state.known;
    if (!placeAt || size - marked <= size * MARK_SHARE) return;
    marked = size;
    yield placeAt({ email: box.email, mailbox: await store(box, state), ...place });
  }

  const queries = queriesOf(box);
  let since = state.historyId;
  for (let pass = 1; ; pass++) {
    for (const [listing, query] of queries.entries()) {
      if (listing < place.listing) continue;
      for await (const { page, next } of idsOf(box, query, place.page)) {
        yield* listedItems(box, { page, before: known, state });
        if (next !== null) yield* mark(listing, next);
      }
      yield* mark(listing + 1, null);
    }
    const meanwhile = await changesSince(box, since, box.rules);
    if (!meanwhile.hasShifted || pass === PASSES) return state;
    since = meanwhile.historyId;
    place = { listing: 0, page: null };
  }
}

interface ListingPlace {
  /** The number of the query, and the token of the page of its listing. */
  readonly listing: number;
  readonly page: string | null;
}

interface Begun extends ListingPlace {
  /** This may be taken for unchanged. */
  readonly known: KnownMail;
  readonly state: MailboxState;
}

async function begin(
  box: GmailBox,
  before: StoredMailbox | null,
  from: GmailPlace['current'],
): Promise<Begun> {
  const { known, historyId } = await usable(box, before);
  if (from?.mailbox.rules === rulesText(box)) {
    const { mailbox, listing, page } = from;
    const relabelled = renamed(box.names, mailbox.names);
    if (relabelled.length === 0) {
      const state = { historyId: mailbox.historyId, known: await unpack(mailbox.known) };
      return { known, state, listing, page };
    }
    // The earlier attempt has stored the old names, so the listing begins again, and these messages are read.
    for await (const id of withLabels(box, relabelled)) known.delete(id);
  }
  const state: MailboxState = {
    historyId: historyId ?? (await profileOf(box)).historyId,
    known: new Map(),
  };
  return { known, state, listing: 0, page: null };
}

interface ListedIds {
  readonly page: readonly string[];
  readonly before: KnownMail;
  readonly state: MailboxState;
}

/** Messages come in the order of the page, and one that a page before had is passed over. */
async function* listedItems(box: GmailBox, { page, before, state }: ListedIds): GmailItems {
  let unknown: string[] = [];
  for (const id of new Set(page)) {
    if (state.known.has(id)) continue;
    const files = before.get(id);
    if (files === undefined) {
      unknown.push(id);
      continue;
    }
    yield* readMessages(box, unknown, state);
    unknown = [];
    state.known.set(id, files);
    if (files === null) continue;
    yield stubOf({ owner: ownerIn(box), id, part: null });
    for (const part of files) yield stubOf({ owner: ownerIn(box), id, part });
  }
  yield* readMessages(box, unknown, state);
}

const ownerIn = ({ user, email, names }: GmailBox) => ({ user, email, names });

/** Each of several labels has a listing of its own, because Gmail lists only messages that have all given labels. */
function queriesOf({ rules }: GmailBox) {
  const { included, after, query } = rules;
  const words = [
    // The second before is listed, too, because Gmail does not say whether it counts.
    ...(after === null ? [] : [`after:${Math.max(0, after / 1000 - 1)}`]),
    ...(query === null ? [] : [`(${query})`]),
  ];
  const common = {
    includeSpamTrash: withSpamAndTrash(rules),
    ...(words.length > 0 && { q: words.join(' ') }),
  };
  return included === null ? [common] : included.map((id) => ({ ...common, labelIds: id }));
}

interface UsableMemory {
  readonly known: KnownMail;
  /** It is null when the memory cannot be used. */
  readonly historyId: string | null;
}

/** Takes out of the memory what has changed since, so that it is read again. */
async function usable(box: GmailBox, before: StoredMailbox | null): Promise<UsableMemory> {
  const none: UsableMemory = { known: new Map(), historyId: null };
  if (!before || before.rules !== rulesText(box)) return none;
  try {
    const { changed, gone, historyId } = await changesSince(box, before.historyId, box.rules);
    const known = await unpack(before.known);
    for (const id of [...changed, ...gone]) known.delete(id);
    for await (const id of withLabels(box, renamed(box.names, before.names))) known.delete(id);
    return { known, historyId };
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'outdated') return none;
    throw error;
  }
}

/** Yields the ids of all messages that have one of the labels. */
export async function* withLabels(box: GmailBox, labelIds: readonly string[]) {
  for (const id of labelIds)
    for await (const { page } of idsOf(box, { labelIds: id, includeSpamTrash: true })) yield* page;
}
