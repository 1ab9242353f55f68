/**
 * Cuts listings of Gmail into pages. A page begins after the last entry of the one before, so new entries move nothing; the
 * settings make pages that shift, come twice or are empty.
 */
import { randomUUID } from 'node:crypto';
import { must } from '../../util.ts';
import { invalid } from './gmail-refusal.ts';
import type { GmailSettings } from './gmail-settings.ts';

const USUAL = 100;
const MOST = 500;

interface GmailPlace<Row> {
  readonly listing: string;
  /** The page begins after this entry, or after this many entries. */
  readonly after: Row | null;
  readonly offset: number;
  /** The page is shown for the first time, shown once more, or empty. */
  readonly turn: 'first' | 'again' | 'empty';
}

export interface GmailListing<Row> {
  /** The entries are in the order of the listing. */
  readonly rows: readonly Row[];
  /** Returns whether the first entry is before the second, or is it. */
  readonly isBefore: (one: Row, other: Row) => boolean;
}

export function makeGmailPaging(settings: GmailSettings) {
  const places = new Map<string, GmailPlace<unknown>>();

  function page<Row>({ searchParams, pathname }: URL, { rows, isBefore }: GmailListing<Row>) {
    const others = [...searchParams].filter(
      ([name]) => !['pageToken', 'maxResults', 'fields'].includes(name),
    );
    const listing = JSON.stringify([pathname, others.map((one) => one.join('=')).toSorted()]);
    const token = searchParams.get('pageToken');
    const first: GmailPlace<Row> = { listing, after: null, offset: 0, turn: 'first' };
    const place = token === null ? first : (places.get(token) as GmailPlace<Row> | undefined);
    if (!place) return invalid('Invalid pageToken');
    if (place.listing !== listing)
      throw new Error(`the page token of ${place.listing} is used for ${listing}`);
    const asked = Number(searchParams.get('maxResults') ?? USUAL);
    if (!(asked >= 1 && asked <= MOST))
      throw new Error(`maxResults is ${asked}, and Gmail's document allows 1 to ${MOST}`);
    const size = Math.min(asked, settings.largestPage);

    const { after } = place;
    const left = settings.pagesShift
      ? rows.slice(place.offset)
      : rows.filter((row) => after === null || !isBefore(row, after));
    const shown = left.slice(0, size);
    const give = (next: Partial<GmailPlace<Row>>): string => {
      const made = randomUUID().replaceAll(/\D/g, '').padEnd(20, '0') + places.size;
      places.set(made, { ...place, turn: 'first', ...next });
      return made;
    };
    if (place.turn === 'empty') return { rows: [], next: give({}) };
    if (left.length === shown.length && place.turn === 'first' && !settings.pagesRepeat)
      return { rows: shown, next: undefined };
    if (settings.pagesRepeat && place.turn === 'first')
      return { rows: shown, next: give({ turn: 'again' }) };
    if (left.length === shown.length) return { rows: shown, next: undefined };
    const next = give({
      after: must(shown.at(-1)),
      offset: place.offset + shown.length,
      ...(settings.hasEmptyPages && { turn: 'empty' as const }),
    });
    return { rows: shown, next };
  }

  return { page, forget: () => places.clear() };
}
