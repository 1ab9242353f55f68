/** This source reads a workspace of Outline: collections, documents with their attachments, and comments. */
import { z } from 'zod';
import { secret } from '../define.ts';
import { cloudSource } from '../kit/cloud-source.ts';
import { eachOf } from '../kit/listing.ts';
import { bearer } from '../kit/sign.ts';
import { members } from '../outline/access.ts';
import { authOf, CONCURRENCY, collectionsOf } from '../outline/api.ts';
import { OutlineCursor, pull } from '../outline/pull.ts';
import { entities, readFile } from '../outline/records.ts';
import { checkCollections } from '../outline/workspace.ts';
import { ServiceUrl } from '../service-url.ts';

const addressOf = (url: string, path: string): string => `${url.replace(/\/+$/, '')}/${path}`;

export const outline = cloudSource({
  shortName: 'outline',
  name: 'Outline',
  description: 'Collections, documents with their attachments, and comments of an Outline wiki.',
  labels: ['Knowledge Base'],
  auth: {
    direct: {
      fields: z.object({ api_key: secret('API key', 'An API key that may read.') }),
      sign: { headers: ({ api_key }) => bearer(api_key) },
    },
    oauth: {
      authorizeUrl: ({ url }) => addressOf(url, 'oauth/authorize'),
      tokenUrl: ({ url }) => addressOf(url, 'oauth/token'),
      scopes: ['read'],
      // The document does not say whether a refresh token works twice. With 'rotating' it need not.
      refresh: 'rotating',
    },
  },
  mayBeInternal: true,
  api: { baseUrl: ({ url }) => addressOf(url, 'api'), concurrency: CONCURRENCY },
  config: z.strictObject({
    url: ServiceUrl.default('https://app.getoutline.com').meta({
      title: 'Address',
      description: 'Address of Outline, such as https://wiki.example.com for one that you host.',
      address: true,
    }),
    collections: z.array(z.string().min(1).max(100)).min(1).max(250).optional().meta({
      title: 'Collections',
      description:
        'Ids of the collections to copy. Without this setting, all are copied that the account sees.',
      options: true,
    }),
  }),
  cursor: OutlineCursor,
  // A full pull finds deleted comments, and what the account may no longer see.
  deletions: 'listed',
  entities,
  files: 'attachments of documents',
  evidence: [{ class: 'C', by: 'the OpenAPI document of the Outline API', asOf: '2026-08-22' }],
  rateLimitLevel: 'connection',

  async account({ http }) {
    const { user, team } = await authOf(http);
    return `${user.email ?? user.name} in ${team.name}`;
  },
  check: (ctx) => checkCollections(ctx),
  pull: (ctx) => pull(ctx),
  hydrate: ({ http }, stubs) => eachOf(stubs, CONCURRENCY, (stub) => readFile(http, stub)),
  members: ({ http }) => members(http),
  /** The scope also names the host of the configuration, because another server could claim the id of a team. */
  groupScope: async ({ http, config }) =>
    `${(await authOf(http)).team.id}@${new URL(config.url).host}`,
  options: async ({ http }) =>
    (await collectionsOf(http)).map(({ id, name }) => ({ value: id, title: name })),
});
