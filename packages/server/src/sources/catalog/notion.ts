/** This source reads the pages and databases of Notion that are shared with an integration. */
import { z } from 'zod';
import { secret } from '../define.ts';
import { cloudSource } from '../kit/cloud-source.ts';
import { bearer } from '../kit/sign.ts';
import { accountOf, checkShared } from '../notion/api.ts';
import { CONCURRENCY, hydrate } from '../notion/hydrate.ts';
import { NotionCursor } from '../notion/memory.ts';
import { pull } from '../notion/pull.ts';
import { entities } from '../notion/records.ts';
import { refusal } from '../notion/refusal.ts';

export const notion = cloudSource({
  shortName: 'notion',
  name: 'Notion',
  description: 'Pages, databases with their rows, comments and files of a Notion workspace.',
  labels: ['Knowledge Base'],
  auth: {
    direct: {
      fields: z.object({
        api_key: secret('Integration secret', 'The secret of an internal integration.'),
      }),
      sign: { headers: ({ api_key }) => bearer(api_key) },
    },
    oauth: {
      authorizeUrl: 'https://api.notion.com/v1/oauth/authorize',
      tokenUrl: 'https://api.notion.com/v1/oauth/token',
      // An integration has capabilities, which are set at Notion, and no scopes.
      scopes: [],
      params: { owner: 'user' },
      clientAuth: 'basic',
      refresh: 'rotating',
    },
  },
  api: {
    baseUrl: 'https://api.notion.com',
    headers: { 'notion-version': '2025-09-03' },
    concurrency: CONCURRENCY,
    refusal,
  },
  config: z.strictObject({}),
  cursor: NotionCursor,
  // A search does not tell what is gone, except for records in the trash that it may still list.
  deletions: 'listed',
  entities,
  files: 'those in pages and properties that Notion hosts',
  limits: '3 requests a second',
  evidence: [
    { class: 'C', by: "Notion's OpenAPI document of the Notion API", asOf: '2026-07-25' },
    { class: 'D', by: '@notionhq/client', asOf: '5.26.0' },
  ],
  rateLimitLevel: 'connection',

  account: ({ http }) => accountOf(http),
  check: ({ http }) => checkShared(http),
  pull,
  hydrate: (_, stubs) => hydrate(stubs),
});
