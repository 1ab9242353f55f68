/**
 * The contract of Notion. Its document describes requests well, and most answers not at all: the types of Notion's own
 * client describe these.
 */
import { gets, type HttpContract } from '../contract.ts';

const OPERATIONS = [
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

export const NOTION: HttpContract = {
  title: 'Notion API',
  origin: {
    address:
      'https://github.com/makenotion/notion-mcp-server/blob/main/scripts/notion-openapi.json',
    date: '2026-07-25',
    license: 'MIT',
    file: 'notion.json',
  },
  operations: OPERATIONS,
  answersBy: 'notion-client',
  amendments: [
    {
      reason: 'The document lists no fields of the errors of these operations.',
      open: ['GET /v1/users', 'GET /v1/users/{user_id}'],
    },
    {
      reason:
        'Errors carry the id of the request (https://developers.notion.com/reference/status-codes, and @notionhq/client).',
      everywhere: '^request_id$',
    },
    {
      reason: 'Queries may also be sorted by a time, as the types of @notionhq/client say.',
      adds: {
        sortObject: { timestamp: { type: 'string', enum: ['created_time', 'last_edited_time'] } },
      },
      optional: ['property'],
    },
  ],
};

const TYPES = {
  'GET /v1/blocks/{block_id}': 'GetBlockResponse',
  'GET /v1/blocks/{block_id}/children': 'ListBlockChildrenResponse',
  'GET /v1/comments': 'ListCommentsResponse',
  'GET /v1/data_sources/{data_source_id}': 'GetDataSourceResponse',
  'GET /v1/databases/{database_id}': 'GetDatabaseResponse',
  'GET /v1/pages/{page_id}': 'GetPageResponse',
  'GET /v1/pages/{page_id}/properties/{property_id}': 'GetPagePropertyResponse',
  'GET /v1/users': 'ListUsersResponse',
  'GET /v1/users/me': 'GetSelfResponse',
  'GET /v1/users/{user_id}': 'GetUserResponse',
  'POST /v1/data_sources/{data_source_id}/query': 'QueryDataSourceResponse',
  'POST /v1/search': 'SearchResponse',
};

export const NOTION_CLIENT: HttpContract = {
  title: 'the types of @notionhq/client 5.26.0',
  origin: {
    address: 'https://github.com/makenotion/notion-sdk-js',
    date: '2026-08-21',
    license: 'MIT',
    npm: '@notionhq/client@5.26.0',
    file: 'notion-client-types.json',
    generated: {
      by: ['ts-json-schema-generator@2.10.0', 'typescript@5.9.3'],
      from: 'build/src/api-endpoints.d.ts',
    },
  },
  operations: Object.keys(TYPES),
  types: TYPES,
};
