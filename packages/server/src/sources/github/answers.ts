/** These are the parts of GitHub's answers that are copied (https://docs.github.com/rest, API version 2022-11-28). */
import { z } from 'zod';

/** The author is null when GitHub no longer knows the account. */
const Author = z.object({ login: z.string() }).nullable();
const Time = z.iso.datetime({ offset: true });

export const Repository = z.object({
  id: z.number(),
  full_name: z.string(),
  html_url: z.string(),
  /** It is also true for repositories that only the members of an enterprise may see. */
  private: z.boolean(),
  default_branch: z.string(),
  description: z.string().nullable(),
  homepage: z.string().nullish(),
  language: z.string().nullish(),
  topics: z.array(z.string()).default([]),
  archived: z.boolean().default(false),
  fork: z.boolean(),
  created_at: Time.nullish(),
  updated_at: Time.nullish(),
  pushed_at: Time.nullish(),
});
export type Repository = z.infer<typeof Repository>;

export const Owner = z.object({ type: z.string() });

/** An issue or a pull request, which GitHub lists together. */
export const IssueAnswer = z.object({
  number: z.number(),
  title: z.string(),
  body: z.string().nullish(),
  html_url: z.string(),
  state: z.string(),
  user: Author,
  labels: z.array(z.union([z.string(), z.object({ name: z.string().nullish() })])),
  assignees: z.array(z.object({ login: z.string() })).nullish(),
  milestone: z.object({ title: z.string() }).nullish(),
  comments: z.number(),
  draft: z.boolean().nullish(),
  pull_request: z.object({ merged_at: Time.nullish() }).nullish(),
  created_at: Time,
  updated_at: Time,
  closed_at: Time.nullable(),
});
export type IssueAnswer = z.infer<typeof IssueAnswer>;

const Commented = {
  id: z.number(),
  body: z.string().default(''),
  html_url: z.string(),
  user: Author,
  created_at: Time,
  updated_at: Time,
};

export const Comment = z.object({ ...Commented, issue_url: z.string() });
export type Comment = z.infer<typeof Comment>;

export const ReviewComment = z.object({
  ...Commented,
  pull_request_url: z.string(),
  path: z.string(),
});
export type ReviewComment = z.infer<typeof ReviewComment>;

export const Branch = z.object({
  commit: z.object({ commit: z.object({ tree: z.object({ sha: z.string() }) }) }),
});

const TreeEntry = z.object({
  path: z.string(),
  mode: z.string(),
  type: z.string(),
  sha: z.string(),
  size: z.number().optional(),
});
export type TreeEntry = z.infer<typeof TreeEntry>;

export const Tree = z.object({ truncated: z.boolean(), tree: z.array(TreeEntry) });

export const Collaborator = z.object({ login: z.string() });
export const Person = z.object({ email: z.string().nullable() });
