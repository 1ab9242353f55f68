/** Holds a company on GitHub: its repositories with their files, issues and comments, and how these change. */
import type { PeerAnswer } from './cloud-peer.ts';
import { HOUR, makeCompanyClock, timeInSeconds } from './company-clock.ts';

export interface GitHubFile {
  readonly content: string | Buffer;
  readonly mode?: string;
}

export interface Remark {
  readonly id: number;
  readonly number: number;
  readonly author: string | null;
  body: string;
  updatedAt: string;
  /** Only a review comment has a path. */
  readonly path?: string;
}

export interface Issue {
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

export interface Person {
  readonly login: string;
  readonly email: string | null;
}

export type GitHubWorld = ReturnType<typeof makeGitHubWorld>;

/** GitHub never uses an id twice, so two companies have no id in common. */
let lastId = 1000;

export const fullNameOf = ({ owner, name }: FakeRepository) => `${owner}/${name}`;

/** GitHub does not distinguish the cases of letters in names. */
export const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

export function makeGitHubWorld() {
  const repositories: FakeRepository[] = [];
  const clock = makeCompanyClock({ ago: HOUR, step: 1000 });

  const world = {
    account: 'octocat',
    organizations: ['acme'],
    repositories,
    people: [] as Person[],
    /** Everything before `startNow` happened an hour ago, one second after another. */
    now: () => timeInSeconds(clock.now()),
    startNow: clock.endPast,
    inPast: clock.inPast,

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
        pushedAt: world.now(),
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
      for (const [path, file] of Object.entries(files)) world.write(repository, path, file);
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
      repository.pushedAt = world.now();
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
        updatedAt: world.now(),
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
      const updatedAt = world.now();
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
      Object.assign(record, over, { updatedAt: world.now() });
    },

    remove(repository: FakeRepository) {
      repositories.splice(repositories.indexOf(repository), 1);
    },
  };
  return world;
}
