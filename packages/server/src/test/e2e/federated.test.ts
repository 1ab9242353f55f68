/** The real program, its search thread included, asks a service over a socket. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type GitHubPeer, openGitHub } from '../sources/github-peer.ts';
import { type Server, startServer, TEST_KEY, tempDir } from './process.ts';

describe('a federated source of a running service', () => {
  const dir = tempDir();
  let peer: GitHubPeer;
  before(async () => {
    peer = await openGitHub([
      { repository: 'acme/web', path: 'src/retry.ts', text: 'function retry(times) {}' },
      { repository: 'evil/x', path: 'retry.ts', text: 'function retry(secret) {}' },
    ]);
  });
  after(async () => {
    await peer.close();
    dir.remove();
  });

  const connect = async (server: Server, collection: string) => {
    const made = await server.call('POST', '/v1/collections', {
      name: 'Code of Acme',
      readable_id: collection,
    });
    assert.equal(made.body.status, 'NEEDS_SOURCE');
    return server.call('POST', '/v1/source-connections', {
      name: 'Code on GitHub',
      short_name: 'github_code',
      readable_collection_id: collection,
      authentication: { credentials: { token: peer.token } },
      config: { base_url: peer.baseUrl, scope: 'org:acme' },
    });
  };

  it('[GEN-34] [COL-22] [FED-02] [FED-03] is searched on loopback where the operator allows it', async () => {
    const env = { QUARRY_API_KEY: TEST_KEY, QUARRY_ALLOW_LOOPBACK: 'true' };
    const server = await startServer(join(dir.path, 'allowed'), { env });
    try {
      const { status, body } = await connect(server, 'code');
      assert.deepEqual([status, body.status], [200, 'ACTIVE'], JSON.stringify(body));
      const place = await server.call('GET', '/v1/collections/code');
      assert.equal(place.body.status, 'ACTIVE');
      const search = () =>
        server.call('POST', '/v1/collections/code/search', { query: 'How does retry work?' });
      const found = await search();
      assert.deepEqual(
        found.body.results.map((one: { entity_id: string }) => one.entity_id),
        [],
        'all words must be in a file',
      );
      assert.equal(peer.asked.at(-1), 'retry work org:acme');
      const { body: answer } = await server.call('POST', '/v1/collections/code/search', {
        query: 'retry NOT org:acme',
      });
      assert.deepEqual(
        answer.metadata.federated.map((one: { status: string }) => one.status),
        ['answered'],
      );
      const again = await server.call('POST', '/v1/collections/code/search', { query: 'retry' });
      const [result] = again.body.results;
      assert.deepEqual(
        [again.body.results.length, result.entity_id, result.md_content, result.breadcrumbs],
        [1, 'acme/web/src/retry.ts__chunk_0', 'function retry(times) {}', ['acme/web']],
      );

      peer.token = 'ghp_renewed';
      const refused = await search();
      assert.match(refused.body.metadata.federated[0].message, /\/search\/code answered 401/);
      const { body: needs } = await server.call('GET', `/v1/source-connections/${body.id}`);
      assert.equal(needs.status, 'NEEDS_REAUTH');
      const { status: patched } = await server.call('PATCH', `/v1/source-connections/${body.id}`, {
        authentication: { credentials: { token: 'ghp_renewed' } },
      });
      assert.equal(patched, 200);
      assert.equal((await search()).body.metadata.federated[0].status, 'answered');
      assert.doesNotMatch(server.stderr() + server.stdout(), /ghp_/);
    } finally {
      await server.stop();
    }
  });

  it('[GEN-34] is refused on loopback otherwise', async () => {
    const server = await startServer(join(dir.path, 'plain'));
    try {
      const before = peer.asked.length;
      const { status, body } = await connect(server, 'code');
      assert.deepEqual([status, body.detail[0].loc], [422, ['body', 'config']]);
      assert.match(body.detail[0].msg, /is not at a public address/);
      assert.equal(peer.asked.length, before);
    } finally {
      await server.stop();
    }
  });
});
