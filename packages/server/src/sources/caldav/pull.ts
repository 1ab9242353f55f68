/**
 * Lists calendars. Each calendar is a partition with a token of its own. A calendar whose token is that of the last sync
 * is not asked. Otherwise the server tells what has changed and what is gone (RFC 6578). A server without this report
 * lists the calendar whole, with the version of each entry.
 */
import { SourceError } from '../../errors.ts';
import { checkpoint, fail, listed, lost, remove, type SourceItem, skip, stub } from '../items.ts';
import type { Http } from '../kit/http.ts';
import { unlessLost } from '../kit/listing.ts';
import { type Calendar, calendarsOf, isAtOrBelow } from './calendars.ts';
import type { CalDavConfig, CalDavCursor } from './config.ts';
import {
  type DavResource,
  INCOMPLETE,
  isGone,
  listedIn,
  refusalIn,
  syncCollection,
} from './dav.ts';
import { type CarriedEntry, MAX_BYTES, TOO_LARGE, TYPE } from './read.ts';

/** A server that always says that more will follow is stopped. */
const MAX_PAGES = 10_000;

/** The partition is the path of the calendar without its outer slashes. */
const partitionOf = ({ path }: Pick<Calendar, 'path'>): string => path.slice(1, -1);

interface CalendarPull {
  readonly config: CalDavConfig;
  readonly cursor: CalDavCursor | null;
}

export async function* pull(
  http: Http,
  { config, cursor }: CalendarPull,
): AsyncGenerator<SourceItem, void, void> {
  const { calendars, refused } = await calendarsOf(http, config);
  const known = new Map(Object.entries(cursor?.calendars ?? {}));
  const state = () => checkpoint({ calendars: Object.fromEntries(known) } satisfies CalDavCursor);
  for (const { path, error } of refused) {
    yield lost(partitionOf({ path }), error);
    known.set(path, known.get(path) ?? '');
  }
  // A calendar that the account no longer has is listed without entries.
  for (const path of known.keys())
    if (!calendars.some((one) => one.path === path) && !isAtOrBelow(path, refused)) {
      yield listed(partitionOf({ path }));
      known.delete(path);
      yield state();
    }
  for (const calendar of calendars) {
    const last = known.get(calendar.path) || null;
    const now = calendar.token ?? calendar.ctag;
    if (last !== null && last === now) continue;
    let next = last;
    const items = async function* () {
      next = yield* changes(http, calendar, last);
    };
    const isRead = yield* unlessLost(partitionOf(calendar), items());
    // A calendar without a token is known, too, so that its entries are deleted when it is gone.
    known.set(calendar.path, next ?? '');
    if (isRead) yield state();
  }
  yield state();
}

/**
 * Yields what has changed since the token, and returns the token from which the next sync goes on. After an entry that
 * the server refuses, it is the same one, so that the next sync asks for this entry again.
 */
async function* changes(
  http: Http,
  calendar: Calendar,
  last: string | null,
): AsyncGenerator<SourceItem, string | null, void> {
  if (calendar.token === null) return yield* whole(http, calendar);
  try {
    return yield* since(http, calendar, last);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    if (error.kind === 'outdated' && last !== null) return yield* since(http, calendar, null);
    // The server has a token, but not the report. If the calendar may not be read, its listing fails as well.
    if (error.kind === 'skip') return yield* whole(http, calendar);
    throw error;
  }
}

async function* since(
  http: Http,
  calendar: Calendar,
  last: string | null,
): AsyncGenerator<SourceItem, string | null, void> {
  let token = last ?? '';
  let isRead = true;
  for (let page = 0; ; page++) {
    const answer = await syncCollection(http, calendar.path, token);
    if (answer.token === undefined)
      throw new SourceError('fatal', 'the server reports changes without a sync token');
    const itself = answer.resources.find(({ path }) => path === calendar.path);
    const refusal = itself?.status !== INCOMPLETE && itself && refusalIn(itself);
    if (refusal) throw refusal;
    if (!(yield* entriesIn(answer.resources, calendar))) isRead = false;
    const isWhole = !answer.resources.some(({ status }) => status === INCOMPLETE);
    if (!isWhole && (answer.token === token || page === MAX_PAGES))
      throw new SourceError('fatal', 'the server reports the same changes again and again');
    token = answer.token;
    if (isWhole) break;
  }
  if (last === null) yield listed(partitionOf(calendar));
  return isRead ? token : last;
}

async function* whole(
  http: Http,
  calendar: Calendar,
): AsyncGenerator<SourceItem, string | null, void> {
  const isRead = yield* entriesIn(await listedIn(http, calendar.path), calendar);
  yield listed(partitionOf(calendar));
  return isRead ? (calendar.token ?? calendar.ctag) : null;
}

/** Returns false when the server refuses to describe an entry. */
function* entriesIn(
  resources: readonly DavResource[],
  calendar: Calendar,
): Generator<SourceItem, boolean> {
  let isRead = true;
  for (const resource of resources) {
    const { path, status, properties } = resource;
    if (!path.startsWith(calendar.path) || path === calendar.path) continue;
    const refusal = refusalIn(resource, 'getetag');
    if (isGone(status)) yield remove(path);
    else if (path.endsWith('/') || isFolder(resource)) continue;
    else if (refusal) {
      isRead = false;
      yield fail(path, TYPE, refusal);
    } else yield itemOf(path, properties, calendar);
  }
  return isRead;
}

const isFolder = ({ properties }: DavResource): boolean =>
  (properties.resourcetype?.collection.length ?? 0) > 0;

function itemOf(
  path: string,
  { getetag, getcontentlength }: DavResource['properties'],
  calendar: Calendar,
): SourceItem {
  if (getetag === undefined)
    throw new SourceError('fatal', 'the server lists an entry without its version (getetag)');
  if (Number(getcontentlength ?? 0) > MAX_BYTES)
    return skip(path, TYPE, { ...TOO_LARGE, removes: 'record' });
  const carry: CarriedEntry = { calendar };
  const version = `${getetag} ${calendar.name}`;
  return stub(path, TYPE, { version, partition: partitionOf(calendar), carry });
}
