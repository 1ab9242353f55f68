/** Answers the requests of GitHub's REST API: for the account, for owners and their repositories, and within these. */
import { must } from '../../util.ts';
import { json, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';
import { makeGitHubObjects } from './github-objects.ts';
import { makeGitHubPaging } from './github-paging.ts';
import { message } from './github-refusal.ts';
import type { GitHubSettings } from './github-settings.ts';
import { contract, issueOf, remarkOf, repositoryOf, userOf } from './github-shapes.ts';
import { type FakeRepository, fullNameOf, type GitHubWorld, same } from './github-world.ts';

const { complete } = contract;

interface AnsweringParts {
  readonly world: GitHubWorld;
  readonly settings: GitHubSettings;
  readonly baseUrl: () => string;
}

export function makeGitHubAnswers({ world, settings, baseUrl }: AnsweringParts) {
  const { repositories } = world;
  const objects = makeGitHubObjects(settings);
  const { page, changesIn } = makeGitHubPaging(settings);

  const isOrganization = (name: string | undefined) =>
    world.organizations.some((one) => same(one, name ?? ''));
  const minimalOf = (repository: FakeRepository) =>
    repositoryOf('minimal-repository', settings.listsLess)(repository);

  function ofRepository(
    repository: FakeRepository,
    inside: readonly (string | undefined)[],
    request: PeerRequest,
  ): PeerAnswer {
    const { url } = request;
    const [what, one, kind] = inside;
    const files = (branch: string) => repository.branches.get(branch);
    if (what === undefined) return json(200, repositoryOf('full-repository')(repository));
    if (what === 'branches' && one === undefined)
      return page(
        request,
        [...repository.branches.keys()].map((name) => complete('short-branch', { name })),
      );
    if (what === 'branches') {
      const name = inside.slice(1).join('/');
      const found = files(name);
      if (!found) return message(404, 'Branch not found');
      const commit = { commit: { tree: { sha: objects.add(found) } } };
      return json(
        200,
        complete('branch-with-protection', { name, commit: complete('commit', commit) }),
      );
    }
    if (what === 'git' && one === 'trees')
      return objects.tree(must(kind), url.searchParams.has('recursive'));
    if (what === 'git' && one === 'blobs') return objects.blob(must(kind));
    if (what === 'collaborators') {
      if (!repository.canListReaders)
        return message(403, 'Must have push access to view repository collaborators.');
      return page(
        request,
        repository.collaborators.map((login) =>
          complete('collaborator', { ...userOf(login), role_name: 'read' }),
        ),
      );
    }
    const number = Number(one);
    if (what === 'issues' && one === undefined) {
      const state = url.searchParams.get('state') ?? 'open';
      const issues = repository.issues.filter((issue) => state === 'all' || issue.state === state);
      return page(request, changesIn(request, issues).map(issueOf(repository)));
    }
    if (kind === 'comments' && !repository.issues.some((issue) => issue.number === number))
      return message(404, 'Not Found');
    const isReview = what === 'pulls';
    const remarks = (isReview ? repository.reviewComments : repository.comments).filter(
      (remark) => kind === undefined || remark.number === number,
    );
    if (kind === 'comments' || one === 'comments')
      return page(request, changesIn(request, remarks).map(remarkOf(repository)));
    return message(404, 'Not Found');
  }

  return function answer(request: PeerRequest): PeerAnswer {
    const { url } = request;
    const path = decodeURIComponent(url.pathname);
    const [, first, second, third, ...rest] = path.split('/');
    if (first === 'repos' || first === 'repositories') {
      const repository =
        first === 'repos'
          ? repositories.find((one) => same(fullNameOf(one), `${second}/${third}`))
          : repositories.find(({ id }) => id === Number(second));
      const moved = repositories.find(
        ({ formerNames }) =>
          first === 'repos' && formerNames.some((name) => same(name, `${second}/${third}`)),
      );
      const inside = first === 'repos' ? rest : [third, ...rest].filter((one) => one !== undefined);
      if (!repository && moved) {
        const location = `${baseUrl()}/repositories/${[moved.id, ...inside].join('/')}${url.search}`;
        return message(301, 'Moved Permanently', { location });
      }
      if (!repository) return message(404, 'Not Found');
      if (repository.refusal && path.includes(repository.refusedPath)) return repository.refusal;
      return ofRepository(repository, inside, request);
    }
    if (path === '/user') return json(200, userOf(world.account, 'private-user'));
    if (path === '/user/repos') {
      const mine = url.searchParams.get('affiliation') === 'owner';
      const seen = repositories.filter(({ owner }) => !mine || same(owner, world.account));
      return page(request, seen.map(repositoryOf('repository')));
    }
    const owned = repositories.filter(({ owner }) => same(owner, second ?? ''));
    if (first === 'orgs' && third === 'repos' && isOrganization(second))
      return page(
        request,
        owned.map(minimalOf),
        settings.sso ? { 'x-github-sso': settings.sso } : {},
      );
    if (first === 'users' && third === 'repos')
      return page(request, owned.filter(({ isPrivate }) => !isPrivate).map(minimalOf));
    const person = world.people.find(({ login }) => same(login, second ?? ''));
    if (first === 'users' && third === undefined) {
      if (isOrganization(second))
        return json(200, userOf(second!, 'public-user', { type: 'Organization' }));
      if (person || same(world.account, second ?? ''))
        return json(200, userOf(second!, 'public-user', { email: person?.email ?? null }));
    }
    return message(404, 'Not Found');
  };
}
