/**
 * Serves the two endpoints of GitHub's REST API that a code search needs, on this machine, as its documentation
 * describes them: words that must all be in a file, qualifiers that say where, refusals and limits. Every request, and
 * every answer that a test does not give itself, is checked by GitHub's OpenAPI document.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openContract } from '../contracts/open-contract.ts';
import { json } from './cloud-peer.ts';

const contract = openContract('github');

export interface GitFile {
  readonly repository: string;
  readonly path: string;
  readonly text: string;
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export type GitHubPeer = Awaited<ReturnType<typeof openGitHub>>;

const LONGEST = 256;

export async function openGitHub(files: readonly GitFile[]) {
  const peer = {
    baseUrl: '',
    token: 'ghp_right',
    files: [...files],
    /** The queries are kept as they came. */
    asked: [] as string[],
    /** The peer reacts in this way instead, request by request. */
    instead: [] as Handler[],
    /** Throws the first error of the fake itself, because a connector takes such an error for a fault of the service. */
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
      if (errors.length > 0) throw errors[0];
    },
  };
  const errors: unknown[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    if (url.pathname === '/search/code') peer.asked.push(url.searchParams.get('q') ?? '');
    const handler = peer.instead.shift();
    if (handler) return handler(request, response);
    const { headers, method = '' } = request;
    if (!headers['user-agent']) return send(response, 403, { message: 'Request forbidden' });
    if (headers.authorization !== `Bearer ${peer.token}`)
      return send(response, 401, { message: 'Bad credentials' });
    if (!contract.operationOf({ method, url }))
      return send(response, 404, { message: 'Not Found' });
    const [status, body] = answer(url, String(headers.accept));
    try {
      contract.checked({ method, url, headers, body: '', at: 0 }, json(status, body));
      send(response, status, body);
    } catch (error) {
      errors.push(error);
      response.destroy();
    }
  });

  function answer(url: URL, accept: string): [status: number, body: object] {
    if (url.pathname === '/user')
      return [200, contract.complete('public-user', { login: 'octocat', id: 1 })];
    const perPage = Number(url.searchParams.get('per_page') ?? 30);
    const withText = accept.includes('text-match');
    const found = search(peer.files, url.searchParams.get('q') ?? '', perPage, withText);
    return found
      ? [200, found]
      : [422, { message: 'Validation Failed', documentation_url: 'https://docs.github.com/rest' }];
  }
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  peer.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return peer;
}

export function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** Returns undefined for a query that GitHub would refuse. */
function search(files: readonly GitFile[], q: string, perPage: number, withText: boolean) {
  const parts = q.split(' ').filter((part) => part !== '');
  const qualifiers = parts.filter((part) => /^(org|user|repo):/.test(part));
  const words = parts.filter((part) => !qualifiers.includes(part));
  if (words.length === 0 || words.join(' ').length > LONGEST || perPage > 100) return undefined;
  const found = files.filter(
    ({ repository, path, text }) =>
      words.every((word) => `${path} ${text}`.toLowerCase().includes(word.toLowerCase())) &&
      (qualifiers.length === 0 ||
        qualifiers.some((one) => `${repository}/`.startsWith(place(one)))),
  );
  const items = found
    .slice(0, perPage)
    .map((file) => itemOf(file, withText && file.text.includes(words[0] ?? '') ? file.text : null));
  return { total_count: found.length, incomplete_results: false, items };
}

const place = (qualifier: string) => `${qualifier.split(':')[1]}/`;

export function itemOf({ repository, path }: GitFile, fragment: string | null) {
  const [owner = '', name = ''] = repository.split('/');
  return contract.complete('code-search-result-item', {
    name: path.split('/').at(-1),
    path,
    sha: '3f5a',
    html_url: `https://github.com/${repository}/blob/3f5a/${path}`,
    repository: { name, full_name: repository, owner: { login: owner } },
    score: 1,
    ...(fragment !== null && {
      text_matches: [
        {
          object_url: `https://api.github.com/repositories/1/contents/${path}`,
          object_type: 'FileContent',
          property: 'content',
          fragment,
          matches: [{ text: fragment.slice(0, 3), indices: [0, 3] }],
        },
      ],
    }),
  });
}
