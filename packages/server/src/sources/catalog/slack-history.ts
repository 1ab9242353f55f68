/** This source copies the channels of a workspace of Slack of which an app is a member. */
import { z } from 'zod';
import { secret } from '../define.ts';
import { cloudSource } from '../kit/cloud-source.ts';
import { eachOf } from '../kit/listing.ts';
import { bearer } from '../kit/sign.ts';
import { accountOf, channelsOf, checkChoice, scopesFor, selfOf } from '../slack/api.ts';
import { fileOf } from '../slack/files.ts';
import { members } from '../slack/members.ts';
import { pullAll, pullChanges, SlackCursor } from '../slack/pull.ts';
import { chosenOf, openReader } from '../slack/reader.ts';
import { entities } from '../slack/records.ts';
import { refusal } from '../slack/refusal.ts';

const DAY = 86_400;
const Config = z.strictObject({
  channels: z.array(z.string().min(1).max(100)).max(1000).default([]).meta({
    title: 'Channels',
    description:
      'Ids of channels, such as C0123ABCD. Without any, all channels are read of which the app is a member.',
    options: true,
  }),
  private_channels: z.boolean().default(true).meta({
    title: 'Private channels',
    description:
      'Reads private channels of which the app is a member. Without them, the app needs no scopes for groups.',
  }),
  days: z.number().int().min(1).max(36_500).optional().meta({
    title: 'Days',
    description:
      'Reads only messages of the last so many days, and the threads that began there. Without it, the whole history is read.',
  }),
});

export const slackHistory = cloudSource({
  shortName: 'slack_history',
  name: 'Slack history',
  description: 'Messages, threads and files of the channels of Slack to which an app is invited.',
  labels: ['Messaging'],
  auth: {
    direct: {
      fields: z.object({
        access_token: secret('Bot token', 'The bot token of an app of your own: xoxb-…'),
      }),
      sign: { headers: ({ access_token }) => bearer(access_token) },
    },
    oauth: {
      authorizeUrl: 'https://slack.com/oauth/v2/authorize',
      tokenUrl: 'https://slack.com/api/oauth.v2.access',
      scopes: [...scopesFor(true), 'usergroups:read'],
      separator: ',',
      // An app without token rotation gets no refresh token.
      refresh: 'rotating',
      pkce: false,
      tokenType: 'bot',
    },
  },
  api: { baseUrl: 'https://slack.com', alsoAt: ['https://files.slack.com'], refusal },
  config: Config,
  cursor: SlackCursor,
  // Slack tells of no deletion.
  deletions: 'listed',
  entities,
  files: 'those in messages that Slack hosts',
  limits: '50 requests a minute for each method, for an app of your own',
  evidence: [
    { class: 'C', by: "Slack's OpenAPI document of the Slack Web API", asOf: '2021-09-07' },
    { class: 'D', by: '@slack/web-api', asOf: '8.2.0' },
  ],
  rateLimitLevel: 'org',

  account: ({ http }) => accountOf(http),
  check: ({ http, config }) => checkChoice(http, config),

  async *pull({ http, config, cursor, bookmark }) {
    const now = Math.floor(Date.now() / 1000);
    const reader = await openReader(http, config);
    const oldest = config.days === undefined ? 0 : (Math.floor(now / DAY) - config.days) * DAY;
    const pull = { reader, oldest, now };
    yield* cursor ? pullChanges(pull, cursor) : pullAll(pull, bookmark);
  },

  hydrate: ({ http }, stubs) => eachOf(stubs, 4, (stub) => fileOf(http, stub)),

  members: ({ http, config }) => members(http, config),

  groupScope: async ({ http }) => (await selfOf(http)).team_id,

  async options({ http, config }) {
    const choice = { channels: [], private_channels: config.private_channels ?? true };
    const channels = chosenOf(await channelsOf(http, choice), choice);
    return channels.map(({ id, name }) => ({ value: id, title: `#${name}` }));
  },
});
