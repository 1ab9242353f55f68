/** Makes entities of repositories, issues, pull requests and comments. */
import { z } from 'zod';
import type { Entity } from '../../model/entity.ts';
import type { Comment, IssueAnswer, Repository, ReviewComment } from './answers.ts';
import { commonOf, dateOf, idIn } from './repository.ts';

const text = (title: string, description: string) => z.string().meta({ title, description });
const repository = text('Repository', 'Repository as owner/name.');
const number = z.number().meta({ title: 'Number', description: 'Number in its repository.' });
const author = z.string().nullable().meta({
  title: 'Author',
  description: 'Login of the author; null when the account no longer exists.',
});
const closedAt = z
  .string()
  .nullable()
  .meta({ title: 'Closed', description: 'Time at which it was closed.' });

export const GitHubRepository = z.object({
  repository,
  archived: z
    .boolean()
    .meta({ title: 'Archived', description: 'The repository can only be read.' }),
  fork: z.boolean().meta({ title: 'Fork', description: 'It was made from another repository.' }),
  language: z
    .string()
    .nullable()
    .meta({ title: 'Language', description: 'Language of most of its files.' }),
  topics: z.array(z.string()).meta({ title: 'Topics', description: 'Topics of the repository.' }),
});

const ofIssue = {
  repository,
  number,
  author,
  assignees: z.array(z.string()).meta({ title: 'Assignees', description: 'Logins.' }),
  labels: z.array(z.string()).meta({ title: 'Labels', description: 'Names of the labels.' }),
  milestone: z.string().nullable().meta({ title: 'Milestone', description: 'Its title.' }),
  closed_at: closedAt,
};

export const GitHubIssue = z.object({ ...ofIssue, state: text('State', 'open or closed.') });

export const GitHubPullRequest = z.object({
  ...ofIssue,
  state: text('State', 'open, closed or merged.'),
  draft: z.boolean().meta({ title: 'Draft', description: 'It is not ready for a review.' }),
});

export const GitHubComment = z.object({ repository, number, author });

export const GitHubReviewComment = z.object({
  repository,
  number,
  author,
  path: text('Path', 'File that the comment is about.'),
});

export function repositoryEntity(of: Repository): Entity {
  const { full_name, description, homepage, topics, language = null, archived, fork } = of;
  return {
    id: idIn(of),
    type: 'GitHubRepository',
    name: full_name,
    text: [description, topics.join(' '), homepage].filter(Boolean).join('\n\n'),
    url: of.html_url,
    access: commonOf(of).access,
    createdAt: dateOf(of.created_at),
    updatedAt: dateOf(of.updated_at),
    fields: { repository: full_name, archived, fork, language, topics } satisfies z.infer<
      typeof GitHubRepository
    >,
  };
}

/** An issue that becomes a pull request keeps its number, so it stays the same record. */
export function issueEntity(of: Repository, issue: IssueAnswer): Entity {
  const { number, title, body, html_url, user, labels, pull_request } = issue;
  const fields = {
    repository: of.full_name,
    number,
    author: user?.login ?? null,
    assignees: issue.assignees.map(({ login }) => login),
    labels: labels.flatMap((label) => (typeof label === 'string' ? label : (label.name ?? []))),
    milestone: issue.milestone?.title ?? null,
    closed_at: issue.closed_at,
  };
  return {
    id: idIn(of, 'issues', number),
    type: pull_request ? 'GitHubPullRequest' : 'GitHubIssue',
    name: `#${number} ${title}`,
    text: body,
    url: html_url,
    ...commonOf(of),
    createdAt: dateOf(issue.created_at),
    updatedAt: dateOf(issue.updated_at),
    fields: pull_request
      ? ({
          ...fields,
          state: pull_request.merged_at ? 'merged' : issue.state,
          draft: issue.draft,
        } satisfies z.infer<typeof GitHubPullRequest>)
      : ({ ...fields, state: issue.state } satisfies z.infer<typeof GitHubIssue>),
  };
}

export function commentEntity(of: Repository, comment: Comment): Entity {
  const number = numberIn(comment.issue_url);
  const author = comment.user?.login ?? null;
  return {
    ...remarkOf(of, number, comment),
    id: idIn(of, 'comments', comment.id),
    type: 'GitHubComment',
    fields: { repository: of.full_name, number, author } satisfies z.infer<typeof GitHubComment>,
  };
}

export function reviewCommentEntity(of: Repository, comment: ReviewComment): Entity {
  const number = numberIn(comment.pull_request_url);
  const { path } = comment;
  const author = comment.user?.login ?? null;
  return {
    ...remarkOf(of, number, comment),
    id: idIn(of, 'review-comments', comment.id),
    type: 'GitHubReviewComment',
    context: path,
    fields: { repository: of.full_name, number, author, path } satisfies z.infer<
      typeof GitHubReviewComment
    >,
  };
}

function remarkOf(of: Repository, number: number, comment: Comment | ReviewComment) {
  const { access, breadcrumbs } = commonOf(of);
  const type = isOnPullRequest(comment) ? 'GitHubPullRequest' : 'GitHubIssue';
  const issue = { id: idIn(of, 'issues', number), name: `#${number}`, type };
  return {
    name: `${comment.user?.login ?? 'ghost'} on ${of.full_name}#${number}`,
    text: comment.body,
    url: comment.html_url,
    access,
    breadcrumbs: [...breadcrumbs, issue],
    createdAt: dateOf(comment.created_at),
    updatedAt: dateOf(comment.updated_at),
  };
}

/** Only the address of a comment's page says what the comment is about. */
export const isOnPullRequest = ({ html_url }: Pick<Comment, 'html_url'>): boolean =>
  /\/pull\/\d+#/.test(html_url);

/** The addresses of issues and pull requests in the API end with their number. */
export const numberIn = (url: string): number => Number(/\/(\d+)$/.exec(url)?.[1]);
