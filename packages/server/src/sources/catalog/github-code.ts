/** This source searches files of GitHub or GitHub Enterprise with GitHub's code search. Nothing is copied. */
import { z } from 'zod';
import { secret } from '../define.ts';
import { CodeFile, SearchResult, toEntity, User } from '../github-code/answer.ts';
import { retryAfterOfLimits } from '../github-code/limits.ts';
import { isWithin, Scope, searchText } from '../github-code/query.ts';
import { cloudSource } from '../kit/cloud-source.ts';
import { bearer } from '../kit/sign.ts';
import { ServiceUrl } from '../service-url.ts';

const Config = z.strictObject({
  base_url: ServiceUrl.default('https://api.github.com').meta({
    title: 'API',
    description: 'Address of the API of GitHub Enterprise Server: https://<host>/api/v3.',
  }),
  scope: Scope.optional().meta({
    title: 'Scope',
    description:
      'Scope of the search: org:<name>, user:<name> or repo:<owner>/<name>, several of them separated by spaces. Without it every repository that the token reaches is searched.',
  }),
});

const Credentials = z.object({
  token: secret('Token', 'A personal access token that may read the code.'),
});

export const githubCode = cloudSource({
  shortName: 'github_code',
  name: 'GitHub code search',
  description: 'Source code on GitHub, searched live: nothing of it is copied.',
  labels: ['Code'],
  auth: {
    direct: { fields: Credentials, sign: { headers: ({ token }) => bearer(token) } },
  },
  api: {
    baseUrl: ({ base_url }) => base_url,
    headers: {
      accept: 'application/vnd.github.text-match+json',
      'x-github-api-version': '2022-11-28',
    },
    // A search fails at once when GitHub asks us to wait, because a person waits for the result.
    patience: 0,
    retryAfter: retryAfterOfLimits,
  },
  config: Config,
  entities: { GitHubCodeFile: CodeFile },
  rateLimitLevel: 'connection',

  async account({ http }) {
    return (await http.json({ path: 'user' }, User)).value.login;
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
