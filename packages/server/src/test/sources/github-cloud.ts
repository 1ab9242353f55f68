/** Makes an organization of GitHub with a private and a public repository. */
import { must } from '../../util.ts';
import { type CloudCompany, newWord } from './cloud-company.ts';
import { json } from './cloud-peer.ts';
import { openGitHubCompany, TOKEN } from './github-company.ts';
import { message } from './github-refusal.ts';
import type { FakeRepository } from './github-world.ts';

export async function openGithubCloud(): Promise<CloudCompany> {
  const company = await openGitHubCompany();
  const { repositories, peer } = company;
  const addRepository = (name: string, isPrivate = false) => {
    const repository = company.addRepository(`acme/${name}`, {
      description: newWord(),
      isPrivate,
      collaborators: ['ann'],
      files: { 'README.md': newWord(), 'src/a.ts': newWord(), 'src/deep/b.ts': newWord() },
    });
    for (const isPull of [false, true]) addThread(repository, isPull);
    return repository;
  };
  const addThread = (repository: FakeRepository, isPull: boolean) => {
    const issue = company.addIssue(repository, { isPull, body: newWord() });
    company.comment(repository, issue, { body: newWord() });
    if (isPull) company.comment(repository, issue, { body: newWord(), path: 'src/a.ts' });
  };
  company.people.push({ login: 'ann', email: 'ann@acme.example' });
  const web = addRepository('web', true);
  const old = addRepository('old');
  company.startNow();

  /** A long history may remove all records of a kind, and then the repository itself is edited. */
  const editLast = <Row extends { updatedAt: string; body: string | null }>(
    list: readonly Row[],
  ) => {
    const found = list.at(-1);
    if (found) company.edit<Row>(found, { body: newWord() } as Partial<Row>);
    else web.description = newWord();
  };
  let turn = 0;
  const edits = [
    () => company.write(web, 'src/a.ts', newWord()),
    () => editLast(web.comments),
    () => editLast(web.issues),
    () => editLast(web.reviewComments),
    () => {
      web.description = newWord();
    },
  ];
  const adds = [
    () => company.write(web, `src/${newWord()}.ts`, newWord()),
    () => addThread(web, true),
    () => {
      const issue = web.issues.at(-1);
      if (issue) company.comment(web, issue, { body: newWord() });
      else addThread(web, false);
    },
  ];
  const removals = [
    () => company.write(web, 'src/deep/b.ts', null),
    () => web.comments.pop(),
    () => web.reviewComments.pop(),
    () => {
      const issue = web.issues.shift();
      const stays = (remark: { number: number }) => remark.number !== issue?.number;
      web.comments.splice(0, Infinity, ...web.comments.filter(stays));
    },
  ];
  const next = <T>(list: readonly T[]): T => must(list[turn++ % list.length]);

  return {
    peer,
    config: { base_url: peer.baseUrl, repositories: ['acme'] },
    credentials: { token: TOKEN },
    refusals: {
      unauthorized: message(401, 'Bad credentials'),
      rateLimited: [
        message(429, 'You have exceeded a secondary rate limit.', { 'retry-after': '3600' }),
        message(403, 'You have exceeded a secondary rate limit.', { 'retry-after': '3600' }),
        message(403, 'API rate limit exceeded for user ID 1.', {
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': `${Math.floor(Date.now() / 1000) + 3600}`,
        }),
      ],
      serverError: json(502, { message: 'Server Error' }),
    },
    expected: () => new Map(repositories.flatMap(recordsOf)),
    edit: () => void next(edits)(),
    add: () => void next(adds)(),
    remove: () => void next(removals)(),
    removeMany() {
      web.comments.length = 0;
      for (const path of ['README.md', 'src/a.ts']) company.write(web, path, null);
    },
    removePart: () => company.remove(old),
    resync: {
      grow: () =>
        company.inPast(() => {
          for (const isPull of [false, true]) addThread(web, isPull);
          company.write(web, `src/${newWord()}/a.ts`, newWord());
        }),
      incremental: {
        most: () => 4 + 3 * repositories.length,
        why: 'GitHub has lists of what has changed in each repository, and none for an account',
      },
    },
    forbidPart() {
      old.refusal = message(403, 'Resource not accessible by personal access token');
    },
  };
}

function recordsOf(repository: FakeRepository): [string, string][] {
  const { id, branches, issues, comments, reviewComments, description } = repository;
  const files = [...must(branches.get('main'))];
  return [
    [`${id}`, must(description)],
    ...files.map(
      ([path, { content }]) => [`${id}/files/${path}`, String(content)] as [string, string],
    ),
    ...issues.map(({ number, body }) => [`${id}/issues/${number}`, must(body)] as [string, string]),
    ...comments.map((one) => [`${id}/comments/${one.id}`, one.body] as [string, string]),
    ...reviewComments.map(
      (one) => [`${id}/review-comments/${one.id}`, one.body] as [string, string],
    ),
  ];
}
