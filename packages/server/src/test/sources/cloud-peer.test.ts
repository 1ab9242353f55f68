/** Tests that the server of the fakes makes exactly the faults that a test asks for. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type CloudPeer, json, openCloudPeer, type PeerRequest } from './cloud-peer.ts';

describe('the server of a fake', () => {
  let peer: CloudPeer;
  let served = 0;
  beforeEach(async () => {
    served = 0;
    const answer = ({ url }: PeerRequest) => {
      if (url.pathname === '/broken') throw new Error('the fake is wrong');
      if (url.pathname === '/stream')
        return { status: 200, body: Readable.from(['one ', 'two ', 'three']) };
      return json(200, { path: url.pathname, served: ++served }, { 'x-kind': 'fake' });
    };
    peer = await openCloudPeer(answer, { place: ['page'] });
  });
  afterEach(() => peer.close().catch(() => undefined));

  const ask = (path: string, init?: RequestInit) => fetch(`${peer.baseUrl}${path}`, init);
  const read = async (path: string) => (await ask(path)).json();

  it('answers as the fake does, and records the request', async () => {
    const answer = await ask('/a?b=c', {
      method: 'POST',
      body: 'the body',
      headers: { 'x-a': '1' },
    });
    assert.deepEqual(
      [answer.status, answer.headers.get('x-kind'), await answer.json()],
      [200, 'fake', { path: '/a', served: 1 }],
    );
    const [request] = peer.requests;
    assert.equal(peer.requests.length, 1);
    assert.deepEqual(
      [request?.method, request?.url.search, request?.body, request?.headers['x-a']],
      ['POST', '?b=c', 'the body', '1'],
    );
    assert.equal(await (await ask('/stream')).text(), 'one two three');
  });

  it('calls `fault` with the number of the request, and sends the answer of `fault`', async () => {
    peer.fault = (_, n) => (n === 1 ? json(429, { slow: true }) : undefined);
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await ask('/a')).status);
    assert.deepEqual(statuses, [200, 429, 200]);
    assert.equal(served, 2, 'the fake was not asked for the refused request');
  });

  it('breaks off an answer in the middle, from a text or from a stream', async () => {
    peer.fault = () => 'cut';
    for (const path of ['/a', '/stream']) {
      const answer = await ask(path);
      assert.equal(answer.status, 200);
      await assert.rejects(answer.text());
    }
  });

  it("never answers a request with the fault 'hang'", async () => {
    peer.fault = () => 'hang';
    await assert.rejects(ask('/a', { signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' });
    assert.equal(peer.requests.length, 1);
  });

  it('repeats no answer to a question that is not about a page, and refuses as the address does', async () => {
    const answer = ({ url }: PeerRequest) =>
      json(200, { asked: url.search, ...(url.search === '?token=a' && { next: 'b' }) });
    const other = await openCloudPeer(answer, {
      ...{ place: ['token'], others: ['latest'] },
      refusalAt: ({ url }, refusal) =>
        url.pathname === '/file' ? { ...refusal, status: 429 } : refusal,
    });
    const asked = async (path: string) => {
      const { asked } = (await (await fetch(`${other.baseUrl}${path}`)).json()) as {
        asked: string;
      };
      return { asked };
    };
    await asked('/list?token=latest');
    other.fault = () => 'again';
    assert.deepEqual(await asked('/list?token=latest'), { asked: '?token=latest' });
    assert.deepEqual(await asked('/list?token=a'), { asked: '?token=a' });
    assert.deepEqual(await asked('/list?token=b'), { asked: '?token=a' });
    assert.deepEqual(
      await asked('/list?token=c'),
      { asked: '?token=c' },
      'another listing goes on',
    );
    assert.deepEqual(await asked('/list'), { asked: '' }, 'a listing begins');
    other.fault = () => json(200, { ok: false });
    const statuses = ['/file', '/api'].map(
      async (path) => (await fetch(`${other.baseUrl}${path}`)).status,
    );
    assert.deepEqual(await Promise.all(statuses), [429, 200]);
    await other.close();
  });

  it('repeats the previous answer to a request of the same kind', async () => {
    await read('/a?page=1');
    peer.fault = (_, n) => (n >= 3 ? 'again' : undefined);
    await read('/a?page=1');
    await read('/b?page=1');
    assert.deepEqual(await read('/a?page=2'), { path: '/a', served: 2 });
    assert.deepEqual(await read('/b?page=2'), { path: '/b', served: 3 });
    assert.deepEqual(await read('/c'), { path: '/c', served: 4 }, 'there is no previous answer');
    peer.fault = () => 'again';
    assert.deepEqual(
      await read('/a?page=3'),
      { path: '/a', served: 5 },
      'the previous answers are from before `fault` was set',
    );
  });

  for (const [type, write] of [
    ['application/json', (list: object) => JSON.stringify({ list })],
    ['application/x-www-form-urlencoded', (list: object) => `${new URLSearchParams({ ...list })}`],
  ] as const)
    it(`repeats only an answer to the same query, in the address or in a body of ${type}`, async () => {
      const headers = { 'content-type': type };
      const servedOf = async (answer: Promise<Response>) =>
        ((await (await answer).json()) as { readonly served: number }).served;
      const get = (of: string, page: string) => servedOf(ask(`/a?of=${of}&page=${page}`));
      const post = (of: string, page: string) =>
        servedOf(ask('/a', { method: 'POST', headers, body: write({ of, page }) }));
      peer.fault = (_, n) => (n >= 4 ? 'again' : undefined);
      assert.deepEqual([await get('x', '1'), await get('y', '1')], [1, 2]);
      assert.deepEqual([await post('x', '1'), await post('y', '1')], [3, 4]);
      assert.deepEqual([await post('x', '2'), await post('y', '2')], [3, 4]);
      assert.equal(await get('x', '2'), 1);
      assert.equal(await get('z', '2'), 5, 'there is no previous answer');
    });

  it('repeats no answer of a listing that has ended, when the listing begins again', async () => {
    peer.fault = (_, n) => (n >= 2 ? 'again' : undefined);
    await read('/a?page=1');
    await read('/a?page=2');
    assert.deepEqual(await read('/a?page=1'), { path: '/a', served: 3 });
    assert.deepEqual(await read('/a?page=2'), { path: '/a', served: 3 });
  });

  it('throws an error of the fake when it is closed', async () => {
    await assert.rejects(ask('/broken'));
    await assert.rejects(peer.close(), { message: 'the fake is wrong' });
  });

  it('does not report a client that disconnects as an error of the fake', async () => {
    const { hostname, port } = new URL(peer.baseUrl);
    const client = connect(Number(port), hostname);
    client.write(
      'POST /a HTTP/1.1\r\nHost: fake\r\nContent-Length: 99\r\nExpect: 100-continue\r\n\r\nhalf',
    );
    assert.match(String((await once(client, 'data'))[0]), /^HTTP\/1.1 100 /);
    client.destroy();
    await once(client, 'close');
    // After the peer has answered another request, it has also noticed that the first client has
    // disconnected.
    await read('/b');
    await peer.close();
  });
});
