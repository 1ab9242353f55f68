import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createPages } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { readConfig } from '../config.ts';
import { openTestApi, type TestApi } from '../test/api/harness.ts';
import { openChromium, skipWithoutChromium } from '../test/browser/chromium.ts';
import { DATABASES } from '../test/databases.ts';
import { must } from '../util.ts';

const APP = 'https://app.example.com';
const EVIL = 'https://evil.example.com';
const ASKED = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization',
};

const corsHeaders = (headers: Readonly<Record<string, unknown>>) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));

describe('pages of other origins', () => {
  let api: TestApi;
  let plain: TestApi;
  before(async () => {
    api = await openTestApi(await must(DATABASES[0]).open(), { corsOrigins: [APP] });
    plain = await openTestApi(await must(DATABASES[0]).open());
  });
  after(() => Promise.all([api.close(), plain.close()]));

  const preflight = (to: TestApi, origin: string, url = '/v1/collections') =>
    to.api.inject({ method: 'OPTIONS', url, headers: { origin, ...ASKED } });

  it('may not call the API when no origin is named', async () => {
    const { statusCode, headers } = await preflight(plain, APP);
    assert.deepEqual([statusCode, corsHeaders(headers)], [405, []]);
    const got = await plain.call('GET', '/v1/collections', { headers: { origin: APP } });
    assert.deepEqual(
      [got.status, corsHeaders(got.headers), got.headers.vary],
      [200, [], undefined],
    );
  });

  it('may call the API from a named origin, with a key and without cookies', async () => {
    const { statusCode, headers, body } = await preflight(api, APP);
    assert.deepEqual([statusCode, body, headers.vary], [204, '', 'Origin']);
    assert.equal(headers['access-control-allow-origin'], APP);
    assert.equal(headers['access-control-allow-methods'], 'GET, HEAD, POST, PUT, PATCH, DELETE');
    for (const name of ['Authorization', 'Content-Type', 'X-API-Key', 'X-Principals'])
      assert.ok(String(headers['access-control-allow-headers']).split(', ').includes(name), name);
    assert.equal(headers['access-control-allow-credentials'], undefined);
    const got = await api.call('GET', '/v1/collections', { headers: { origin: APP } });
    assert.deepEqual(
      [got.status, got.headers['access-control-allow-origin'], got.headers.vary],
      [200, APP, 'Origin'],
    );
    assert.match(
      String(got.headers['access-control-expose-headers']),
      /X-Total-Count.*Retry-After/,
    );
    assert.equal(got.headers['access-control-allow-credentials'], undefined);
  });

  it('may read a refusal', async () => {
    const got = await api.call('GET', '/v1/collections', { key: null, headers: { origin: APP } });
    assert.deepEqual([got.status, got.headers['access-control-allow-origin']], [401, APP]);
  });

  for (const origin of [
    EVIL,
    `${APP}.evil.example.com`,
    'http://app.example.com',
    `${APP}:8443`,
    'null',
    '*',
  ])
    it(`may not call the API from ${origin} when another origin is named`, async () => {
      const { statusCode, headers } = await preflight(api, origin);
      assert.deepEqual([statusCode, corsHeaders(headers), headers.vary], [405, [], 'Origin']);
      const got = await api.call('GET', '/v1/collections', { headers: { origin } });
      assert.deepEqual([corsHeaders(got.headers), got.headers.vary], [[], 'Origin']);
    });

  it('may not use the tool server, whose own check refuses them', async () => {
    assert.deepEqual(corsHeaders((await preflight(api, APP, '/mcp')).headers), []);
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const { status, headers } = await api.call('POST', '/mcp', { body, headers: { origin: APP } });
    assert.deepEqual([status, corsHeaders(headers)], [403, []]);
  });

  it('a program asks with OPTIONS as before', async () => {
    const { statusCode, headers } = await api.api.inject({
      method: 'OPTIONS',
      url: '/v1/collections',
    });
    assert.deepEqual([statusCode, headers.allow], [405, 'GET, HEAD, POST']);
  });

  for (const origin of [
    '*',
    'null',
    'app.example.com',
    `${APP}/`,
    `${APP}/page`,
    'file:///x',
    'https://a.example.com:443',
  ])
    it(`'${origin}' is not an origin that the setting takes`, () => {
      assert.throws(
        () => readConfig({ QUARRY_CORS_ORIGINS: `https://ok.example.com,${origin}` }),
        /give origins/,
      );
    });

  it('a browser lets a page of a named origin search, and no other page', {
    skip: skipWithoutChromium,
  }, async () => {
    const pages = createPages((_request, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><title>Page</title>'),
    ).listen(0, '127.0.0.1');
    await once(pages, 'listening');
    const { port } = pages.address() as AddressInfo;
    const named = `http://127.0.0.1:${port}`;
    const served = await openTestApi(await must(DATABASES[0]).open(), { corsOrigins: [named] });
    const address = await served.api.listen({ host: '127.0.0.1', port: 0 });
    const chromium = await openChromium();
    try {
      const page = await (await chromium.person()).newPage();
      const ask = async (from: string, credentials: 'omit' | 'include' = 'omit') => {
        await page.goto(from);
        return page.evaluate(
          async ([url, key, credentials]) => {
            try {
              const response = await fetch(`${url}/v1/collections`, {
                method: 'POST',
                credentials,
                headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
                body: JSON.stringify({ name: 'From a page' }),
              });
              const { name } = (await response.json()) as { name: string };
              return [response.status, name, response.headers.get('x-request-id') !== null];
            } catch (error) {
              return [(error as Error).message];
            }
          },
          [address, served.adminKey, credentials] as const,
        );
      };
      assert.deepEqual(await ask(named), [200, 'From a page', true]);
      assert.deepEqual(await ask(`http://localhost:${port}`), ['Failed to fetch']);
      const { body } = await served.call('GET', '/v1/collections');
      assert.equal(body.length, 1);
    } finally {
      await chromium.close();
      await served.close();
      pages.close();
    }
  });
});
