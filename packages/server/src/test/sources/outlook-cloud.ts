/** Says which records the source makes of the company's mail in Outlook. */
import { APP_CREDENTIALS } from './graph-house.ts';
import { type OutlookCompany, type OutlookRecord, openOutlookCompany } from './outlook-company.ts';

const LEFT_OUT = ['drafts', 'junkemail', 'deleteditems'];

export async function openOutlookCloud(isApp = false) {
  const company: OutlookCompany = await openOutlookCompany({
    recordId,
    isApp,
    credentials: APP_CREDENTIALS,
  });
  const { refusals } = company;
  // Two of the refusals differ only in their code, and the suite takes long for each.
  return { ...company, refusals: { ...refusals, rateLimited: refusals.rateLimited.slice(1) } };

  /** The source makes records of messages and files. Files are numbered in the order of their ids. */
  function recordId(record: OutlookRecord): string | null {
    const { kind, userId, folders, messageId, attachmentId } = record;
    if (kind === 'folder' || kind === 'item' || kind === 'reference') return null;
    if (LEFT_OUT.includes(folders[0] ?? '')) return null;
    if (kind === 'message') return `${userId}/${messageId}`;
    const { mine, bobs } = company;
    const message = [...mine.messages, ...bobs.messages].find(
      (one) => one.immutableId === messageId,
    );
    const ids = message?.attachments.filter(({ isInline }) => !isInline).map(({ id }) => id) ?? [];
    return `${userId}/${messageId}/${ids.toSorted().indexOf(attachmentId ?? '') + 1}`;
  }
}
