/** The contract of GitHub. Its document has 13 MB, and the package that carries it more than 300 MB. */
import { gets, type HttpContract } from '../contract.ts';

export const GITHUB: HttpContract = {
  title: 'GitHub REST API',
  origin: {
    address: 'https://github.com/github/rest-api-description',
    date: '2026-09-09',
    license: 'MIT',
    npm: '@octokit/openapi@23.0.2',
    file: 'generated/api.github.com.json',
  },
  operations: gets('', [
    '/user',
    '/user/repos',
    '/users/{username}',
    '/users/{username}/repos',
    '/orgs/{org}/repos',
    '/repos/{owner}/{repo}',
    '/repos/{owner}/{repo}/branches',
    '/repos/{owner}/{repo}/branches/{branch}',
    '/repos/{owner}/{repo}/collaborators',
    '/repos/{owner}/{repo}/git/blobs/{file_sha}',
    '/repos/{owner}/{repo}/git/trees/{tree_sha}',
    '/repos/{owner}/{repo}/issues',
    '/repos/{owner}/{repo}/issues/comments',
    '/repos/{owner}/{repo}/issues/{issue_number}/comments',
    '/repos/{owner}/{repo}/pulls/comments',
    '/repos/{owner}/{repo}/pulls/{pull_number}/comments',
    '/search/code',
  ]),
  amendments: [
    {
      reason:
        'GitHub sends the blob itself when `accept` asks for application/vnd.github.raw+json.',
      files: {
        'GET /repos/{owner}/{repo}/git/blobs/{file_sha}': ({ headers }) =>
          String(headers.accept).includes('.raw'),
      },
    },
  ],
};
