/**
 * This is the configuration of a connection to GitHub: it says which repositories and which of their records are
 * copied.
 */
import { z } from 'zod';
import { BaseUrl } from './api.ts';

const MAX_CHOSEN = 100;
const KINDS = ['files', 'issues', 'pull_requests'] as const;
export type CopiedKind = (typeof KINDS)[number];

/** GitHub's names have letters, digits, hyphens, and in names of repositories also dots and underscores. */
const CHOSEN = /^[\w-]{1,100}(?:\/(?!\.{1,2}$)[\w.-]{1,100})?$/;

export const GitHubConfig = z.strictObject({
  base_url: BaseUrl,
  repositories: z
    .array(z.string().regex(CHOSEN, 'is neither an owner nor owner/name'))
    .min(1)
    .max(MAX_CHOSEN)
    .meta({
      title: 'Repositories',
      description:
        'Repositories to copy: owner/name for one, or the name of an organization or a user for all that the token reaches.',
      options: true,
    }),
  kinds: z
    .array(z.enum(KINDS))
    .min(1)
    .default([...KINDS])
    .meta({
      title: 'Kinds',
      description:
        'What is copied of each repository: files, issues, pull_requests. Comments come with their issues and pull requests.',
    }),
  branch: z.string().min(1).max(255).optional().meta({
    title: 'Branch',
    description:
      'The branch whose files are copied. Without it, each repository has its default branch.',
  }),
});
export type GitHubConfig = z.infer<typeof GitHubConfig>;
