/** Says which records the source makes of the company's mail in Gmail: of one person, and of the organization. */
import type { PeerRequest } from './cloud-peer.ts';
import { type GmailRecord, openGmailCompany } from './gmail-company.ts';

const idWithout =
  (excluded: readonly string[]) =>
  ({ kind, mailbox, messageId, partId, labels }: GmailRecord): string | null => {
    if (kind === 'thread' || excluded.some((label) => labels.includes(label))) return null;
    return [mailbox, messageId, ...(partId === null ? [] : [partId])].join('/');
  };

/** The id of an attachment is another one in each answer. */
const nameOf = ({ url }: PeerRequest): string => url.href.replace(/(?<=\/attachments\/).*$/, '');

export const openGmailOfPerson = async () => ({
  ...(await openGmailCompany({
    recordId: idWithout(['SPAM', 'TRASH']),
    // A draft that is edited is another message then, so drafts show more changes.
    config: { excluded_labels: ['spam', 'trash'] },
  })),
  nameOf,
});

export const openGmailOfOrganization = async () => ({
  ...(await openGmailCompany({
    recordId: idWithout(['SPAM', 'TRASH', 'DRAFT']),
    config: { all_users: true },
    isOrganization: true,
  })),
  nameOf,
});
