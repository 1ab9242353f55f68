/**
 * Serves a company on a fake of GitHub's REST API, which behaves as its documentation says
 * (https://docs.github.com/rest): pages with links, changes by `since`, cut trees, redirects of renamed repositories,
 * refusals. Every request of the connector and every answer of the fake is checked against GitHub's OpenAPI document.
 */
import { createHash } from 'node:crypto';
import { must } from '../../util.ts';
import { openContract } from '../contracts/open-contract.ts';
import {
  type CloudPeer,
  json,
  openCloudPeer,
  type PeerAnswer,
  type PeerRequest,
} from './cloud-peer.ts';
import { makeCompanyClock } from './company-clock.ts';

const contract = openContract('github');
const { complete } = contract;

export const TOKEN = 'github_pat_right';

interface GitHubFile {
  readonly content: string | Buffer;
  readonly mode?: string;
}

interface Remark {
  readonly id: number;
  readonly number: number;
  readonly author: string | null;
  body: string;
  updatedAt: string;
  /** Only a review comment has a path. */
  readonly path?: string;
}

interface Issue {
  readonly number: number;
  title: string;
  body: string | null;
  author: string | null;
  isPull: boolean;
  state: string;
  mergedAt: string | null;
  labels: string[];
  updatedAt: string;
}

export interface FakeRepository {
  readonly id: number;
  owner: string;
  name: string;
  isPrivate: boolean;
  defaultBranch: string;
  pushedAt: string;
  description: string | null;
  /**
   * Every request for this repository gets this answer. With `refusedPath`, only requests for the paths that contain it
   * do.
   */
  refusal: PeerAnswer | null;
  refusedPath: string;
  readonly branches: Map<string, Map<string, GitHubFile>>;
  readonly issues: Issue[];
  readonly comments: Remark[];
  readonly reviewComments: Remark[];
  readonly collaborators: string[];
  canListReaders: boolean;
  /** The repository was known by these names. */
  readonly formerNames: string[];
}

interface Person {
  readonly login: string;
  readonly email: string | null;
}

export type GitHubCompany = Awaited<ReturnType<typeof openGitHubCompany>>;

const PAGE_SIZE = 30;
/** GitHub never uses an id twice, so two companies have no id in common. */
let lastId = 1000;

export const message = (
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): PeerAnswer =>
  json(
    status,
    { message: text, documentation_url: 'https://docs.github.com/rest', status: `${status}` },
    headers,
  );

export async function openGitHubCompany() {
  const repositories: FakeRepository[] = [];
  const people: Person[] = [];
  const blobs = new Map<string, Buffer>();
  const trees = new Map<string, TreeEntry[]>();
  const clock = makeCompanyClock({ ago: 3_600_000, step: 1000 });

  const company = {
    account: 'octocat',
    organizations: ['acme'],
    repositories,
    people,
    /** A recursive listing of a tree has at most this many entries. */
    treeLimit: 100_000,
    /** GitHub says in this header that it leaves something out. */
    sso: null as string | null,
    /** If true, the lists of an owner have only the properties that the document requires. */
    listsLess: false,
    /** If true, a list of changes does not have those of the time `since` itself. */
    isAfterSince: false,
    peer: undefined as unknown as CloudPeer,
    /** A page has at most this many items, even when a request asks for more. */
    pageLimit: 100,
    /** If true, there is an empty page before each page. */
    emptyPages: false,
    /** Everything before `startNow` happened an hour ago, one second after another. */
    now: () => timeOf(clock.now()),
    startNow: clock.endPast,
    inPast: clock.inPast,
    close: () => company.peer.close(),

    addRepository(
      fullName: string,
      {
        files = {},
        ...over
      }: { files?: Record<string, string | Buffer | GitHubFile> } & Partial<FakeRepository> = {},
    ): FakeRepository {
      const [owner = '', name = ''] = fullName.split('/');
      const repository: FakeRepository = {
        id: ++lastId,
        owner,
        name,
        isPrivate: false,
        defaultBranch: 'main',
        pushedAt: company.now(),
        description: null,
        refusal: null,
        refusedPath: '',
        branches: new Map(),
        issues: [],
        comments: [],
        reviewComments: [],
        collaborators: [],
        canListReaders: true,
        formerNames: [],
        ...over,
      };
      repositories.push(repository);
      for (const [path, file] of Object.entries(files)) company.write(repository, path, file);
      return repository;
    },

    /** A file whose content is null is removed. */
    write(
      repository: FakeRepository,
      path: string,
      file: string | Buffer | GitHubFile | null,
      branch = repository.defaultBranch,
    ) {
      const files = repository.branches.get(branch) ?? new Map<string, GitHubFile>();
      if (file === null) files.delete(path);
      else
        files.set(
          path,
          typeof file === 'string' || Buffer.isBuffer(file) ? { content: file } : file,
        );
      repository.branches.set(branch, files);
      repository.pushedAt = company.now();
    },

    addIssue(repository: FakeRepository, over: Partial<Issue> = {}): Issue {
      const issue: Issue = {
        number: 1 + Math.max(0, ...repository.issues.map(({ number }) => number)),
        title: 'Something',
        body: null,
        author: 'ann',
        isPull: false,
        state: 'open',
        mergedAt: null,
        labels: [],
        updatedAt: company.now(),
        ...over,
      };
      repository.issues.push(issue);
      return issue;
    },

    /** With `path`, the comment is a review comment. */
    comment(
      repository: FakeRepository,
      issue: Issue,
      { body, author = 'ben', path }: { body: string; author?: string | null; path?: string },
    ): Remark {
      const { number } = issue;
      const updatedAt = company.now();
      const remark = { id: ++lastId, number, author, body, updatedAt, ...(path && { path }) };
      (path ? repository.reviewComments : repository.comments).push(remark);
      issue.updatedAt = updatedAt;
      return remark;
    },

    rename(repository: FakeRepository, fullName: string) {
      repository.formerNames.push(fullNameOf(repository));
      [repository.owner = '', repository.name = ''] = fullName.split('/');
    },

    /** Changes an issue or a comment. */
    edit<T extends { updatedAt: string }>(record: T, over: Partial<T>) {
      Object.assign(record, over, { updatedAt: company.now() });
    },

    remove(repository: FakeRepository) {
      repositories.splice(repositories.indexOf(repository), 1);
    },
  };

  const entriesOf = (files: ReadonlyMap<string, GitHubFile>) => addTree(files, { blobs, trees });

  function answer(request: PeerRequest): PeerAnswer {
    const refused = gate(request);
    if (refused) return refused;
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
        const location = `${company.peer.baseUrl}/repositories/${[moved.id, ...inside].join('/')}${url.search}`;
        return message(301, 'Moved Permanently', { location });
      }
      if (!repository) return message(404, 'Not Found');
      if (repository.refusal && path.includes(repository.refusedPath)) return repository.refusal;
      return ofRepository(repository, inside, request);
    }
    if (path === '/user') return json(200, userOf(company.account, 'private-user'));
    if (path === '/user/repos') {
      const mine = url.searchParams.get('affiliation') === 'owner';
      const seen = repositories.filter(({ owner }) => !mine || same(owner, company.account));
      return page(request, seen.map(repositoryOf('repository')));
    }
    const owned = repositories.filter(({ owner }) => same(owner, second ?? ''));
    if (first === 'orgs' && third === 'repos' && isOrganization(second))
      return page(
        request,
        owned.map(repositoryOf('minimal-repository')),
        company.sso ? { 'x-github-sso': company.sso } : {},
      );
    if (first === 'users' && third === 'repos')
      return page(
        request,
        owned.filter(({ isPrivate }) => !isPrivate).map(repositoryOf('minimal-repository')),
      );
    const person = people.find(({ login }) => same(login, second ?? ''));
    if (first === 'users' && third === undefined) {
      if (isOrganization(second))
        return json(200, userOf(second!, 'public-user', { type: 'Organization' }));
      if (person || same(company.account, second ?? ''))
        return json(200, userOf(second!, 'public-user', { email: person?.email ?? null }));
    }
    return message(404, 'Not Found');
  }

  const isOrganization = (name: string | undefined) =>
    company.organizations.some((one) => same(one, name ?? ''));

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
      const commit = { commit: { tree: { sha: entriesOf(found) } } };
      return json(
        200,
        complete('branch-with-protection', { name, commit: complete('commit', commit) }),
      );
    }
    if (what === 'git' && one === 'trees')
      return treeOf(must(kind), url.searchParams.has('recursive'));
    if (what === 'git' && one === 'blobs') {
      const body = blobs.get(must(kind));
      if (!body) return message(404, 'Not Found');
      return { status: 200, headers: { 'content-type': 'application/vnd.github.raw+json' }, body };
    }
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

  function changesIn<T extends { readonly updatedAt: string }>(
    request: PeerRequest,
    all: readonly T[],
  ): T[] {
    const found = changed(request, all);
    const since = request.url.searchParams.get('since');
    return company.isAfterSince ? found.filter(({ updatedAt }) => updatedAt !== since) : found;
  }

  function treeOf(sha: string, recursive: boolean): PeerAnswer {
    const entries = trees.get(sha);
    if (!entries) return message(404, 'Not Found');
    const all = recursive ? [...below(entries, '')] : entries;
    const truncated = all.length > company.treeLimit;
    const tree = all.slice(0, company.treeLimit);
    return json(200, { sha, url: 'https://api.github.com/', truncated, tree });
  }

  function* below(entries: readonly TreeEntry[], at: string): Generator<TreeEntry> {
    for (const entry of entries) {
      yield { ...entry, path: at + entry.path };
      if (entry.type === 'tree') yield* below(must(trees.get(entry.sha)), `${at}${entry.path}/`);
    }
  }

  const repositoryOf = (schema: string) => (repository: FakeRepository) => {
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
    if (schema === 'minimal-repository' && company.listsLess) return complete(schema, required);
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

  const issueOf = (repository: FakeRepository) => (issue: Issue) => {
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

  const remarkOf =
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

  function page(
    request: PeerRequest,
    all: readonly unknown[],
    headers: Readonly<Record<string, string>> = {},
  ): PeerAnswer {
    const { url } = request;
    const size = Math.min(company.pageLimit, Number(url.searchParams.get('per_page') ?? PAGE_SIZE));
    const number = Number(url.searchParams.get('page') ?? 1);
    const isEmpty = company.emptyPages && number % 2 === 1;
    const place = company.emptyPages ? Math.ceil(number / 2) : number;
    const end = isEmpty ? (place - 1) * size : place * size;
    const items = isEmpty ? [] : all.slice(end - size, end);
    const next = new URL(url);
    next.searchParams.set('page', `${number + 1}`);
    const link = { link: `<${next}>; rel="next", <${url}>; rel="last"` };
    return json(200, items, { ...(end < all.length && link), ...headers });
  }

  const checked = (request: PeerRequest) => {
    const given = answer(request);
    // The address behind a redirect is not in the document.
    const isBehind = given.status === 200 && request.url.pathname.startsWith('/repositories/');
    return isBehind ? given : contract.checked(request, given);
  };
  company.peer = await openCloudPeer(checked, { place: ['page', 'since'] });
  return company;
}

/** Refuses requests without the headers that GitHub requires of every request. */
function gate({ headers }: PeerRequest): PeerAnswer | undefined {
  if (!headers['user-agent']) return message(403, 'Request forbidden by administrative rules.');
  if (headers['x-github-api-version'] !== '2022-11-28')
    return message(400, 'API version not given.');
  if (headers.authorization !== `Bearer ${TOKEN}`) return message(401, 'Bad credentials');
  return undefined;
}

/** GitHub sorts by creation unless the request has `sort`. Items of the second that `since` names are included. */
function changed<T extends { readonly updatedAt: string }>(
  { url }: PeerRequest,
  all: readonly T[],
): T[] {
  const since = url.searchParams.get('since') ?? '';
  const newer = all.filter(({ updatedAt }) => updatedAt >= since);
  if (url.searchParams.get('sort') !== 'updated') return newer;
  const ascending = newer.toSorted((a, b) =>
    a.updatedAt < b.updatedAt ? -1 : a.updatedAt > b.updatedAt ? 1 : 0,
  );
  return url.searchParams.get('direction') === 'asc' ? ascending : ascending.toReversed();
}

const userOf = (
  login: string,
  schema = 'simple-user',
  over: Readonly<Record<string, unknown>> = {},
) => complete(schema, { login, html_url: `https://github.com/${login}`, type: 'User', ...over });

interface TreeEntry {
  readonly path: string;
  readonly mode: string;
  readonly type: string;
  readonly sha: string;
  readonly size?: number;
}

interface Objects {
  readonly blobs: Map<string, Buffer>;
  readonly trees: Map<string, TreeEntry[]>;
}

/** Stores a folder as Git does, and returns the hash of its tree. */
function addTree(files: ReadonlyMap<string, GitHubFile>, objects: Objects): string {
  const folders = new Map<string, Map<string, GitHubFile>>();
  const entries: TreeEntry[] = [];
  for (const [path, file] of files) {
    const [name = '', ...inside] = path.split('/');
    if (inside.length > 0)
      folders.set(name, (folders.get(name) ?? new Map()).set(inside.join('/'), file));
    else entries.push(entryOf(name, file, objects));
  }
  for (const [path, inside] of folders)
    entries.push({ path, mode: '040000', type: 'tree', sha: addTree(inside, objects) });
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  const sha = hash(JSON.stringify(entries));
  objects.trees.set(sha, entries);
  return sha;
}

function entryOf(
  path: string,
  { content, mode = '100644' }: GitHubFile,
  { blobs }: Objects,
): TreeEntry {
  const bytes = Buffer.from(content as string);
  const sha = hash(bytes);
  if (mode === '160000') return { path, mode, type: 'commit', sha };
  blobs.set(sha, bytes);
  return { path, mode, type: 'blob', sha, size: bytes.length };
}

const hash = (content: string | Buffer) => createHash('sha1').update(content).digest('hex');

const timeOf = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');

const fullNameOf = ({ owner, name }: FakeRepository) => `${owner}/${name}`;

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
