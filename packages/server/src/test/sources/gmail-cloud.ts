/** Says which records the source makes of the company's mail in Gmail: of one person, and of the organization. */
import type { PeerRequest } from './cloud-peer.ts';
import { type GmailCompanyOptions, openGmailCompany } from './gmail-company.ts';
import type { GmailRecord } from './gmail-words.ts';
import type { Resync } from './resync.ts';

const idWithout =
  (excluded: readonly string[]) =>
  ({ kind, mailbox, messageId, partId, labels }: GmailRecord): string | null => {
    if (kind === 'thread' || excluded.some((label) => labels.includes(label))) return null;
    return [mailbox, messageId, ...(partId === null ? [] : [partId])].join('/');
  };

/** The id of an attachment is another one in each answer. */
const nameOf = ({ url }: PeerRequest): string => url.href.replace(/(?<=\/attachments\/).*$/, '');

async function openCloud(options: GmailCompanyOptions) {
  const company = await openGmailCompany(options);
  const { mine, say } = company;
  const resync: Resync = {
    widen() {
      company.settings.largestPage = 500;
    },
    grow: () =>
      company.inPast(() => {
        const message = say(mine, { files: 2, mails: 1 });
        say(mine, { thread: message, from: mine.email, to: 'bob@acme.example', labels: ['SENT'] });
      }),
  };
  return { ...company, nameOf, resync };
}

export const openGmailOfPerson = () =>
  openCloud({
    recordId: idWithout(['SPAM', 'TRASH']),
    // A draft that is edited is another message then, so drafts show more changes.
    config: { excluded_labels: ['spam', 'trash'] },
  });

export const openGmailOfOrganization = () =>
  openCloud({
    recordId: idWithout(['SPAM', 'TRASH', 'DRAFT']),
    config: { all_users: true },
    isOrganization: true,
  });
