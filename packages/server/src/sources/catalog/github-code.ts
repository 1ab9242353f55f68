/** This source searches files of GitHub or GitHub Enterprise with GitHub's code search. Nothing is copied. */
import { z } from 'zod';
import { defineSource, type SourceContext, secret } from '../define.ts';
import { CodeFile, SearchResult, toEntity, User } from '../github-code/answer.ts';
import { retryAfterOfLimits } from '../github-code/limits.ts';
import { isWithin, Scope, searchText } from '../github-code/query.ts';
import { type Http, openHttp } from '../http.ts';
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

export const githubCode = defineSource({
  shortName: 'github_code',
  name: 'GitHub code search',
  description: 'Source code on GitHub, searched live: nothing of it is copied.',
  labels: ['Code'],
  auth: { direct: { fields: Credentials } },
  config: Config,
  entities: { GitHubCodeFile: CodeFile },
  rateLimitLevel: 'connection',

  async check(ctx) {
    await open(ctx).json({ path: 'user' }, User);
  },

  async search(ctx, query, limit) {
    const { scope } = ctx.config;
    const q = searchText(query, scope);
    if (q === null) return [];
    const request = { path: 'search/code', query: { q, per_page: limit } };
    const { value } = await open(ctx).json(request, SearchResult);
    return value.items
      .filter(({ repository }) => isWithin(scope, repository.full_name))
      .map(toEntity);
  },
});

/** A search fails at once when GitHub asks us to wait, because a person waits for the result. */
const open = (ctx: SourceContext<z.infer<typeof Config>, z.infer<typeof Credentials>>): Http =>
  openHttp(ctx, {
    baseUrl: ctx.config.base_url,
    headers: {
      accept: 'application/vnd.github.text-match+json',
      authorization: `Bearer ${ctx.credentials.token}`,
      'x-github-api-version': '2022-11-28',
    },
    patience: 0,
    retryAfter: retryAfterOfLimits,
  });
