import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { fetchOf } from './fetch.ts';

describe('the fetch of a model', () => {
  let base: string;
  const asked: string[] = [];
  let react: (response: ServerResponse) => void;
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    react(response);
  });

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  after(() => server.close());

  const way = (maxBytes?: number) =>
    fetchOf({ provider: 'openai', model: 'm', url: base }, maxBytes);

  it('reaches only the configured address', async () => {
    react = (response) => response.end('here');
    for (const input of [`${base}/chat`, new URL(`${base}/chat`), new Request(`${base}/chat`)])
      assert.equal(await (await way()(input)).text(), 'here');
    const { origin } = new URL(base);
    for (const url of [`${origin}/chat`, `${base}-evil/chat`, base, 'http://127.0.0.1:1/v1/chat'])
      for (const input of [url, new URL(url), new Request(url)])
        await assert.rejects(way()(input), /no request may go beyond/, url);
    assert.deepEqual(asked.splice(0), Array(3).fill('/v1/chat'));
  });

  it('does not follow a redirect, even within the address', async () => {
    react = (response) => response.writeHead(307, { location: `${base}/other` }).end('moved');
    const response = await way()(`${base}/chat`, { redirect: 'follow' });
    assert.deepEqual([response.status, await response.text()], [307, 'moved']);
    assert.deepEqual(asked.splice(0), ['/v1/chat']);
  });

  it('accepts an answer of maxBytes bytes, and fails when it has one more', async () => {
    react = (response) => response.end('x'.repeat(1000));
    assert.equal((await (await way(1000)(`${base}/chat`)).text()).length, 1000);
    await assert.rejects(way(999)(`${base}/chat`), /an answer of over 999 bytes/);
    asked.splice(0);
  });
});
