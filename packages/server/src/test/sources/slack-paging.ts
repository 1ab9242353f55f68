/** Cuts listings of Slack into pages. */
import type { SlackGiven } from './slack-records.ts';
import { refuse } from './slack-refusal.ts';
import type { SlackSettings } from './slack-settings.ts';

/** A page has at most this many items. */
const MOST = 1000;

export type SlackPager = ReturnType<typeof makeSlackPager>;

export function makeSlackPager(settings: SlackSettings) {
  /** Cursors of another epoch are unknown. */
  let epoch = 0;

  /** The rows have keys in their order. A cursor is the last key of its page, so new rows before it do not move others. */
  function page<Row>(
    rows: readonly { readonly key: string; readonly row: Row }[],
    { cursor, limit = '100' }: SlackGiven,
    { isDescending = false } = {},
  ) {
    const size = Number(limit);
    if (!(size >= 0 && size <= MOST)) refuse('invalid_limit');
    const [, at, after] = cursor
      ? (/^(\d+):(.*)$/.exec(Buffer.from(cursor, 'base64').toString()) ?? [])
      : [];
    if (cursor && (after === undefined || Number(at) !== epoch)) refuse('invalid_cursor');
    const left = rows
      .toSorted((a, b) => (a.key < b.key === isDescending ? 1 : -1))
      .filter(({ key }) => after === undefined || (isDescending ? key < after : key > after));
    const shown = left.slice(0, Math.min(size || MOST, settings.largestPage));
    const hasMore = left.length > shown.length;
    const next = hasMore ? Buffer.from(`${epoch}:${shown.at(-1)?.key}`).toString('base64') : '';
    return {
      rows: shown.map(({ row }) => row),
      hasMore,
      metadata: { response_metadata: { next_cursor: next } },
    };
  }

  return { page, forget: () => void epoch++ };
}
