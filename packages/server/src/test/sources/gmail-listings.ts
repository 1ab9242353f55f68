/** Answers with listings of a mailbox of Gmail: messages, threads, and the history of changes. */
import { must } from '../../util.ts';
import { makeGmailPaging } from './gmail-paging.ts';
import { readQuery } from './gmail-query.ts';
import { forbid, invalid, notFound } from './gmail-refusal.ts';
import type { GmailSettings } from './gmail-settings.ts';
import type { GmailRow, makeGmailShapes } from './gmail-shapes.ts';
import type { GmailEvent, GmailMailbox, GmailMessage } from './gmail-world.ts';

const HIDDEN = ['SPAM', 'TRASH'];
const FIELDS = {
  messageAdded: 'messagesAdded',
  messageDeleted: 'messagesDeleted',
  labelAdded: 'labelsAdded',
  labelRemoved: 'labelsRemoved',
} as const;

export interface GmailAsked {
  readonly mailbox: GmailMailbox;
  readonly url: URL;
  /** The token allows headers and labels alone. */
  readonly isMetadataOnly: boolean;
}

/** Returns the messages of the thread, the oldest first. */
export const threadOf = ({ messages }: GmailMailbox, id: string): GmailMessage[] =>
  [...messages.values()]
    .filter(({ threadId }) => threadId === id)
    .toSorted((one, other) => one.internalDate - other.internalDate);
export const historyOf = (messages: readonly GmailMessage[]): bigint =>
  messages.reduce((most, { historyId }) => (historyId > most ? historyId : most), 0n);

interface ListingParts {
  readonly settings: GmailSettings;
  readonly shapes: ReturnType<typeof makeGmailShapes>;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

export function makeGmailListings({ settings, shapes, now }: ListingParts) {
  const { page, forget } = makeGmailPaging(settings);

  /** Returns the messages that a listing shows, the newest first. */
  function found({ mailbox, url: { searchParams }, isMetadataOnly }: GmailAsked): GmailMessage[] {
    const q = searchParams.get('q');
    if (q !== null && isMetadataOnly) forbid("Metadata scope does not support 'q' parameter");
    const { matches, seesSpamAndTrash } = readQuery(q ?? '', mailbox, now());
    const labels = searchParams.getAll('labelIds');
    const unknown = labels.find((id) => !mailbox.labels.has(id));
    if (unknown !== undefined) invalid(`Invalid label: ${unknown}`);
    const seesAll = seesSpamAndTrash || searchParams.get('includeSpamTrash') === 'true';
    const shown = [...mailbox.messages.values()].filter(
      (one) =>
        labels.every((id) => one.labels.has(id)) &&
        (seesAll || !HIDDEN.some((id) => one.labels.has(id))) &&
        matches(one),
    );
    return shown.toSorted((one, other) => (isBefore(one, other) ? -1 : 1));
  }
  const isBefore = (one: GmailMessage, other: GmailMessage): boolean => {
    const isNewer =
      one.internalDate === other.internalDate
        ? one.id >= other.id
        : one.internalDate > other.internalDate;
    return one.id === other.id || isNewer !== settings.isReversed;
  };

  function listMessages(asked: GmailAsked): GmailRow {
    const all = found(asked);
    const { rows, next } = page(asked.url, { rows: all, isBefore });
    return {
      ...(rows.length > 0 && { messages: rows.map(({ id, threadId }) => ({ id, threadId })) }),
      ...(next !== undefined && { nextPageToken: next }),
      resultSizeEstimate: settings.estimate ?? all.length,
    };
  }

  /** A thread stands where its newest message of the listing stands. */
  function listThreads(asked: GmailAsked): GmailRow {
    const all = [
      ...new Map(
        found(asked)
          .toReversed()
          .map((one) => [one.threadId, one]),
      ).values(),
    ].toSorted((one, other) => (isBefore(one, other) ? -1 : 1));
    const { rows, next } = page(asked.url, { rows: all, isBefore });
    return {
      ...(rows.length > 0 && {
        threads: rows.map((one) => ({
          id: one.threadId,
          snippet: shapes.snippet(one),
          historyId: String(historyOf(threadOf(asked.mailbox, one.threadId))),
        })),
      }),
      ...(next !== undefined && { nextPageToken: next }),
      resultSizeEstimate: settings.estimate ?? all.length,
    };
  }
  /** The history of a mailbox was here when its first page after an id was asked for. */
  const firstPages = new Map<string, bigint>();

  function listHistory({ mailbox, url }: GmailAsked): GmailRow {
    const { searchParams } = url;
    const start = searchParams.get('startHistoryId') ?? '';
    if (!/^\d+$/.test(start)) invalid('Missing/invalid parameter: startHistoryId');
    const from = BigInt(start);
    if (from < mailbox.oldestHistoryId || from > mailbox.historyId) notFound();
    if (!searchParams.has('pageToken')) firstPages.set(start, mailbox.historyId);
    const end = settings.historyIsFixed ? must(firstPages.get(start)) : mailbox.historyId;
    const types = searchParams.getAll('historyTypes');
    const label = searchParams.get('labelId');
    const told = mailbox.history.filter(
      ({ id, change, labels, labelsThen }) =>
        id > from &&
        id <= end &&
        (types.length === 0 || types.includes(change)) &&
        (label === null || labelsThen.includes(label) || labels.includes(label)),
    );
    const rows = settings.historyRepeats ? told.flatMap((one) => [one, one]) : told;
    const numbered = rows.map((event, place) => ({ event, place }));
    const listing = {
      rows: numbered,
      isBefore: (one: (typeof numbered)[0], other: (typeof numbered)[0]) =>
        one.event.id === other.event.id ? one.place <= other.place : one.event.id < other.event.id,
    };
    const { rows: shown, next } = page(url, listing);
    return {
      ...(shown.length > 0 && { history: shown.map(({ event }) => shownEvent(event)) }),
      ...(next !== undefined && { nextPageToken: next }),
      historyId: String(mailbox.historyId),
    };
  }

  function shownEvent({ id, change, message, labels, labelsThen }: GmailEvent): GmailRow {
    const short = { id: message.id, threadId: message.threadId };
    const entry = {
      message: { ...short, ...(labelsThen.length > 0 && { labelIds: labelsThen }) },
      ...(labels.length > 0 && { labelIds: labels }),
    };
    return { id: String(id), messages: [short], [FIELDS[change]]: [entry] };
  }

  return { listMessages, listThreads, listHistory, forgetPages: forget };
}
