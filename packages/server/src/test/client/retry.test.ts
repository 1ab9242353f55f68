import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { bodyOf, createQuarryClient } from 'quarry-client';

/** The server gives these answers, one after the other. */
type Reply = (response: ServerResponse) => void;

const refuse =
  (status: number, retryAfter = '0'): Reply =>
  (response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', 'retry-after': retryAfter })
      .end(JSON.stringify({ detail: `refused ${status}`, code: 'later', request_id: 'r' }));
const serve: Reply = (response) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"name": "Birds"}');
const hangUp: Reply = (response) => response.destroy();

describe('requests of quarry-client that fail', () => {
  let server: Server;
  let url: string;
  let replies: Reply[] = [];
  let bodies: string[] = [];

  before(async () => {
    server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      bodies.push(body);
      (replies.shift() ?? serve)(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  async function ask(
    method: 'GET' | 'POST' | 'DELETE',
    answers: Reply[],
    options: { retries?: number; signal?: AbortSignal } = {},
  ) {
    replies = [...answers];
    bodies = [];
    const { retries, signal } = options;
    const client = createQuarryClient({
      url,
      apiKey: 'k',
      ...(retries !== undefined && { retries }),
    });
    const params = { path: { readable_id: 'birds' } };
    const init = signal ? { signal } : {};
    const asked = {
      GET: () => bodyOf(client.GET('/v1/collections/{readable_id}', { params, ...init })),
      POST: () => bodyOf(client.POST('/v1/collections', { body: { name: 'Birds' }, ...init })),
      DELETE: () => bodyOf(client.DELETE('/v1/collections/{readable_id}', { params, ...init })),
    };
    const outcome = await asked[method]().then(
      ({ name }) => name,
      (error: { status?: number; name: string }) => error.status ?? error.name,
    );
    return [outcome, bodies.length];
  }

  it('[PSH-14] are not sent again after a 503 when they are a push that waits and has no key', async () => {
    const push = async (query: { wait?: 'true' }, header: Record<string, string>) => {
      replies = [refuse(503)];
      bodies = [];
      const client = createQuarryClient({ url, apiKey: 'k' });
      const asked = client.POST('/v1/source-connections/{id}/entities', {
        params: { path: { id: 'x' }, query },
        body: { entities: [{ entity_id: 'a', name: 'a', text: 'an older text' }] },
        headers: header,
      });
      const { response } = await asked;
      return [response.status, bodies.length];
    };
    assert.deepEqual(await push({ wait: 'true' }, {}), [503, 1]);
    assert.deepEqual(await push({ wait: 'true' }, { 'Idempotency-Key': 'k1' }), [200, 2]);
    assert.deepEqual(await push({}, {}), [200, 2]);
  });

  it('are sent again after 429 and 503, whatever their method, with the same body', async () => {
    assert.deepEqual(await ask('POST', [refuse(503), refuse(429)]), ['Birds', 3]);
    assert.deepEqual(new Set(bodies), new Set(['{"name":"Birds"}']));
    assert.deepEqual(await ask('GET', [refuse(429), refuse(503)]), ['Birds', 3]);
  });

  it('are sent again after a broken connection, or the failure of a proxy, only when that changes nothing more', async () => {
    assert.deepEqual(await ask('GET', [hangUp]), ['Birds', 2]);
    assert.deepEqual(await ask('DELETE', [refuse(502)]), ['Birds', 2]);
    assert.deepEqual(await ask('POST', [hangUp]), ['TypeError', 1]);
    assert.deepEqual(await ask('POST', [refuse(502)]), [502, 1]);
  });

  it('are not sent again after other refusals', async () => {
    for (const status of [400, 404, 409, 422, 500])
      assert.deepEqual(await ask('GET', [refuse(status)]), [status, 1]);
  });

  it('are sent again only so many times, and not when the service asks for a long wait', async () => {
    const always = Array.from({ length: 9 }, () => refuse(503));
    assert.deepEqual(await ask('GET', always), [503, 3]);
    assert.deepEqual(await ask('GET', always, { retries: 0 }), [503, 1]);
    assert.deepEqual(await ask('GET', [refuse(429, '31')]), [429, 1]);
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    assert.deepEqual(await ask('GET', [refuse(429, date)]), [429, 1]);
    assert.deepEqual(await ask('GET', [refuse(429, new Date(0).toUTCString())]), ['Birds', 2]);
  });

  it('are not sent again after their caller has given up', async () => {
    const giveUp = new AbortController();
    const refuseAndGiveUp: Reply = (response) => {
      refuse(503, '20')(response);
      response.on('finish', () => setImmediate(() => giveUp.abort()));
    };
    assert.deepEqual(await ask('GET', [refuseAndGiveUp], { signal: giveUp.signal }), [
      'AbortError',
      1,
    ]);
  });
});
