/** This source searches files of GitHub or GitHub Enterprise with GitHub's code search. Nothing is copied. */
import { z } from 'zod';
import { Account, API_VERSION, BaseUrl, limits, tokenAuth } from '../github/api.ts';
import { CodeFile, SearchResult, toEntity } from '../github-code/answer.ts';
import { isWithin, Scope, searchText } from '../github-code/query.ts';
import { cloudSource } from '../kit/cloud-source.ts';

const Config = z.strictObject({
  base_url: BaseUrl,
  scope: Scope.optional().meta({
    title: 'Scope',
    description:
      'Scope of the search: org:<name>, user:<name> or repo:<owner>/<name>, several of them separated by spaces. Without it every repository that the token reaches is searched.',
  }),
});

export const githubCode = cloudSource({
  shortName: 'github_code',
  name: 'GitHub code search',
  description: 'Source code on GitHub, searched live: nothing of it is copied.',
  labels: ['Code'],
  auth: { direct: tokenAuth('A personal access token that may read the code.') },
  api: {
    baseUrl: ({ base_url }) => base_url,
    headers: { ...API_VERSION, accept: 'application/vnd.github.text-match+json' },
    // A search fails at once when GitHub asks us to wait, because a person waits for the result.
    patience: 0,
    ...limits,
  },
  config: Config,
  entities: { GitHubCodeFile: CodeFile },
  files: 'passages of those that a search finds',
  limits: '10 searches a minute',
  evidence: [{ class: 'C', by: 'the OpenAPI document of the GitHub REST API', asOf: '2026-09-09' }],
  rateLimitLevel: 'connection',

  async account({ http }) {
    return (await http.json({ path: 'user' }, Account)).value.login;
  },

  async search({ http, config: { scope } }, query, limit) {
    const q = searchText(query, scope);
    if (q === null) return [];
    const request = { path: 'search/code', query: { q, per_page: limit } };
    const { value } = await http.json(request, SearchResult);
    return value.items
      .filter(({ repository }) => isWithin(scope, repository.full_name))
      .map(toEntity);
  },
});
