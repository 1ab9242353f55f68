/** This source copies categories, topics and posts of a forum that runs Discourse. */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import { secret } from '../define.ts';
import { Refusal } from '../discourse/answers.ts';
import { aboutOf, siteOf } from '../discourse/categories.ts';
import { DiscourseConfig, DiscourseCursor } from '../discourse/config.ts';
import { members } from '../discourse/members.ts';
import { pull } from '../discourse/pull.ts';
import { cloudSource } from '../kit/cloud-source.ts';

const author = z.string().meta({ title: 'Author', description: 'User name of the author.' });
const category = z.string().meta({ title: 'Category', description: 'Name of the category.' });

export const discourse = cloudSource({
  shortName: 'discourse',
  name: 'Discourse',
  description: 'Categories, topics and posts of a forum, with who may see them.',
  labels: ['Messaging'],
  auth: {
    direct: {
      fields: z.strictObject({
        api_key: secret('API key', 'A read-only key, made by an admin of the forum.'),
        api_username: z.string().min(1).max(255).meta({
          title: 'User name',
          description: 'The user as whom the forum is read, such as system.',
        }),
      }),
      sign: {
        headers: ({ api_key, api_username }) => ({
          'api-key': api_key,
          'api-username': api_username,
        }),
      },
    },
  },
  mayBeInternal: true,
  api: {
    baseUrl: ({ url }) => url,
    headers: { accept: 'application/json' },
    refusal({ status, body }) {
      const { data } = Refusal.safeParse(body);
      const said = data?.errors[0] ?? '';
      // A refused key and a page that the user may not see have the same status and type. The sentence of the first one
      // speaks of the API in every language.
      if (status === 403 && (data?.error_type === 'not_logged_in' || /\bAPI\b/.test(said)))
        return new SourceError('auth', `the forum refuses the key or the user name: ${said}`);
      if (status === 429 && data?.extras)
        return new SourceError('rate_limited', `the forum asks to wait: ${said}`, {
          retryAfter: data.extras.wait_seconds,
        });
      return undefined;
    },
  },
  config: DiscourseConfig,
  cursor: DiscourseCursor,
  deletions: 'listed',
  entities: {
    DiscourseCategory: z.object({
      restricted: z.boolean().meta({
        title: 'Restricted',
        description: 'Whether only some groups see the category.',
      }),
    }),
    DiscourseTopic: z.object({ author, category }),
    DiscoursePost: z.object({
      author,
      category,
      number: z.int().meta({ title: 'Number', description: 'Number of the post in its topic.' }),
      answers: z.int().nullable().meta({
        title: 'Answers',
        description: 'Number of the post that this one answers, if it answers a certain one.',
      }),
    }),
  },
  limits:
    '60 requests a minute for all API keys of a forum, unless its operator sets another number',
  evidence: [{ class: 'C', by: 'the OpenAPI document of the Discourse API', asOf: '2026-08-20' }],
  rateLimitLevel: 'connection',

  /** The address of the list of categories needs the key, while the title of the forum needs none. */
  async account({ http }) {
    await siteOf(http);
    return (await aboutOf(http)).title;
  },
  async check({ http, config }) {
    const { categories } = await siteOf(http);
    const ids = new Set(categories.map(({ id }) => String(id)));
    const unknown = config.categories.find((id) => !ids.has(id));
    if (unknown === undefined) return;
    throw new SourceError('config', `the forum does not show the category '${unknown}'`, {
      hint: 'Give ids of categories that the user of the key sees.',
    });
  },
  pull,
  members,
  /** Names of groups are unique within a forum. */
  async groupScope({ config }) {
    const { host, pathname } = new URL(config.url);
    return `${host}${pathname}`.replace(/\/+$/, '');
  },
  async options({ http }) {
    const { categories } = await siteOf(http);
    return categories.map(({ id, name, description_text }) => ({
      value: String(id),
      title: name,
      description: description_text || undefined,
    }));
  },
});
