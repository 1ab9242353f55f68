/**
 * The contracts of Jira and Confluence. Their documents are made of the zod schemas of maintained clients, which know
 * today's search of Jira: most collections of documents still have the one that Atlassian has removed.
 */
import { gets, type HttpContract } from '../contract.ts';
import type { JsonSchema } from '../json-schema.ts';

const ref = (name: string): JsonSchema => ({ $ref: `#/schemas/${name}` });
const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });
const listOf = (name: string): JsonSchema => ({ type: 'array', items: ref(name) });
const TEXT: JsonSchema = { type: 'string' };

/** The clients have no schema of the fields of an issue, because administrators choose them. */
const FIELDS = {
  assignee: orNull(ref('UserDetails')),
  attachment: listOf('Attachment'),
  comment: ref('PageOfComments'),
  components: listOf('ProjectComponent'),
  created: TEXT,
  creator: orNull(ref('UserDetails')),
  description: orNull(ref('Document')),
  duedate: orNull(TEXT),
  environment: orNull(ref('Document')),
  fixVersions: listOf('Version'),
  issuelinks: listOf('IssueLink'),
  issuetype: ref('IssueTypeDetails'),
  labels: { type: 'array', items: TEXT },
  parent: ref('LinkedIssue'),
  priority: orNull(ref('Priority')),
  project: ref('Project'),
  reporter: orNull(ref('UserDetails')),
  resolution: orNull(ref('Resolution')),
  resolutiondate: orNull(TEXT),
  security: orNull(ref('SecurityLevel')),
  status: ref('StatusDetails'),
  subtasks: listOf('LinkedIssue'),
  summary: TEXT,
  updated: TEXT,
};
const ATTACHMENT = 'GET /rest/api/3/attachment/content/{id}';

export const JIRA: HttpContract = {
  title: 'the zod schemas of jira.js 6.2.0',
  origin: {
    address: 'https://github.com/MrRefactoring/jira.js',
    date: '2026-09-16',
    isUndated: true,
    license: 'MIT',
    npm: 'jira.js@6.2.0',
    file: 'dist/cloud/index.js',
    zod: { errors: 'ErrorCollection' },
  },
  operations: [
    ...gets('/rest/api/3', [
      '/applicationrole/{key}',
      '/attachment/content/{id}',
      '/attachment/{id}',
      '/field',
      '/group/member',
      '/issue/{issueIdOrKey}',
      '/issue/{issueIdOrKey}/comment',
      '/issue/{issueIdOrKey}/comment/{id}',
      '/issuesecurityschemes',
      '/issuesecurityschemes/{id}',
      '/issuesecurityschemes/{issueSecuritySchemeId}/members',
      '/mypermissions',
      '/myself',
      '/permissionscheme/{schemeId}',
      '/project/search',
      '/project/{projectIdOrKey}',
      '/project/{projectIdOrKey}/role',
      '/project/{projectIdOrKey}/role/{id}',
      '/project/{projectKeyOrId}/issuesecuritylevelscheme',
      '/project/{projectKeyOrId}/permissionscheme',
      '/role',
      '/role/{id}',
      '/role/{id}/actors',
      '/search/jql',
      '/serverInfo',
      '/user',
      '/users/search',
    ]),
    'POST /rest/api/3/search/jql',
  ],
  schemas: ['Attachment', 'IssueLink', 'LinkedIssue', 'Priority', 'Resolution'],
  amendments: [
    {
      reason:
        'An issue has these fields, and those that administrators add (https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues).',
      adds: {
        Issue: {
          fields: {
            type: 'object',
            properties: FIELDS,
            patternProperties: { '^customfield_\\d+$': true },
          } as JsonSchema,
        },
        PageOfComments: { self: TEXT },
      },
    },
    {
      reason: 'The answer is the file, or a redirect to it.',
      files: { [ATTACHMENT]: () => true },
    },
    {
      reason:
        'The clients know the names of permissions and of roles, and not what stands below them.',
      loose: ['GET /rest/api/3/project/{projectIdOrKey}/role'],
    },
  ],
};

const CONFLUENCE_ORIGIN = {
  address: 'https://github.com/MrRefactoring/confluence.js',
  date: '2026-09-23',
  isUndated: true,
  license: 'MIT',
  npm: 'confluence.js@3.2.0',
  zod: {},
} as const;

export const CONFLUENCE: HttpContract = {
  title: 'the zod schemas of confluence.js 3.2.0, API v2',
  origin: { ...CONFLUENCE_ORIGIN, file: 'dist/v2/index.js' },
  operations: [
    ...gets('/wiki/api/v2', [
      '/attachments',
      '/attachments/{id}',
      '/blogposts',
      '/blogposts/{id}',
      '/blogposts/{id}/attachments',
      '/blogposts/{id}/footer-comments',
      '/blogposts/{id}/inline-comments',
      '/databases/{id}',
      '/embeds/{id}',
      '/folders/{id}',
      '/footer-comments',
      '/footer-comments/{commentId}',
      '/footer-comments/{id}/children',
      '/inline-comments',
      '/inline-comments/{commentId}',
      '/inline-comments/{id}/children',
      '/pages',
      '/pages/{id}',
      '/pages/{id}/ancestors',
      '/pages/{id}/attachments',
      '/pages/{id}/footer-comments',
      '/pages/{id}/inline-comments',
      '/pages/{id}/labels',
      '/pages/{id}/versions',
      '/spaces',
      '/spaces/{id}',
      '/spaces/{id}/blogposts',
      '/spaces/{id}/pages',
      '/spaces/{id}/permissions',
      '/whiteboards/{id}',
    ]),
    'POST /wiki/api/v2/users-bulk',
  ],
};

export const CONFLUENCE_V1: HttpContract = {
  title: 'the zod schemas of confluence.js 3.2.0, API v1',
  origin: { ...CONFLUENCE_ORIGIN, file: 'dist/v1/index.js' },
  operations: [
    ...gets('/wiki/rest/api', [
      '/content/search',
      '/content/{id}/child/attachment/{attachmentId}/download',
      '/content/{id}/restriction',
      '/content/{id}/restriction/byOperation',
      '/content/{id}/restriction/byOperation/{operationKey}',
      '/group',
      '/group/{groupId}/membersByGroupId',
      '/search',
      '/settings/systemInfo',
      '/user',
      '/user/current',
    ]),
    'POST /wiki/rest/api/content/{id}/permission/check',
  ],
};
