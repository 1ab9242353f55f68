/** Answers the operations of Gmail from a mailbox. */
import { must } from '../../util.ts';
import { makeGmailPaging } from './gmail-paging.ts';
import { readQuery } from './gmail-query.ts';
import { invalid, notFound, refuse } from './gmail-refusal.ts';
import { GMAIL_METADATA, type GmailSettings } from './gmail-settings.ts';
import { type GmailRow, makeGmailShapes } from './gmail-shapes.ts';
import type { GmailEvent, GmailMailbox, GmailMessage } from './gmail-world.ts';

const HIDDEN = ['SPAM', 'TRASH'];
const FIELDS = {
  messageAdded: 'messagesAdded',
  messageDeleted: 'messagesDeleted',
  labelAdded: 'labelsAdded',
  labelRemoved: 'labelsRemoved',
} as const;

interface GmailAsked {
  readonly mailbox: GmailMailbox;
  readonly url: URL;
  /** The token allows headers and labels alone. */
  readonly isMetadataOnly: boolean;
}

export function makeGmailAnswers(settings: GmailSettings, now: () => number) {
  const shapes = makeGmailShapes(settings);
  const { page, forget } = makeGmailPaging(settings);

  /** Returns the messages that a listing shows, the newest first. */
  function found({ mailbox, url: { searchParams }, isMetadataOnly }: GmailAsked): GmailMessage[] {
    const q = searchParams.get('q');
    if (q !== null && isMetadataOnly)
      refuse(403, "Metadata scope does not support 'q' parameter", {
        reason: 'forbidden',
        status: 'PERMISSION_DENIED',
      });
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
  const threadOf = ({ messages }: GmailMailbox, id: string): GmailMessage[] =>
    [...messages.values()]
      .filter(({ threadId }) => threadId === id)
      .toSorted((one, other) => one.internalDate - other.internalDate);
  const historyOf = (messages: readonly GmailMessage[]): bigint =>
    messages.reduce((most, { historyId }) => (historyId > most ? historyId : most), 0n);

  function formatOf({ url: { searchParams }, isMetadataOnly }: GmailAsked): string {
    const format = searchParams.get('format') ?? 'full';
    if (isMetadataOnly && (format === 'full' || format === 'raw'))
      refuse(403, `Metadata scope doesn't allow format ${format.toUpperCase()}`, {
        reason: 'forbidden',
        status: 'PERMISSION_DENIED',
      });
    return format;
  }
  const namesOf = ({ url }: GmailAsked) => url.searchParams.getAll('metadataHeaders');

  function showMessage(asked: GmailAsked, id: string): GmailRow {
    if (!/^[0-9a-f]{1,16}$/.test(id)) invalid('Invalid id value');
    const format = formatOf(asked);
    const message = asked.mailbox.messages.get(id) ?? notFound();
    return shapes.message(message, format, namesOf(asked));
  }

  function showThread(asked: GmailAsked, id: string): GmailRow {
    const messages = threadOf(asked.mailbox, id);
    if (messages.length === 0) notFound();
    const format = formatOf(asked);
    return {
      id,
      historyId: String(historyOf(messages)),
      messages: messages.map((one) => shapes.message(one, format, namesOf(asked))),
    };
  }

  function listHistory({ mailbox, url }: GmailAsked): GmailRow {
    const { searchParams } = url;
    const start = searchParams.get('startHistoryId') ?? '';
    if (!/^\d+$/.test(start)) invalid('Missing/invalid parameter: startHistoryId');
    const from = BigInt(start);
    if (from < mailbox.oldestHistoryId || from > mailbox.historyId) notFound();
    const types = searchParams.getAll('historyTypes');
    const label = searchParams.get('labelId');
    const told = mailbox.history.filter(
      ({ id, change, labels, labelsThen }) =>
        id > from &&
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

  function showLabel({ labels, messages }: GmailMailbox, id: string): GmailRow {
    const label = labels.get(id) ?? notFound();
    const having = [...messages.values()].filter((one) => one.labels.has(id));
    const unread = having.filter((one) => one.labels.has('UNREAD'));
    const threads = (list: readonly GmailMessage[]) =>
      new Set(list.map(({ threadId }) => threadId)).size;
    return {
      ...shapes.label(label),
      messagesTotal: having.length,
      messagesUnread: unread.length,
      threadsTotal: threads(having),
      threadsUnread: threads(unread),
    };
  }

  /** Answers the operation, such as `GET /gmail/v1/users/{userId}/labels`, with these values of its path. */
  function answerTo(
    operation: string,
    asked: GmailAsked,
    [, id = '', inner = '']: string[],
  ): GmailRow {
    const { mailbox } = asked;
    const answers: Readonly<Record<string, () => GmailRow>> = {
      '/profile': () => ({
        emailAddress: mailbox.email,
        messagesTotal: mailbox.messages.size,
        threadsTotal: new Set([...mailbox.messages.values()].map((one) => one.threadId)).size,
        historyId: String(mailbox.historyId),
      }),
      '/messages': () => listMessages(asked),
      '/messages/{id}': () => showMessage(asked, id),
      '/messages/{messageId}/attachments/{id}': () => {
        if (asked.isMetadataOnly) insufficient();
        if (!mailbox.messages.has(id)) notFound();
        return shapes.attachment(mailbox, id, inner) ?? invalid('Invalid attachment token');
      },
      '/threads': () => listThreads(asked),
      '/threads/{id}': () => showThread(asked, id),
      '/history': () => listHistory(asked),
      '/labels': () => ({ labels: [...mailbox.labels.values()].map(shapes.label) }),
      '/labels/{id}': () => showLabel(mailbox, id),
    };
    const path = operation.replace('GET /gmail/v1/users/{userId}', '');
    return must(answers[path], `the fake does not answer ${operation}`)();
  }

  return { answerTo, forgetPages: forget, forgetAttachments: shapes.forgetAttachments };
}

/** The token lacks the scope that the operation needs. */
export const insufficient = (): never =>
  refuse(403, 'Request had insufficient authentication scopes.', {
    reason: 'insufficientPermissions',
    status: 'PERMISSION_DENIED',
    inner: 'Insufficient Permission',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
        domain: 'googleapis.com',
        metadata: { service: 'gmail.googleapis.com' },
      },
    ],
  });

export const isMetadataOnly = (scopes: readonly string[]): boolean =>
  scopes.includes(GMAIL_METADATA);
