/** Says which records the source makes of the company's mail in Outlook. */
import { APP_CREDENTIALS } from './graph-house.ts';
import { type OutlookCompany, openOutlookCompany } from './outlook-company.ts';
import type { OutlookRecord } from './outlook-words.ts';
import type { Resync } from './resync.ts';

const LEFT_OUT = ['drafts', 'junkemail', 'deleteditems'];

export async function openOutlookCloud(isApp = false) {
  const company: OutlookCompany = await openOutlookCompany({
    recordId,
    isApp,
    credentials: APP_CREDENTIALS,
  });
  const { refusals } = company;
  // Two of the refusals differ only in their code, and the suite takes long for each.
  const resync: Resync = {
    widen() {
      company.settings.largestPage = 1000;
    },
    incremental: {
      most: () => 3 + company.mine.folders.size,
      why: 'Graph has a list of what has changed in each folder, and none for a mailbox',
    },
    grow: () =>
      company.inPast(() => {
        const message = company.say(company.mine, company.clients);
        for (let i = 0; i < 2; i++) company.attach(company.mine, message);
      }),
  };
  return {
    ...company,
    refusals: { ...refusals, rateLimited: refusals.rateLimited.slice(1) },
    resync,
  };

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
