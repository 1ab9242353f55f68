/** This source reads a workspace of Linear: issues with their comments, projects and documents. */
import { z } from 'zod';
import { secret } from '../define.ts';
import { cloudSource } from '../kit/cloud-source.ts';
import type { Http } from '../kit/http.ts';
import { checkTeams, members, pull, teamsOf } from '../linear/pull.ts';
import { entities } from '../linear/records.ts';
import { refusal, retryAfter } from '../linear/refusal.ts';

const Account = z.object({
  viewer: z.object({ email: z.string() }),
  organization: z.object({ id: z.string(), urlKey: z.string() }),
});
const accountOf = (http: Http) =>
  http.graphql('query { viewer { email } organization { id urlKey } }', {}, Account);

export const linear = cloudSource({
  shortName: 'linear',
  name: 'Linear',
  description: 'Issues with their comments, projects and documents.',
  labels: ['Project Management', 'Issues'],
  auth: {
    direct: {
      fields: z.object({ api_key: secret('API key', 'A personal API key that may read.') }),
      sign: { headers: ({ api_key }) => ({ authorization: api_key }) },
    },
    oauth: {
      authorizeUrl: 'https://linear.app/oauth/authorize',
      tokenUrl: 'https://api.linear.app/oauth/token',
      scopes: ['read'],
      separator: ',',
      refresh: 'rotating',
    },
  },
  api: {
    baseUrl: 'https://api.linear.app',
    refusal,
    retryAfter,
  },
  config: z.strictObject({
    teams: z.array(z.string().min(1).max(20)).min(1).max(250).optional().meta({
      title: 'Teams',
      description:
        'Keys of teams, such as ENG. Without this setting, all teams that the account sees are read.',
      options: true,
    }),
  }),
  cursor: z.strictObject({ updatedAt: z.string() }),
  // Linear reports neither deleted comments nor records that the account may no longer see: a full pull finds them.
  deletions: 'listed',
  entities,
  limits: '5,000 requests an hour',
  evidence: [
    { class: 'C', by: 'the Linear GraphQL schema', asOf: '2026-07-22' },
    { class: 'B', by: 'the sign-in pages of emulate', asOf: '0.12.2' },
  ],
  rateLimitLevel: 'connection',

  async account({ http }) {
    const { viewer, organization } = await accountOf(http);
    return `${viewer.email} in ${organization.urlKey}`;
  },

  check: ({ http, config }) => checkTeams(http, config.teams),

  pull,

  members: ({ http }) => members(http),

  groupScope: async ({ http }) => (await accountOf(http)).organization.id,

  async options({ http }, { query, limit }) {
    const named = { containsIgnoreCase: query };
    const teams = await teamsOf(http, { or: [{ name: named }, { key: named }] });
    return teams.slice(0, limit).map(({ key, name }) => ({ value: key, title: name }));
  },
});
