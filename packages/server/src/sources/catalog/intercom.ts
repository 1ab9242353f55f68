/** This source reads the conversations, tickets and help center of an Intercom workspace. */
import { z } from 'zod';
import { secret } from '../define.ts';
import { Me } from '../intercom/answers.ts';
import { hydrated } from '../intercom/hydrate.ts';
import { IntercomCursor, pulled } from '../intercom/pull.ts';
import { apiOf, REGIONS, siteOf } from '../intercom/regions.ts';
import { cloudSource } from '../kit/cloud-source.ts';
import { bearer } from '../kit/sign.ts';

const State = z.string().meta({ title: 'State', description: 'Such as open, closed or snoozed.' });
const Assignee = z
  .string()
  .nullable()
  .meta({ title: 'Assignee', description: 'Name of the teammate to whom it is assigned.' });

export const intercom = cloudSource({
  shortName: 'intercom',
  name: 'Intercom',
  description:
    'Conversations with their messages and notes, tickets, and the articles of the help center.',
  labels: ['Customer Support', 'CRM'],
  auth: {
    direct: {
      fields: z.object({
        access_token: secret('Access token', 'Access token of an app in your workspace.'),
      }),
      sign: { headers: ({ access_token }) => bearer(access_token) },
    },
    oauth: {
      authorizeUrl: ({ region }) => `${siteOf(region)}/oauth`,
      tokenUrl: ({ region }) => `${apiOf(region)}/auth/eagle/token`,
      // The app has its permissions in the Developer Hub, so a sign-in asks for none.
      scopes: [],
      refresh: 'never',
    },
  },
  api: {
    baseUrl: apiOf('us'),
    alsoAt: REGIONS.map(apiOf),
    headers: { 'intercom-version': '2.15' },
    /** Every answer says when the limit is reset, so the header means something only once nothing is left. */
    retryAfter(headers, now) {
      const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN);
      if (headers.get('x-ratelimit-remaining') !== '0' || Number.isNaN(reset)) return undefined;
      return Math.max(0, reset - now / 1000);
    },
  },
  config: z.strictObject({
    region: z.enum(REGIONS).default('us').meta({
      title: 'Region',
      description: 'Where the workspace is hosted: us, eu or au.',
    }),
    exclude_closed_conversations: z.boolean().default(false).meta({
      title: 'Exclude closed conversations',
      description: 'Copies only conversations that are open or snoozed.',
    }),
  }),
  cursor: IntercomCursor,
  deletions: 'listed',
  entities: {
    IntercomConversation: z.object({
      state: State,
      channel: z.string().meta({ title: 'Channel', description: 'Such as conversation or email.' }),
      started_by: z.string().nullable().meta({
        title: 'Started by',
        description: 'Name of the author of the first message.',
      }),
      assignee: Assignee,
      tags: z.array(z.string()).meta({ title: 'Tags', description: 'Names of the tags.' }),
      is_priority: z.boolean().meta({
        title: 'Priority',
        description: 'Whether the conversation is marked as a priority.',
      }),
    }),
    IntercomTicket: z.object({
      number: z
        .string()
        .meta({ title: 'Number', description: 'Number of the ticket in the inbox.' }),
      ticket_type: z.string().meta({ title: 'Type', description: 'Name of the ticket type.' }),
      category: z.string().meta({
        title: 'Category',
        description: 'Customer, Back-office or Tracker.',
      }),
      state: z.string().meta({ title: 'State', description: 'State, as teammates see it.' }),
      is_open: z.boolean().meta({ title: 'Open', description: 'Whether the ticket is open.' }),
      assignee: Assignee,
    }),
    IntercomCollection: z.object({}),
    IntercomArticle: z.object({
      state: z.string().meta({ title: 'State', description: 'published or draft.' }),
      author: z.string().nullable().meta({ title: 'Author', description: 'Name of the author.' }),
    }),
  },
  evidence: [{ class: 'C', by: 'the OpenAPI document of the Intercom API', asOf: '2026-08-21' }],
  limits: '10,000 requests a minute for each app',
  rateLimitLevel: 'org',

  /** An access token without a person is that of the workspace. */
  async account({ http, config }) {
    const { value } = await http.json({ path: `${apiOf(config.region)}/me` }, Me);
    return value.email || value.app?.name || 'Intercom';
  },
  pull: pulled,
  hydrate: hydrated,
});
