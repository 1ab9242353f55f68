/** Runs the shared suites of a source of the cloud against the fake of Microsoft Graph, with mail in Outlook. */
import { outlookMail } from '../../sources/catalog/outlook-mail.ts';
import { testCloudSource } from './cloud-suite.ts';
import { APP_CREDENTIALS, withAppToken } from './graph-house.ts';
import { GRAPH_PERSON_TOKEN } from './graph-tokens.ts';
import { testSource } from './harness.ts';
import { type OutlookCompany, type OutlookRecord, openOutlookCompany } from './outlook-company.ts';

const LEFT_OUT = ['drafts', 'junkemail', 'deleteditems'];

async function open(isApp = false) {
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

// The suite also signs in a person, who must see the same as the connection with credentials.
testCloudSource(withAppToken(outlookMail, GRAPH_PERSON_TOKEN), () => open());

testSource(withAppToken(outlookMail), async () => {
  const { peer, credentials, settings } = await open(true);
  settings.largestPage = 1000;
  return {
    credentials,
    config: {},
    operatorBaseUrl: peer.baseUrl,
    close: peer.close,
    wrong: [
      {
        name: 'mailbox',
        config: { mailboxes: ['nobody@acme.example'] },
        kind: 'config',
        says: /the organization has no person 'nobody@acme.example'/,
      },
    ],
  };
});
