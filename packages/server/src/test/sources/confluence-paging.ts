/** The settings of a fake of Confluence, the pages of its listings with their cursors, and the form in which it refuses. */
import { makeCursors } from './atlassian-cursors.ts';
import type { AtlassianOddity } from './atlassian-oddities.ts';
import type { ConfluenceItem } from './confluence-records.ts';

/** Bodies of requests and answers have many forms. */
export type ConfluenceRow = Record<string, any>;

export interface ConfluenceSettings {
  /** A page of a listing has at most this many items, even when a request asks for more. */
  largestPage: number;
  /** A restriction shows at most this many people, and as many groups. */
  largestRestriction: number;
  /** Answers of the second version tell the next page in a header alone. */
  hidesNext: boolean;
  /** A cursor is a place in the order, or the number of items before it, so that pages shift. */
  paging: 'places' | 'numbers';
  /** Searches do not show these contents yet. */
  readonly unindexed: Set<string>;
  /** The account gets 403 for what stands below these spaces, and for listings that name them. */
  readonly forbidden: Set<string>;
  /** Answers are odd in these ways, which the contract does not allow. */
  readonly odd: Set<AtlassianOddity>;
}

export class ConfluenceRefusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly detail: string | null;
  constructor(status: number, code: string, message: string, detail: string | null) {
    super(message);
    this.status = status;
    this.code = code;
    this.detail = detail;
  }
}
export const refuse = (
  status: number,
  code: string,
  message: string,
  detail: string | null = null,
): never => {
  throw new ConfluenceRefusal(status, code, message, detail);
};
export const notFound = (what: string): never => refuse(404, 'NOT_FOUND', `${what} was not found`);

/** The place of an item in the order of a listing. */
type Place = readonly (string | number)[];
export interface ConfluenceEntry {
  readonly place: Place;
  readonly shown: () => unknown;
}

const MOST = 250;
const compare = (one: Place, other: Place): number => {
  for (const [i, a] of one.entries()) {
    const b = other[i] ?? 0;
    if (a !== b) return a < b ? -1 : 1;
  }
  return 0;
};
const ORDERS: Readonly<Record<string, (item: ConfluenceItem) => string | number>> = {
  id: ({ id }) => Number(id.replace('att', '')),
  'created-date': ({ createdAt }) => createdAt,
  'modified-date': ({ updatedAt }) => updatedAt,
  title: (item) => ('title' in item ? item.title : ''),
};

/** Returns the entries of items in the order that a request asks for. A minus turns the order round. */
export function inOrder<Item extends ConfluenceItem>(
  items: readonly Item[],
  sort: string,
  shown: (item: Item) => unknown,
): ConfluenceEntry[] {
  const isDown = sort.startsWith('-');
  const name = sort.replace(/^-/, '');
  const order = ORDERS[name];
  if (!order) throw new Error(`the fake of Confluence does not sort by ${sort}`);
  return items
    .map((item) => ({
      place: [order(item), ORDERS.id?.(item) ?? 0] as Place,
      shown: () => shown(item),
    }))
    .toSorted((a, b) => (isDown ? -1 : 1) * compare(a.place, b.place))
    .map((entry, i) => ({ ...entry, place: isDown ? turned(entry.place, i) : entry.place }));
}
/** Texts cannot be negated, so their number takes their place. */
const turned = (place: Place, i: number): Place =>
  place.map((one) => (typeof one === 'number' ? -one : i));

/** A cursor is base64, which may end with equals signs. Of the id, it has only digits and letters. */
function idIn(cursor: string): string {
  const [, id = ''] = /"id":"(\w+)"/.exec(Buffer.from(cursor, 'base64').toString()) ?? [];
  return id;
}

export function makeConfluencePager(settings: ConfluenceSettings) {
  const cursors = makeCursors<{ listing: string; place: Place; count: number }>();
  return {
    /** Returns a page of entries, and the cursor of the next one. The listing is named, because a cursor is for one. */
    page(
      listing: string,
      { cursor, limit = 25 }: ConfluenceRow,
      entries: readonly ConfluenceEntry[],
    ) {
      if (!(Number(limit) >= 1 && Number(limit) <= MOST))
        refuse(
          400,
          'INVALID_REQUEST_PARAMETER',
          `Provided value {${limit}} for 'limit' is not valid`,
        );
      const from = cursor === undefined ? undefined : cursors.placeAt(idIn(String(cursor)));
      if (cursor !== undefined && from?.listing !== listing)
        refuse(
          400,
          'INVALID_REQUEST_PARAMETER',
          `Provided value {${cursor}} for 'cursor' is not the correct type. Expected type is Cursor`,
          'The cursor is not valid: ask for the first page to get a new one.',
        );
      const left = !from
        ? entries
        : settings.paging === 'numbers'
          ? entries.slice(from.count)
          : entries.filter(({ place }) => compare(place, from.place) > 0);
      const shown = left.slice(0, Math.min(Number(limit), settings.largestPage));
      let next: string | undefined;
      if (shown.length < left.length) {
        const place = shown.at(-1)?.place ?? [];
        const id = cursors.cursorOf({ listing, place, count: (from?.count ?? 0) + shown.length });
        next = Buffer.from(JSON.stringify({ id, order: 'id' })).toString('base64');
      }
      return { results: shown.map((one) => one.shown()), next, start: from?.count ?? 0 };
    },
    forget: cursors.forget,
  };
}
