/** The contract of Notion. Its document describes requests well, and most answers not at all. */
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
};
