/**
 * Lists the mailboxes of a connection, and follows their histories. Each mailbox is a partition. One that cannot be read
 * is lost. If this pull must list it whole, it is in the cursor as null: the next pull lists it, or deletes what was
 * stored of it when its owner is gone by then.
 */
import { SourceError } from '../../errors.ts';
import { must } from '../../util.ts';
import {
  bookmark,
  checkpoint,
  fail,
  listed,
  lost,
  remove,
  type SourceItem,
  skip,
} from '../items.ts';
import type { Http } from '../kit/http.ts';
import { historyOf, NoGmail, SWITCH_ON } from './api.ts';
import { changesIn } from './changes.ts';
import type { GmailConfig } from './config.ts';
import {
  type GmailItems,
  listWhole,
  type MailboxState,
  readMessages,
  renamed,
  rulesText,
  store,
  type WholeListing,
  withLabels,
} from './list.ts';
import {
  type GmailBox,
  isForPeople,
  type MailboxOwner,
  openMailbox,
  ownersOf,
} from './mailboxes.ts';
import { type GmailCursor, GmailPlace, type StoredMailbox, unpack } from './memory.ts';
import { fileId, messageId, partitionOf } from './record.ts';

interface GmailPull {
  readonly http: Http;
  readonly config: GmailConfig;
  /** The history of these mailboxes is read up to a place. */
  readonly done: GmailCursor['mailboxes'];
  /** These errors are those of mailboxes that could not be read. */
  readonly lost: SourceError[];
}

interface GmailPullContext {
  readonly http: Http;
  readonly config: GmailConfig;
  readonly cursor: GmailCursor | null;
  readonly lastCursor: GmailCursor | null;
  readonly bookmark: unknown;
}

export async function* pull(ctx: GmailPullContext): GmailItems {
  const { http, config, cursor } = ctx;
  const owners = await ownersOf(http, config);
  if (cursor) yield* pullChanges({ http, config, done: { ...cursor.mailboxes }, lost: [] }, owners);
  else yield* pullAll(ctx, owners);
}

async function* pullAll(
  { http, config, lastCursor, bookmark: interrupted }: GmailPullContext,
  owners: readonly MailboxOwner[],
): GmailItems {
  const place = interrupted === null ? null : GmailPlace.parse(interrupted);
  const done = { ...place?.done };
  const state: GmailPull = { http, config, done, lost: [] };
  for (const owner of owners) {
    const { email } = owner;
    // An earlier attempt has listed it.
    if (done[email]) continue;
    yield* listMailbox(state, owner, {
      before: lastCursor?.mailboxes[email] ?? null,
      from: place?.current?.email === email ? place.current : null,
      placeAt: (current) => bookmark({ done: { ...done }, current } satisfies GmailPlace),
    });
    yield bookmark({ done: { ...done }, current: null } satisfies GmailPlace);
  }
  assertSome(state, owners);
  yield saved(state);
}

/** One of several mailboxes may be lost. People without a mailbox are left out, and the job says so. */
async function* inMailbox(
  { config, done, lost: all }: GmailPull,
  email: string,
  items: GmailItems,
): GmailItems {
  if (!isForPeople(config)) return yield* items;
  try {
    yield* items;
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'skip') throw error;
    done[email] ??= null;
    if (error instanceof NoGmail)
      yield skip(email, 'GmailMailbox', {
        reason: 'of people without Gmail',
        detail: error.message,
        hint: SWITCH_ON,
      });
    else {
      all.push(error);
      yield lost(partitionOf(email), error);
    }
  }
}

/** Throws when no mailbox at all can be read, because then the reason lies in the connection. */
function assertSome({ lost: all }: GmailPull, owners: readonly MailboxOwner[]): void {
  const [first] = all;
  if (!first || all.length < owners.length) return;
  throw new SourceError('config', `none of the mailboxes can be read: ${first.message}`, {
    cause: first,
  });
}

async function* listMailbox(
  pull: GmailPull,
  owner: MailboxOwner,
  listing: WholeListing,
): GmailItems {
  const { http, config, done } = pull;
  async function* items(): GmailItems {
    const box = await openMailbox(http, owner, config);
    if (!isForPeople(config)) yield* unknownLabels(box);
    yield* listBox(box, listing, done);
  }
  yield* inMailbox(pull, owner.email, items());
}

async function* listBox(box: GmailBox, listing: WholeListing, done: GmailPull['done']): GmailItems {
  const state = yield* listWhole(box, listing);
  yield listed(partitionOf(box.email));
  done[box.email] = await store(box, state);
}

function* unknownLabels({ rules }: GmailBox): Generator<SourceItem> {
  for (const label of rules.unknown)
    yield fail(
      label,
      'GmailLabel',
      new SourceError('config', `the mailbox has no label '${label}'`, {
        hint: 'Remove it from the labels of the configuration, or make it in Gmail.',
      }),
    );
}

async function* pullChanges(state: GmailPull, owners: readonly MailboxOwner[]): GmailItems {
  const { done } = state;
  const present = new Set(owners.map(({ email }) => email));
  const known = owners.filter(({ email }) => done[email]);
  for (const email of Object.keys(done))
    if (!present.has(email)) {
      yield listed(partitionOf(email));
      delete done[email];
    }
  for (const owner of owners)
    if (!done[owner.email]) yield* listMailbox(state, owner, wholeFrom(null));
  yield saved(state);
  for (const owner of known) yield* inMailbox(state, owner.email, changesOf(state, owner));
  assertSome(state, owners);
}

const saved = ({ done }: GmailPull): SourceItem =>
  checkpoint({ mailboxes: { ...done } } satisfies GmailCursor);

const wholeFrom = (before: StoredMailbox | null): WholeListing => ({
  before,
  from: null,
  placeAt: null,
});

async function* changesOf(pull: GmailPull, owner: MailboxOwner): GmailItems {
  const { http, config, done } = pull;
  const box = await openMailbox(http, owner, config);
  const before = must(done[owner.email]);
  if (before.rules !== rulesText(box))
    throw new SourceError('outdated', 'the labels of the configuration were made or deleted');
  // Only Gmail can say which messages a query finds, and with the time these may be others.
  if (box.rules.query !== null) yield* listBox(box, wholeFrom(before), done);
  else yield* follow(box, before, done);
  if (done[owner.email] !== before) yield saved(pull);
}

async function* follow(box: GmailBox, before: StoredMailbox, done: GmailPull['done']): GmailItems {
  const state: MailboxState = {
    historyId: before.historyId,
    known: await unpack(before.known),
  };
  const save = async (historyId: string) => {
    state.historyId = historyId;
    done[box.email] = await store(box, state);
    return checkpoint({ mailboxes: { ...done } } satisfies GmailCursor);
  };
  // The history does not tell it. All messages have the new names before the first checkpoint that has these names.
  const relabelled = renamed(box.names, before.names);
  const ids: string[] = [];
  for await (const id of withLabels(box, relabelled)) if (state.known.get(id)) ids.push(id);
  yield* readAgain(box, new Set(ids), state);
  let newest: string | undefined;
  for await (const { page, next } of historyOf(box, before.historyId)) {
    // Everything that happens while the pages are read comes again.
    newest ??= page.historyId;
    const { changed, gone } = changesIn(page.history, box.rules);
    for (const id of gone) yield* removal(box, id, state);
    yield* readAgain(box, changed, state);
    const last = page.history.at(-1);
    if (next !== null && last) yield await save(last.id);
  }
  if (newest !== undefined && (newest !== before.historyId || hasOtherNames(box, before)))
    yield await save(newest);
}

const hasOtherNames = ({ names }: GmailBox, before: StoredMailbox): boolean =>
  JSON.stringify(names) !== JSON.stringify(before.names);

/** Reads messages that may have other labels, or may be gone, and removes those that have no records any more. */
async function* readAgain(
  box: GmailBox,
  ids: ReadonlySet<string>,
  state: MailboxState,
): GmailItems {
  const before = new Map([...ids].map((id) => [id, state.known.get(id) ?? null]));
  yield* readMessages(box, ids, state);
  for (const [id, files] of before) {
    if (state.known.get(id)) continue;
    yield* removalOf(box, id, files ?? []);
  }
}

function* removal(box: GmailBox, id: string, { known }: MailboxState): Generator<SourceItem> {
  yield* removalOf(box, id, known.get(id) ?? []);
  known.delete(id);
}

function* removalOf(box: GmailBox, id: string, files: readonly string[]): Generator<SourceItem> {
  yield remove(messageId(box, id));
  for (const part of files) yield remove(fileId(box, id, part));
}
