/** Shows people, repositories, issues and comments as GitHub does, with what its OpenAPI document requires. */
import { openContract } from '../contracts/open-contract.ts';
import { type FakeRepository, fullNameOf, type Issue, type Remark } from './github-world.ts';

export const contract = openContract('github');
const { complete } = contract;

export const userOf = (
  login: string,
  schema = 'simple-user',
  over: Readonly<Record<string, unknown>> = {},
) => complete(schema, { login, html_url: `https://github.com/${login}`, type: 'User', ...over });

/** With `listsLess`, a minimal repository has only what the document requires. */
export const repositoryOf =
  (schema: string, listsLess = false) =>
  (repository: FakeRepository) => {
    const { id, name, owner, isPrivate, description, defaultBranch, pushedAt } = repository;
    const required = {
      id,
      name,
      full_name: fullNameOf(repository),
      html_url: `https://github.com/${fullNameOf(repository)}`,
      owner: userOf(owner),
      private: isPrivate,
      description,
    };
    if (schema === 'minimal-repository' && listsLess) return complete(schema, required);
    return complete(schema, {
      ...required,
      visibility: isPrivate ? 'private' : 'public',
      default_branch: defaultBranch,
      pushed_at: pushedAt,
      created_at: '2020-01-01T00:00:00Z',
      updated_at: '2020-01-01T00:00:00Z',
      topics: ['rivers'],
      archived: false,
      homepage: null,
      language: 'TypeScript',
    });
  };

export const issueOf = (repository: FakeRepository) => (issue: Issue) => {
  const { number, title, body, author, state, labels, isPull, mergedAt, updatedAt } = issue;
  const place = `${fullNameOf(repository)}/${isPull ? 'pull' : 'issues'}/${number}`;
  const html_url = `https://github.com/${place}`;
  return complete('issue', {
    id: repository.id * 100_000 + number,
    number,
    title,
    body,
    html_url,
    state,
    user: author === null ? null : userOf(author),
    labels: labels.map((name) => ({ name })),
    assignees: [],
    comments: repository.comments.filter((comment) => comment.number === number).length,
    created_at: '2020-01-01T00:00:00Z',
    updated_at: updatedAt,
    ...(isPull && {
      draft: false,
      pull_request: {
        url: html_url,
        html_url,
        diff_url: html_url,
        patch_url: html_url,
        merged_at: mergedAt,
      },
    }),
  });
};

export const remarkOf =
  (repository: FakeRepository) =>
  ({ id, number, author, body, updatedAt, path }: Remark) => {
    const isPull = repository.issues.some((issue) => issue.number === number && issue.isPull);
    const api = `https://api.github.com/repos/${fullNameOf(repository)}`;
    const page = `https://github.com/${fullNameOf(repository)}/${isPull ? 'pull' : 'issues'}/${number}`;
    const common = {
      id,
      body,
      user: author === null ? null : userOf(author),
      created_at: '2020-01-01T00:00:00Z',
      updated_at: updatedAt,
    };
    return path === undefined
      ? complete('issue-comment', {
          ...common,
          html_url: `${page}#issuecomment-${id}`,
          issue_url: `${api}/issues/${number}`,
        })
      : complete('pull-request-review-comment', {
          ...common,
          html_url: `${page}#discussion_r${id}`,
          pull_request_url: `${api}/pulls/${number}`,
          path,
        });
  };
