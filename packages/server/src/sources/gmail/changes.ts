/** Reads which messages of a mailbox have changed (https://developers.google.com/workspace/gmail/api/guides/sync). */
import type { HistoryRecord } from './answer.ts';
import { historyOf, type MailApi } from './api.ts';
import { concerns, type MailboxRules } from './config.ts';

export interface MailChanges {
  /** These messages are new, or have other labels. */
  readonly changed: ReadonlySet<string>;
  readonly gone: ReadonlySet<string>;
  /** If true, messages have left listings, so that others may have moved to a page that was already read. */
  readonly hasShifted: boolean;
}

/** A message may be in several records; what became of it in the end is found by asking for it. */
export function changesIn(history: readonly HistoryRecord[], rules: MailboxRules): MailChanges {
  const changed = new Set<string>();
  const gone = new Set<string>();
  let hasShifted = false;
  for (const { messagesAdded, messagesDeleted, labelsAdded, labelsRemoved } of history) {
    for (const { message } of messagesAdded) changed.add(message.id);
    for (const { message, labelIds } of [...labelsAdded, ...labelsRemoved]) {
      if (!labelIds.some((id) => concerns(id, rules))) continue;
      changed.add(message.id);
      hasShifted = true;
    }
    for (const { message } of messagesDeleted) {
      gone.add(message.id);
      hasShifted = true;
    }
  }
  for (const id of gone) changed.delete(id);
  return { changed, gone, hasShifted };
}

export interface WholeHistory extends MailChanges {
  /** The history up to this record is read. */
  readonly historyId: string;
}

/** Throws a SourceError 'outdated' when Gmail no longer knows the record. */
export async function changesSince(
  api: MailApi,
  since: string,
  rules: MailboxRules,
): Promise<WholeHistory> {
  const changed = new Set<string>();
  const gone = new Set<string>();
  let hasShifted = false;
  let historyId: string | undefined;
  for await (const { page } of historyOf(api, since)) {
    // Everything that happens while the pages are read comes again.
    historyId ??= page.historyId;
    const found = changesIn(page.history, rules);
    for (const id of found.changed) changed.add(id);
    for (const id of found.gone) gone.add(id);
    hasShifted ||= found.hasShifted;
  }
  return { changed, gone, hasShifted, historyId: historyId ?? since };
}
