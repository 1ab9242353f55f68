/** This source copies the projects of Jira Cloud: issues with their comments and attachments, and who may find them. */
import { z } from 'zod';
import { ATLASSIAN_LIMITS, atlassianApi, atlassianAuth } from '../atlassian/sign-in.ts';
import { AtlassianConfig, groupHost, siteOptions } from '../atlassian/site.ts';
import { fileOf } from '../jira/files.ts';
import { membersOf } from '../jira/members.ts';
import { JiraCursor, pull } from '../jira/pull.ts';
import { homeOf, notSeen, openSite, projectsOf, selfOf } from '../jira/reader.ts';
import { entities } from '../jira/records.ts';
import { special } from '../jira/refusal.ts';
import { cloudSource } from '../kit/cloud-source.ts';
import { eachOf } from '../kit/listing.ts';

/**
 * Atlassian names for each request a scope of the classic kind or a list of finer ones. Roles and security levels have no
 * classic scope that only reads, so the finer ones of what tells who may see an issue are here as well.
 */
const SCOPES = [
  'read:jira-work',
  'read:jira-user',
  'read:application-role:jira',
  'read:avatar:jira',
  'read:field:jira',
  'read:group:jira',
  'read:issue-security-level:jira',
  'read:issue-security-scheme:jira',
  'read:permission:jira',
  'read:permission-scheme:jira',
  'read:project:jira',
  'read:project-category:jira',
  'read:project-role:jira',
  'read:user:jira',
];

const Config = AtlassianConfig.extend({
  project_keys: z.array(z.string().min(1).max(255)).max(1000).default([]).meta({
    title: 'Projects',
    description: 'Keys of projects, such as OPS. Without any, all that the account may browse.',
    options: true,
  }),
});

export const jira = cloudSource({
  shortName: 'jira',
  name: 'Jira',
  description: 'Projects of Jira Cloud with issues, comments and attachments.',
  labels: ['Project Management', 'Issues'],
  auth: atlassianAuth(SCOPES),
  api: atlassianApi({ name: 'Jira', scopes: SCOPES, special }),
  config: Config,
  cursor: JiraCursor,
  // A search does not tell what is gone.
  deletions: 'listed',
  entities,
  files: 'attachments of issues',
  limits: ATLASSIAN_LIMITS,
  evidence: [
    {
      class: 'C',
      by: 'the zod schemas of jira.js 6.2.0',
      asOf: '2026-09-16, when jira.js@6.2.0 was published',
    },
    { class: 'D', by: 'jira.js', asOf: '6.2.0' },
  ],
  rateLimitLevel: 'org',

  async account(ctx) {
    const { emailAddress, displayName, accountId } = await selfOf(await openSite(ctx));
    return emailAddress || displayName || accountId;
  },

  async check(ctx) {
    const { missing } = await projectsOf(await openSite(ctx), ctx.config);
    if (missing.length > 0) throw notSeen(missing);
  },

  pull,

  hydrate: ({ http }, stubs) => eachOf(stubs, 4, (stub) => fileOf(http, stub)),

  members: membersOf,

  /** Groups belong to the site. */
  groupScope: (ctx) => groupHost(ctx, async () => (await homeOf(await openSite(ctx))).url),

  async options(ctx, { field }) {
    if (field === 'site') return siteOptions(ctx, 'jira');
    const { projects } = await projectsOf(await openSite(ctx), {});
    return projects.map(({ key, name }) => ({ value: key, title: name, description: key }));
  },
});
