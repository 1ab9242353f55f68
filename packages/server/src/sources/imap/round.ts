/**
 * One round of a pull looks at every mailbox, and yields the records of messages that are new, or whose record belongs
 * to another mailbox now. pull.ts says how the rounds work together.
 */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { Access } from '../../model/entity.ts';
import { chunked, must } from '../../util.ts';
import { bookmark, type SourceItem } from '../items.ts';
import { unlessLost } from '../kit/listing.ts';
import { ImapCursor, type Known, type KnownMailbox, type KnownMessage, pack } from './known.ts';
import type { Mailbox } from './mailboxes.ts';
import { askMessages, type ListedMessage, partitionOf, recordsOf } from './message.ts';
import type { ImapSession, OpenMailbox } from './session.ts';
import type { ImapConfig } from './settings.ts';

/** This many messages are asked for at once. */
const WINDOW = 200;
/** A full pull has a bookmark after this many messages, and later after a tenth of those that were read. */
const BOOKMARK_MESSAGES = 1000;
/** When more messages than these are gone from a mailbox, their deletion goes through the guards of a listing. */
const SMALL_DROP = 50;
const SUSPICIOUS_SHARE = 0.3;

export type MailItems<Result = void> = AsyncGenerator<SourceItem, Result, void>;

const Gone = z.strictObject({
  /** The record of the message is in this mailbox. */
  path: z.string(),
  files: z.number(),
});
type Gone = z.infer<typeof Gone>;

/** This is the position in a bookmark: what the interrupted attempt has read. */
export const ImapPlace = ImapCursor.extend({ gone: z.record(z.string(), Gone) });
type ImapPlace = z.infer<typeof ImapPlace>;

export interface MailPull {
  readonly session: ImapSession;
  readonly config: ImapConfig;
  readonly access: Access;
  readonly isFull: boolean;
  /** These messages are gone from a mailbox, and were met in no other one so far. The keys are those of the messages. */
  readonly gone: Map<string, Gone>;
  /** These mailboxes were listed whole, or are gone. What is stored of them and was not yielded is deleted. */
  readonly swept: Set<string>;
  /** This is the number of the round, from 0 on. */
  round: number;
  /** An earlier attempt of this full pull was interrupted, and its records are stored already. */
  readonly isResumed: boolean;
  /** These mailboxes cannot be read. They are left as they are until the next sync. */
  readonly lost: Set<string>;
}

/** This is one look at all mailboxes. */
interface Round {
  readonly known: Known;
  /** These were read in this round, in their order. */
  readonly read: KnownMailbox[];
  /** Maps the keys of the messages that were met in this round to the mailbox of their record. */
  readonly met: Map<string, string>;
  /** Maps the keys of all known messages to the mailbox of their record. */
  readonly homes: ReadonlyMap<string, string>;
  bookmarked: number;
}

export const isSame = (
  known: KnownMailbox | undefined,
  { status }: Mailbox,
): known is KnownMailbox =>
  known !== undefined &&
  status !== null &&
  known.validity === status.validity &&
  known.next === status.next &&
  known.exists === status.exists;

export async function* lookAt(
  mailboxes: readonly Mailbox[],
  known: Known,
  state: MailPull,
): MailItems<Known> {
  const byPath = new Map(known.map((one) => [one.path, one]));
  const round: Round = { known, read: [], met: new Map(), homes: homesOf(known), bookmarked: 0 };
  const look = { state, round };
  for (const mailbox of vanishedFrom(known, mailboxes, look)) {
    state.swept.add(mailbox.path);
    noteGone(mailbox.messages.values(), look);
  }
  for (const mailbox of mailboxes) {
    const before = byPath.get(mailbox.path);
    const items = isSame(before, mailbox)
      ? keep(before, mailbox, look)
      : readMailbox(mailbox, before, look);
    const isRead =
      !state.lost.has(mailbox.path) && (yield* unlessLost(partitionOf(mailbox.path), items));
    if (!isRead) leave(mailbox.path, before, look);
  }
  for (const [key, { path }] of state.gone)
    if (round.met.has(key) || (mayRelist(state) && state.swept.has(path))) state.gone.delete(key);
  return round.read;
}

/**
 * Returns true when the known records are those of earlier syncs, so that a sweep deletes those that this pull does not
 * yield. It would not delete those that an earlier round or attempt of this pull has yielded.
 */
const mayRelist = ({ round, isResumed }: MailPull): boolean => round === 0 && !isResumed;

/** Returns the mailboxes that the server no longer has. Those that vanish during the pull are left to the next sync. */
function vanishedFrom(known: Known, mailboxes: readonly Mailbox[], look: RoundState): Known {
  const present = new Set(mailboxes.map(({ path }) => path));
  const vanished = known.filter(({ path }) => !present.has(path));
  if (mayRelist(look.state)) return vanished;
  for (const before of vanished) postpone(before, look);
  return [];
}

/**
 * Leaves a mailbox that was deleted, made again or emptied during the pull to the next sync, which confirms its
 * deletions. Throws a SourceError 'outdated' when an earlier attempt has read it.
 */
function postpone(before: KnownMailbox, { state, round }: RoundState): void {
  if (state.round === 0)
    throw new SourceError('outdated', `the folder ${before.path} is not what it was`);
  for (const { key } of before.messages.values()) meet(key, before.path, round);
  round.read.push(before);
}

/** Leaves a mailbox that cannot be read as it is, until the next sync. After a full pull, that one lists it whole. */
function leave(path: string, before: KnownMailbox | undefined, { state, round }: RoundState): void {
  state.lost.add(path);
  if (!before) return;
  for (const { key } of before.messages.values()) meet(key, path, round);
  if (!state.isFull) round.read.push(before);
}

function homesOf(known: Known): Map<string, string> {
  const homes = new Map<string, string>();
  for (const { path, messages } of known)
    for (const { key } of messages.values()) if (!homes.has(key)) homes.set(key, path);
  return homes;
}

/** Returns true when the record of the message belongs to this mailbox, because no earlier one has the message. */
function meet(key: string, path: string, { met }: Round): boolean {
  if (met.has(key)) return false;
  met.set(key, path);
  return true;
}

/** Notes messages that a mailbox no longer has. Those that another mailbox has are taken out at the end of the round. */
function noteGone(messages: Iterable<KnownMessage>, { state, round }: RoundState): void {
  for (const { key, files } of messages)
    state.gone.set(key, { path: must(round.homes.get(key)), files });
}

interface RoundState {
  readonly state: MailPull;
  readonly round: Round;
}

/** Keeps a mailbox that has not changed. Records of its messages may have been in a mailbox before it. */
async function* keep(before: KnownMailbox, mailbox: Mailbox, look: RoundState): MailItems {
  yield* keepMessages(before.messages, { mailbox, validity: before.validity, look });
  look.round.read.push(before);
}

interface MailboxInRound {
  readonly mailbox: Mailbox;
  readonly validity: string;
  readonly look: RoundState;
}

async function* keepMessages(
  messages: ReadonlyMap<number, KnownMessage>,
  place: MailboxInRound,
): MailItems {
  const { round, state } = place.look;
  const { path } = place.mailbox;
  const moved: number[] = [];
  for (const [uid, { key }] of messages)
    if (meet(key, path, round) && round.homes.get(key) !== path) moved.push(uid);
  if (moved.length > 0) await state.session.stayIn(path);
  for (const uids of chunked(moved, WINDOW))
    for (const message of await askMessages(state.session, uids)) yield* itemsOf(message, place);
}

function itemsOf(message: ListedMessage, { mailbox, validity, look }: MailboxInRound) {
  return recordsOf(message, { mailbox, validity, access: look.state.access });
}

async function* readMailbox(
  mailbox: Mailbox,
  before: KnownMailbox | undefined,
  look: RoundState,
): MailItems {
  const { state, round } = look;
  const { path } = mailbox;
  const { open, uids } = await openWhole(path, state);
  const kept = keptOf(before, open, uids);
  const place: MailboxInRound = { mailbox, validity: open.validity, look };
  if (!kept && before && !mayRelist(state)) return postpone(before, look);
  if (!kept) state.swept.add(path);
  const messages = new Map<number, KnownMessage>(kept);
  if (before) {
    const dropped = [...before.messages].filter(([uid]) => !messages.has(uid));
    noteGone(
      dropped.map(([, message]) => message),
      look,
    );
  }
  const entryOf = (exists: number): KnownMailbox => ({
    path,
    validity: open.validity,
    next: open.next,
    exists,
    messages: new Map([...messages].toSorted(([a], [b]) => a - b)),
  });
  yield* keepMessages(messages, place);
  const fresh = uids.filter((uid) => !messages.has(uid));
  let silent = 0;
  for (const some of chunked(fresh, WINDOW)) {
    // Between two windows, contents are read, perhaps from another mailbox.
    const now = await state.session.stayIn(path);
    if (now.validity !== open.validity)
      throw new SourceError('skip', 'the folder was made again while it was read');
    const answered = await askMessages(state.session, some);
    silent += some.length - answered.length;
    for (const message of answered) {
      messages.set(message.uid, { key: message.key, files: message.files });
      if (meet(message.key, path, round)) yield* itemsOf(message, place);
    }
    if (state.isFull && isDue(round)) yield placeAt(entryOf(messages.size), look);
  }
  // A message that did not answer was deleted meanwhile, or the next sync asks for it again.
  round.read.push(entryOf(open.exists - silent));
}

/** The bookmarks hold all messages, so they become rarer while their number grows. */
function isDue(round: Round): boolean {
  const { size } = round.met;
  if (size - round.bookmarked < Math.max(BOOKMARK_MESSAGES, size / 10)) return false;
  round.bookmarked = size;
  return true;
}

/** The position has what was read in this round, and what is known of the mailboxes that were not reached. */
function placeAt(current: KnownMailbox, { state, round }: RoundState): SourceItem {
  const reached = new Set([...round.read.map(({ path }) => path), current.path]);
  const rest = round.known.filter(({ path }) => !reached.has(path));
  return bookmark({
    ...pack([...round.read, current, ...rest]),
    gone: Object.fromEntries(state.gone),
  } satisfies ImapPlace);
}

/** Throws a SourceError 'skip' when the server lists fewer messages than it counts. */
async function openWhole(
  path: string,
  { session, config: { since } }: MailPull,
): Promise<{ open: OpenMailbox; uids: number[] }> {
  for (let attempt = 1; ; attempt++) {
    const open = await session.open(path);
    const uids = await session.uids(since);
    // A message that arrives now comes up in the next sync.
    if (since !== undefined || uids.length >= open.exists)
      return { open, uids: uids.filter((uid) => uid < open.next) };
    // Messages may have been deleted between the two commands.
    if (attempt === 2)
      throw new SourceError(
        'skip',
        `the server counts ${open.exists} messages in the folder, and lists ${uids.length}`,
      );
  }
}

/**
 * Returns the known messages that are still in the mailbox, or null when the mailbox must be listed whole: it is new, it
 * was made again, or so much is gone that a person should confirm the deletions.
 */
function keptOf(
  before: KnownMailbox | undefined,
  { validity }: OpenMailbox,
  uids: readonly number[],
): Map<number, KnownMessage> | null {
  if (!before || before.validity !== validity) return null;
  const present = new Set(uids);
  const kept = new Map([...before.messages].filter(([uid]) => present.has(uid)));
  const dropped = before.messages.size - kept.size;
  const isSuspicious = dropped > Math.max(SMALL_DROP, before.messages.size * SUSPICIOUS_SHARE);
  return isSuspicious ? null : kept;
}
