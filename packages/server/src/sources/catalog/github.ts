/** This source copies repositories of GitHub or GitHub Enterprise: files, issues, pull requests and their comments. */
import { Account, API_VERSION, limits, siteOf, tokenAuth } from '../github/api.ts';
import { checkChosen, options } from '../github/check.ts';
import { GitHubConfig } from '../github/config.ts';
import {
  GitHubComment,
  GitHubIssue,
  GitHubPullRequest,
  GitHubRepository,
  GitHubReviewComment,
} from '../github/entities.ts';
import { GitHubFile, readFile } from '../github/files.ts';
import { Cursor, pull } from '../github/pull.ts';
import { groupScope, members } from '../github/readers.ts';
import { cloudSource } from '../kit/cloud-source.ts';
import { eachOf } from '../kit/listing.ts';

const CONCURRENCY = 4;

export const github = cloudSource({
  shortName: 'github',
  name: 'GitHub',
  description: 'Files, issues, pull requests and comments of repositories, with who may read them.',
  labels: ['Code', 'Issues'],
  auth: {
    direct: tokenAuth('A personal access token that may read the repositories.'),
    oauth: {
      authorizeUrl: (config) => signInAt(config, 'authorize'),
      tokenUrl: (config) => signInAt(config, 'access_token'),
      scopes: ['repo', 'read:org'],
      refresh: 'never',
    },
  },
  api: {
    baseUrl: ({ base_url }) => base_url,
    headers: { ...API_VERSION, accept: 'application/vnd.github+json' },
    concurrency: CONCURRENCY,
    ...limits,
  },
  config: GitHubConfig,
  cursor: Cursor,
  deletions: 'listed',
  entities: {
    GitHubRepository,
    GitHubFile,
    GitHubIssue,
    GitHubPullRequest,
    GitHubComment,
    GitHubReviewComment,
  },
  files: 'those of the default branch, or of chosen branches',
  limits: '5,000 requests an hour',
  evidence: [{ class: 'C', by: 'the OpenAPI document of the GitHub REST API', asOf: '2026-09-09' }],
  rateLimitLevel: 'connection',

  async account({ http }) {
    return (await http.json({ path: 'user' }, Account)).value.login;
  },
  check: ({ http, config }) => checkChosen(http, config),
  pull,
  hydrate: ({ http }, stubs) => eachOf(stubs, CONCURRENCY, (stub) => readFile(http, stub)),
  members,
  groupScope,
  options: ({ http }, request) => options(http, request),
});

const signInAt = ({ base_url }: GitHubConfig, page: 'authorize' | 'access_token'): string =>
  new URL(`/login/oauth/${page}`, siteOf(base_url)).href;
