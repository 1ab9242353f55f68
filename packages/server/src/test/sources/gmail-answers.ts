/** Answers the operations of Gmail from a mailbox. */
import { must } from '../../util.ts';
import { type GmailAsked, historyOf, makeGmailListings, threadOf } from './gmail-listings.ts';
import { forbid, insufficient, invalid, notFound } from './gmail-refusal.ts';
import type { GmailSettings } from './gmail-settings.ts';
import { type GmailRow, makeGmailShapes } from './gmail-shapes.ts';
import type { GmailMailbox, GmailMessage } from './gmail-world.ts';

export function makeGmailAnswers(settings: GmailSettings, now: () => number) {
  const shapes = makeGmailShapes(settings);
  const { listMessages, listThreads, listHistory, forgetPages } = makeGmailListings({
    settings,
    shapes,
    now,
  });

  function formatOf({ url: { searchParams }, isMetadataOnly }: GmailAsked): string {
    const format = searchParams.get('format') ?? 'full';
    if (isMetadataOnly && (format === 'full' || format === 'raw'))
      forbid(`Metadata scope doesn't allow format ${format.toUpperCase()}`);
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

  return { answerTo, forgetPages, forgetAttachments: shapes.forgetAttachments };
}
