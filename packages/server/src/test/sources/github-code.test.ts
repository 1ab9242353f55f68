/** Tests GitHub code search against a peer on this machine. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { SourceError, type SourceErrorKind } from '../../errors.ts';
import { githubCode } from '../../sources/catalog/github-code.ts';
import { createSourceEnvironment } from '../../sources/source-environment.ts';
import { NO_DATA_DIR } from '../environment.ts';
import {
  type GitFile,
  type GitHubPeer,
  type Handler,
  itemOf,
  openGitHub,
  send,
} from './github-peer.ts';
import { contextOf, type Settings, testFederatedSource } from './harness.ts';

const FILES: readonly GitFile[] = [
  { repository: 'acme/web', path: 'src/retry.ts', text: 'export function retry() {}' },
  { repository: 'acme/api', path: 'lib/client.py', text: 'def retry(client):\n    pass' },
  { repository: 'evil/x', path: 'retry.ts', text: 'retry the secret' },
];

testFederatedSource(githubCode, 'retry', async () => {
  const peer = await openGitHub(FILES);
  const config = { base_url: peer.baseUrl };
  const nowhere = await openGitHub([]);
  await nowhere.close();
  return {
    config,
    credentials: { token: peer.token },
    close: peer.close,
    wrong: [
      {
        name: 'token',
        credentials: { token: 'ghp_wrong' },
        kind: 'auth',
        says: /\/user answered 401/,
      },
      { name: 'line', credentials: { token: 'a\nb' }, kind: 'auth', says: /cannot be sent/ },
      {
        name: 'path',
        config: { base_url: `${peer.baseUrl}/api/v3` },
        kind: 'skip',
        says: /answered 404/,
      },
      {
        name: 'nobody',
        config: { base_url: nowhere.baseUrl },
        kind: 'transient',
        says: /ECONNREFUSED/,
      },
    ],
  };
});

describe('github_code', () => {
  let peer: GitHubPeer;
  before(async () => {
    peer = await openGitHub(FILES);
  });
  after(() => peer.close());
  beforeEach(() => {
    peer.instead = [];
    peer.asked = [];
  });

  const settings = (scope?: string): Settings => ({
    config: { base_url: peer.baseUrl, ...(scope && { scope }) },
    credentials: { token: peer.token },
  });
  const search = (query: string, scope?: string) =>
    githubCode.search!(contextOf(githubCode, settings(scope)), query, 50);
  const ids = async (query: string, scope?: string) =>
    (await search(query, scope)).map(({ id }) => id);
  const refuses = async (handler: Handler, kind: SourceErrorKind, retryAfter?: number) => {
    peer.instead = [handler];
    await assert.rejects(search('retry'), (error) => {
      assert.ok(error instanceof SourceError, String(error));
      assert.equal(error.kind, kind, error.message);
      assert.equal(error.retryAfter, retryAfter, error.message);
      assert.doesNotMatch(error.message, /ghp_|q=/);
      return true;
    });
  };

  it('shows the passages of a file, and the place of the file', async () => {
    const [entity] = await search('retry', 'repo:acme/api');
    assert.deepEqual(entity, {
      id: 'acme/api/lib/client.py',
      type: 'GitHubCodeFile',
      name: 'client.py',
      text: 'def retry(client):\n    pass',
      url: 'https://github.com/acme/api/blob/3f5a/lib/client.py',
      breadcrumbs: [{ id: 'acme/api', name: 'acme/api', type: 'Repository' }],
      fields: { repository: 'acme/api', path: 'lib/client.py', sha: '3f5a' },
    });
  });

  it('shows the path when only the path of the file matches', async () => {
    const [entity] = await search('lib', 'org:acme');
    assert.equal(entity?.text, 'lib/client.py');
  });

  it('shows only passages of the content, and the path when there are none', async () => {
    const [file] = FILES;
    const text_matches = [
      { property: 'path', fragment: 'src/retry.ts' },
      { property: 'content', fragment: 'retry()' },
      { property: null, fragment: 'nothing' },
      { fragment: 'nothing' },
      { property: 'content', fragment: 'retry(2)' },
    ];
    const { text_matches: _, ...bare } = itemOf(file!, null);
    const items = [{ ...bare, text_matches }, bare];
    peer.instead = [(_, response) => send(response, 200, { items })];
    const texts = (await search('retry')).map(({ text }) => text);
    assert.deepEqual(texts, ['retry()\n\nretry(2)', 'src/retry.ts']);
  });

  it('searches only within the scope, whatever the query contains', async () => {
    assert.deepEqual(await ids('retry', 'org:acme'), [
      'acme/web/src/retry.ts',
      'acme/api/lib/client.py',
    ]);
    await ids('retry repo:evil/x OR user:evil', 'org:acme');
    assert.equal(peer.asked.at(-1), 'retry repo evil x user org:acme');
  });

  it('drops results outside the scope if GitHub returns any', async () => {
    const items = FILES.map((file) => itemOf(file, file.text));
    peer.instead = [(_, response) => send(response, 200, { total_count: 3, items })];
    assert.deepEqual(await ids('retry', 'repo:acme/web'), ['acme/web/src/retry.ts']);
  });

  it('sends no request for a query without words', async () => {
    assert.deepEqual(await ids('?!'), []);
    assert.deepEqual(peer.asked, []);
  });

  it('accepts a query of any length', async () => {
    assert.deepEqual(await ids(`retry ${'client '.repeat(500)}`), ['acme/api/lib/client.py']);
    assert.deepEqual(await ids(Array.from({ length: 2000 }, (_, i) => `w${i}`).join(' ')), []);
  });

  it('gives each refusal of GitHub its kind and the time to wait', async () => {
    const answers =
      (status: number, headers: Record<string, string> = {}): Handler =>
      (_, response) =>
        send(response, status, { message: 'no' }, headers);
    const date = new Date().toUTCString();
    const reset = `${Date.parse(date) / 1000 + 42}`;
    const limits = { date, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset };
    await refuses(answers(401), 'auth');
    await refuses(answers(403), 'skip');
    await refuses(answers(403, limits), 'rate_limited', 42);
    await refuses(answers(429, limits), 'rate_limited', 42);
    await refuses(answers(403, { 'retry-after': '7' }), 'rate_limited', 7);
    await refuses(answers(429), 'rate_limited');
    await refuses(answers(422), 'fatal');
    await refuses((_, response) => send(response, 200, { items: [{ name: 1 }] }), 'fatal');
    assert.equal(peer.asked.length, 8, 'no refusal leads to a second attempt');
  });

  it('asks again after an incomplete answer', async () => {
    peer.instead = [(_, response) => response.writeHead(200).end('{"items": [')];
    assert.deepEqual(await ids('retry', 'repo:acme/web'), ['acme/web/src/retry.ts']);
    assert.equal(peer.asked.length, 2);
  });

  it('[GEN-34] does not connect to this machine unless the operator allows it', async () => {
    const environment = createSourceEnvironment({
      singleUser: true,
      QUARRY_DATA_DIR: NO_DATA_DIR,
      QUARRY_SOURCE_NETWORKS: [],
      QUARRY_FILES_ROOTS: [],
      QUARRY_ALLOW_LOOPBACK: false,
    });
    const ctx = contextOf(githubCode, settings(), { environment });
    await assert.rejects(githubCode.search!(ctx, 'retry', 50), { kind: 'config' });
    assert.deepEqual(peer.asked, []);
  });
});
