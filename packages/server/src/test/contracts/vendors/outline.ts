/** The contract of Outline. All methods are POSTs, and the addresses in the document end with `/api`. */
import type { HttpContract } from '../contract.ts';

const METHODS = [
  'attachments.redirect',
  'auth.info',
  'collections.group_memberships',
  'collections.list',
  'collections.memberships',
  'comments.list',
  'documents.archived',
  'documents.deleted',
  'documents.group_memberships',
  'documents.info',
  'documents.list',
  'documents.memberships',
  'groups.list',
  'groups.memberships',
  'users.list',
];
const operationOf = (method: string) => `POST /api/${method}`;

export const OUTLINE: HttpContract = {
  title: 'Outline API',
  origin: {
    address: 'https://github.com/outline/openapi/blob/main/spec3.yml',
    date: '2026-08-22',
    license: 'BSD-3-Clause',
    file: 'outline.yml',
  },
  operations: METHODS.map(operationOf),
  amendments: [
    {
      reason: 'The introduction of the document says that every answer has `ok` and `status`.',
      everywhere: '^(ok|status)$',
    },
    {
      reason: 'The introduction says that `pagination` also has the path of the next page.',
      adds: { Pagination: { nextPath: { type: 'string' } } },
    },
    {
      reason:
        'The answer of this list has `pagination`, and lists take `limit` and `offset` as the introduction says.',
      takes: { 'POST /api/documents.memberships': ['offset', 'limit'] },
    },
    {
      reason: 'A private collection has no permission (Outline, server/models/Collection.ts).',
      adds: { Collection: { permission: { enum: ['read', 'read_write', null] } } },
    },
  ],
};
