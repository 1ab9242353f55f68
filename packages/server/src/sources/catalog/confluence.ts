/** This source copies the spaces of a site of Confluence Cloud. */
import { z } from 'zod';
import { ATLASSIAN_LIMITS, atlassianApi, atlassianAuth } from '../atlassian/sign-in.ts';
import { AtlassianConfig, groupHost, siteOptions } from '../atlassian/site.ts';
import { selfOf, spacesOf } from '../confluence/api.ts';
import { checkChoice, members, openSite } from '../confluence/connect.ts';
import { hydrate } from '../confluence/hydrate.ts';
import { ConfluenceCursor, pull } from '../confluence/pull.ts';
import { entities } from '../confluence/records.ts';
import { special } from '../confluence/refusal.ts';
import { cloudSource } from '../kit/cloud-source.ts';

/** Both versions of the API accept these scopes, which allow only reading. */
const SCOPES = [
  ...['space', 'page', 'folder', 'database', 'whiteboard', 'embed', 'comment', 'attachment'],
  ...['content-details', 'content.restriction', 'content.permission', 'user', 'group'],
].map((what) => `read:${what}:confluence`);

export const confluence = cloudSource({
  shortName: 'confluence',
  name: 'Confluence',
  description: 'Spaces, pages, blog posts, comments and attachments of Confluence Cloud.',
  labels: ['Knowledge Base'],
  auth: atlassianAuth(SCOPES),
  api: atlassianApi({ name: 'Confluence', scopes: SCOPES, special }),
  config: AtlassianConfig.extend({
    spaces: z.array(z.string().min(1).max(255)).max(100).default([]).meta({
      title: 'Spaces',
      description:
        'Keys of spaces, such as OPS. Without any, all current spaces are read that the account sees.',
      options: true,
    }),
  }),
  cursor: ConfluenceCursor,
  // No list of Confluence tells what is gone.
  deletions: 'listed',
  entities,
  files: 'attachments of pages and blog posts',
  limits: ATLASSIAN_LIMITS,
  evidence: [
    ...['v1', 'v2'].map((version) => ({
      class: 'C' as const,
      by: `the zod schemas of confluence.js 3.2.0, API ${version}`,
      asOf: '2026-09-23, when confluence.js@3.2.0 was published',
    })),
    { class: 'D', by: 'confluence.js', asOf: '3.2.0' },
  ],
  rateLimitLevel: 'org',

  account: async (ctx) => (await selfOf(await openSite(ctx))).name,

  check: async (ctx) => checkChoice(await openSite(ctx), ctx.config.spaces),

  async *pull(ctx) {
    const { config, cursor, bookmark } = ctx;
    yield* pull({ site: await openSite(ctx), keys: config.spaces, cursor, bookmark });
  },

  hydrate: (_, stubs) => hydrate(stubs),

  async *members(ctx) {
    yield* members(await openSite(ctx), ctx.config.spaces);
  },

  groupScope: (ctx) => groupHost(ctx, async () => (await spacesOf(await openSite(ctx), [])).url),

  async options(ctx, { field }) {
    if (field === 'site') return siteOptions(ctx, 'confluence');
    const { spaces } = await spacesOf(await openSite(ctx), []);
    return spaces.map(({ key, name }) => ({ value: key, title: name || key, description: key }));
  },
});
