/** Gives Notion's errors, and the pages of its listings with their cursors. */
import { json, type PeerAnswer } from './cloud-peer.ts';
import { shownTime } from './notion-shapes.ts';
import { newNotionId } from './notion-world.ts';

/** A page has at most this many items. */
export const MOST = 100;

/** Bodies of requests and answers have many forms. */
export type NotionRow = Record<string, any>;
/** An entry of a listing has a place in the order of the listing. */
interface Entry {
  readonly place: string;
  readonly shown: () => unknown;
}

export class NotionRefusal extends Error {
  readonly answer: PeerAnswer;
  constructor(answer: PeerAnswer) {
    super('Notion refuses the request');
    this.answer = answer;
  }
}

export const notionError = (
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): PeerAnswer =>
  json(status, { object: 'error', status, code, message, request_id: newNotionId() }, headers);

export const refuse = (status: number, code: string, message: string): never => {
  throw new NotionRefusal(notionError(status, code, message));
};
export const invalid = (message: string): never => refuse(400, 'validation_error', message);

export function makeNotionPager(settings: { readonly largestPage: number }) {
  const cursors = new Map<string, { listing: string; place: string }>();
  const given = new Map<string, string>();
  /** A place has the same cursor each time, since cursors are ids of what is listed (`ListCommentsResponse`). */
  function cursorOf(listing: string, place: string): string {
    const key = JSON.stringify([listing, place]);
    const cursor = given.get(key) ?? newNotionId();
    given.set(key, cursor);
    cursors.set(cursor, { listing, place });
    return cursor;
  }
  /** Returns the page of a listing in the order of places. The listing is named, because a cursor is for one listing. */
  function page(
    listing: string,
    { start_cursor, page_size }: NotionRow,
    entries: readonly Entry[],
  ): NotionRow {
    const size = Number(page_size ?? MOST);
    if (!(size >= 1 && size <= MOST))
      invalid(
        `body failed validation: page_size should be ≥ \`1\` and ≤ \`${MOST}\`, instead was \`${page_size}\`.`,
      );
    const cursor = cursors.get(String(start_cursor));
    if (start_cursor !== undefined && cursor?.listing !== listing)
      invalid(`The start_cursor provided is invalid: ${start_cursor}`);
    const left = entries
      .toSorted((a, b) => (a.place < b.place ? -1 : 1))
      .filter(({ place }) => !cursor || place > cursor.place);
    const shown = left.slice(0, Math.min(size, settings.largestPage));
    const hasMore = left.length > shown.length;
    const next = hasMore ? cursorOf(listing, shown.at(-1)?.place ?? '') : null;
    return {
      object: 'list',
      results: shown.map((one) => one.shown()),
      next_cursor: next,
      has_more: hasMore,
    };
  }
  const forget = () => {
    cursors.clear();
    given.clear();
  };
  return { page, forget };
}

export const inOrder = (rows: readonly unknown[]): Entry[] =>
  rows.map((row, i) => ({ place: String(i).padStart(9, '0'), shown: () => row }));
/** The later of two times has the smaller place when the direction is 'descending'. */
export const timePlace = (at: number, id: string, direction: string) => {
  const minute = Date.parse(shownTime(at));
  return `${String(direction === 'descending' ? 1e15 - minute : minute).padStart(16, '0')} ${id}`;
};
