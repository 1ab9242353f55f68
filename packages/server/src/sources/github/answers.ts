/**
 * These are the parts of GitHub's answers that are copied (https://docs.github.com/rest, API version 2022-11-28). Within a
 * record, a missing or odd value reads as empty, so that one record never ends a sync.
 */
import { z } from 'zod';
import { flag, maybe, some, text } from '../kit/lenient.ts';

/** The author is null when GitHub no longer knows the account. */
const Author = maybe(z.object({ login: z.string() }));
const Time = z.iso.datetime({ offset: true });

export const Repository = z.object({
  id: z.number(),
  full_name: z.string(),
  html_url: z.string(),
  /** It is also true for repositories that only the members of an enterprise may see. */
  private: z.boolean(),
  default_branch: z.string(),
  description: maybe(z.string()),
  homepage: maybe(z.string()),
  language: maybe(z.string()),
  topics: some(z.string()),
  archived: flag,
  fork: flag,
  created_at: maybe(Time),
  updated_at: maybe(Time),
  pushed_at: maybe(Time),
});
export type Repository = z.infer<typeof Repository>;

/** The list of an owner's repositories may leave out the branch. */
export const ListedRepository = Repository.extend({ default_branch: maybe(z.string()) });

export const Owner = z.object({ type: z.string() });

/** An issue or a pull request, which GitHub lists together. */
export const IssueAnswer = z.object({
  number: z.number(),
  title: text,
  body: text,
  html_url: z.string(),
  state: text,
  user: Author,
  labels: some(z.union([z.string(), z.object({ name: maybe(z.string()) })])),
  assignees: some(z.object({ login: z.string() })),
  milestone: maybe(z.object({ title: z.string() })),
  comments: z.number(),
  draft: flag,
  pull_request: maybe(z.object({ merged_at: maybe(Time) })),
  created_at: Time,
  updated_at: Time,
  closed_at: maybe(Time),
});
export type IssueAnswer = z.infer<typeof IssueAnswer>;

const Commented = {
  id: z.number(),
  body: text,
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
  path: text,
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
export const Person = z.object({ email: maybe(z.string()) });
