/**
 * Lists what is shared with the integration, from the last change to the first.
 *
 * A full pull lists everything. Records that change meanwhile move to the beginning of the list, which has been read
 * already, and a search may leave out records for a while. So what earlier pulls have read and this one has not met is
 * asked for by its id before it counts as gone. A pull without a memory looks at the beginning of the list once more.
 *
 * An incremental pull stops at the time at which the last one began. Times have whole minutes, so records of that
 * minute are read again. Changes that the search has learned late are found because the pull looks back further than that.
 */
import { SourceError } from '../../errors.ts';
import { bookmark, checkpoint, listed, lost, type SourceItem } from '../items.ts';
import type { Http } from '../kit/http.ts';
import { ahead, pages } from '../kit/listing.ts';
import type { FoundRecord } from './answer.ts';
import { NOTHING_SHARED, type NotionListing, searchAt } from './api.ts';
import { openDirectory } from './directory.ts';
import { CONCURRENCY } from './hydrate.ts';
import {
  emptyMemory,
  type Memory,
  NotionBookmark,
  type NotionCursor,
  pack,
  unpack,
} from './memory.ts';
import { unlisted } from './unlisted.ts';
import {
  isUnchanged,
  type ListedRecord,
  type NotionPull,
  type VisitedRecord,
  visit,
} from './visit.ts';

const LOOK_BACK_MS = 300_000;
/** An incremental pull reads at most this many unchanged records again that have the time of its cursor. */
const MAX_TIES = 10;
/** A pull can go on after this many records, and later after a share of those that it has met. */
const MIN_RECORDS_PER_MARK = 20;
const MARK_SHARE = 0.02;

type NotionItems = AsyncGenerator<SourceItem, void, void>;

interface NotionContext {
  readonly http: Http;
  readonly cursor: NotionCursor | null;
  readonly lastCursor: NotionCursor | null;
  readonly bookmark: unknown;
}

export async function* pull(ctx: NotionContext): NotionItems {
  const { http, cursor, lastCursor } = ctx;
  const before = lastCursor ? await unpack(lastCursor.memory) : emptyMemory();
  const interrupted = NotionBookmark.nullable().parse(ctx.bookmark);
  const start = interrupted ? await unpack(interrupted.memory) : emptyMemory();
  const now: Memory = cursor
    ? { known: new Map(before.known), places: new Map(before.places), named: new Map(before.named) }
    : start;
  const places = new Map([...before.places, ...now.places]);
  const directory = openDirectory(http, places, now.places);
  const state: NotionPull = {
    reader: { http, directory },
    isFull: cursor === null,
    before,
    now,
    mayReadComments: true,
    isCut: interrupted?.isCut ?? false,
  };
  yield* cursor ? changes(state, cursor) : everything(state, interrupted);
}

async function* everything(state: NotionPull, interrupted: NotionBookmark | null): NotionItems {
  const { reader, before, now } = state;
  let since = interrupted?.since;
  let place = interrupted?.place ?? null;
  const isDue = createMarks(now);
  const mark = async () =>
    bookmark({ since: since ?? null, memory: await pack(now), place, isCut: state.isCut });
  for await (const { page, next } of pages<NotionListing, string>(place, (at) =>
    searchAt(reader.http, at),
  )) {
    since ??= newestOf(page);
    state.isCut ||= page.isCut;
    const unmet = listedIn(state, page).filter(({ found }) => !isMet(state, found));
    const visits = ahead(unmet, CONCURRENCY, (one) => visit(state, one));
    yield* stored(state, visits, { isDue, mark });
    place = next;
    if (next !== null && isDue(true)) yield await mark();
  }
  if (before.known.size === 0) yield* movedSince(state, since ?? null);
  yield* stored(state, unlisted(state), { isDue, mark });
  if (now.known.size === 0 && before.known.size === 0) throw NOTHING_SHARED;
  yield state.isCut ? lost('', CUT) : listed('');
  yield checkpoint({ since: since ?? null, memory: await pack(now) } satisfies NotionCursor);
}

const CUT = new SourceError(
  'skip',
  'Notion does not list everything that is shared with the integration',
  {
    hint: 'Make several integrations, share a part of the workspace with each, and connect them one by one.',
  },
);

/** An attempt that goes on does not yield again what an earlier one has yielded. */
const isMet = ({ now }: NotionPull, { id, last_edited_time }: FoundRecord): boolean =>
  now.known.get(id)?.edited === last_edited_time;

/** Yields the records that have moved to the beginning of the list while it was read. */
async function* movedSince(state: NotionPull, since: string | null): NotionItems {
  for await (const { records } of newestDownTo(state, since, 0)) {
    const unmet = records.filter(({ found }) => !isMet(state, found));
    for await (const visited of ahead(unmet, CONCURRENCY, (one) => visit(state, one)))
      yield* remember(state, visited);
  }
}

async function* changes(state: NotionPull, cursor: NotionCursor): NotionItems {
  const { before, now } = state;
  const since = Date.parse(cursor.since ?? '');
  const isDue = createMarks(now);
  const mark = async () => checkpoint({ since: cursor.since, memory: await pack(now) });
  let newest: string | null | undefined;
  let ties = 0;
  for await (const { records, newest: found } of newestDownTo(state, cursor.since, LOOK_BACK_MS)) {
    // The first page shows the time at which this pull began.
    newest ??= found;
    const toRead = records.flatMap((one) => {
      const isKnown = isUnchanged(before.known.get(one.found.id), one.found);
      if (!isKnown) return one;
      const isTie = Date.parse(one.found.last_edited_time) >= since && ties++ < MAX_TIES;
      return isTie ? { ...one, isRead: true } : [];
    });
    const visits = ahead(toRead, CONCURRENCY, (one) => visit(state, one));
    yield* stored(state, visits, { isDue, mark });
  }
  yield* stored(state, unlisted(state), { isDue, mark });
  const next = latest(cursor.since, newest ?? null);
  yield checkpoint({ since: next, memory: await pack(now) } satisfies NotionCursor);
}

/** Yields the pages of the list down to this time. A record without a time may have changed at any time. */
async function* newestDownTo(
  state: NotionPull,
  since: string | null,
  lookBackMs: number,
): AsyncGenerator<
  { readonly records: ListedRecord[]; readonly newest: string | null },
  void,
  void
> {
  const limit = Date.parse(since ?? '') - lookBackMs;
  const isOlder = (found: FoundRecord) => Date.parse(found.last_edited_time) < limit;
  for await (const { page } of pages<NotionListing, string>(null, (at) =>
    searchAt(state.reader.http, at),
  )) {
    const records = listedIn(state, page).filter(({ found }) => !isOlder(found));
    yield { records, newest: newestOf(page) };
    const last = page.results.at(-1);
    if (last && isOlder(last)) return;
  }
}

/** Yields the records, and a mark when one is due. */
async function* stored(
  state: NotionPull,
  visits: AsyncIterable<VisitedRecord>,
  marks: { readonly isDue: () => boolean; readonly mark: () => Promise<SourceItem> },
): NotionItems {
  for await (const visited of visits) {
    yield* remember(state, visited);
    if (marks.isDue()) yield await marks.mark();
  }
}

/** A record is remembered when it is yielded, and not when it is read, so that a bookmark never stands before it. */
function* remember(
  { now }: NotionPull,
  { id, items, known, named = [] }: VisitedRecord,
): Generator<SourceItem> {
  yield* items;
  if (known) now.known.set(id, known);
  else now.known.delete(id);
  now.named.delete(id);
  for (const [child, kind] of named) if (!now.known.has(child)) now.named.set(child, kind);
}

/**
 * Returns a function that says after each record, and at the end of each page of the search, whether the pull should be
 * able to go on there.
 */
function createMarks({ known }: Memory): (atEnd?: boolean) => boolean {
  let records = 0;
  return (atEnd = false) => {
    if (!atEnd) records++;
    const least = Math.max(atEnd ? 1 : MIN_RECORDS_PER_MARK, known.size * MARK_SHARE);
    if (records < least) return false;
    records = 0;
    return true;
  };
}

/** Returns the latest time of a change. A time in the future would hide the next changes, so the present takes its place. */
function newestOf({ results, at }: NotionListing): string | null {
  const times = results.flatMap(({ last_edited_time }) => Date.parse(last_edited_time) || []);
  return times.length === 0 ? null : new Date(Math.min(at, Math.max(...times))).toISOString();
}

const latest = (a: string | null, b: string | null): string | null =>
  a !== null && (b === null || Date.parse(a) > Date.parse(b)) ? a : b;

/** The whole page is noted before one of its records is read, since some of them may be the parents of others. */
function listedIn({ reader }: NotionPull, { results, at }: NotionListing): ListedRecord[] {
  for (const found of results) reader.directory.note(found);
  return results.map((found) => ({ found, at }));
}
