/** This source searches messages of Slack with Slack's own search, as a person. Nothing is copied. */
import { z } from 'zod';
import { secret } from '../define.ts';
import { cloudSource } from '../kit/cloud-source.ts';
import { searchWords } from '../kit/search-words.ts';
import { bearer } from '../kit/sign.ts';
import { Found } from '../slack/answer.ts';
import { accountOf } from '../slack/api.ts';
import { MessageFields, ofMatch } from '../slack/records.ts';
import { refusal } from '../slack/refusal.ts';

/** Slack gives at most this many matches a page. */
const MAX_MATCHES = 100;
const MAX_QUERY_LENGTH = 256;

/** A person's token is not at the place where OAuth has it, which holds the token of a bot. */
const PersonTokens = z.object({
  authed_user: z.object({
    access_token: z.string(),
    refresh_token: z.string().optional(),
    expires_in: z.number().optional(),
    scope: z.string().optional(),
    token_type: z.string().optional(),
  }),
});

export const slack = cloudSource({
  shortName: 'slack',
  name: 'Slack',
  description: 'Messages of Slack, searched live as a person: nothing of them is copied.',
  labels: ['Messaging'],
  auth: {
    direct: {
      fields: z.object({
        access_token: secret('Access token', 'The user token of an app with search:read: xoxp-…'),
      }),
      sign: { headers: ({ access_token }) => bearer(access_token) },
    },
    oauth: {
      authorizeUrl: 'https://slack.com/oauth/v2/authorize',
      tokenUrl: 'https://slack.com/api/oauth.v2.access',
      // These would be the scopes of a bot.
      scopes: [],
      params: { user_scope: 'search:read' },
      refresh: 'never',
      pkce: false,
      tokenType: 'user',
      tokens: PersonTokens.transform(({ authed_user }) => authed_user),
    },
  },
  // A search fails at once when Slack asks us to wait, because a person waits for the result.
  api: { baseUrl: 'https://slack.com', patience: 0, refusal },
  config: z.strictObject({}),
  entities: { SlackMessage: MessageFields },
  limits: '20 searches a minute',
  evidence: [
    { class: 'C', by: "Slack's OpenAPI document of the Slack Web API", asOf: '2021-09-07' },
    { class: 'D', by: '@slack/web-api', asOf: '8.2.0' },
  ],
  rateLimitLevel: 'org',

  account: ({ http }) => accountOf(http),

  async check({ http }) {
    await http.json(searchOf('hello', 1), Found);
  },

  async search({ http }, query, limit) {
    const words = searchWords(query, MAX_QUERY_LENGTH);
    if (words === null) return [];
    const { value } = await http.json(searchOf(words, limit), Found);
    const { matches } = value.messages;
    const people = new Map(matches.map(({ user, username }) => [user, username]));
    const names = {
      user: (id: string) => people.get(id) ?? '',
      channel: () => '',
      group: () => '',
    };
    return matches.slice(0, limit).map((match) => ofMatch(match, names));
  },
});

const searchOf = (query: string, limit: number) => ({
  path: 'api/search.messages',
  query: { query, count: Math.min(limit, MAX_MATCHES) },
});
