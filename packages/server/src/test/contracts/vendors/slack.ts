/** The contract of Slack. Its document is of 2021 and archived: the shapes are right, but newer methods and fields are missing. */
import { gets, type HttpContract } from '../contract.ts';

const LISTS = [
  'GET /api/conversations.history',
  'GET /api/conversations.list',
  'GET /api/conversations.replies',
  'GET /api/users.conversations',
  'GET /api/users.list',
];

export const SLACK: HttpContract = {
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
      reason: 'Slack refuses with {"ok": false}, for more reasons than the document of 2021 knows.',
      refusesWith200: true,
      anyValue: ['error'],
    },
    {
      reason: 'Each page tells the next cursor (https://docs.slack.dev/apis/web-api/pagination).',
      adds: Object.fromEntries(
        LISTS.map((key) => [
          key,
          { response_metadata: { $ref: '#/schemas/objs_response_metadata' } },
        ]),
      ),
      emptyLists: true,
    },
    {
      reason:
        'Messages have these fields, and threads have messages as histories have them (https://docs.slack.dev/reference/events/message).',
      adds: {
        objs_message: {
          edited: {
            type: 'object',
            properties: { user: { type: 'string' }, ts: { $ref: '#/schemas/defs_ts' } },
            required: ['user', 'ts'],
          },
          hidden: { type: 'boolean' },
        },
        'GET /api/conversations.replies': {
          messages: { type: 'array', items: { $ref: '#/schemas/objs_message' } },
        },
      },
    },
    {
      reason:
        'A refusal of any method names the scope that it needs (https://docs.slack.dev/authentication/tokens).',
      everywhere: '^(needed|provided)$',
    },
  ],
};
