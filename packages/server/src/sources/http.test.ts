/** The tests use real sockets, because a fake in memory would not break answers in the way that a real network does. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import { SourceError, type SourceErrorKind } from '../errors.ts';
import { createSend, type Send } from '../net/guarded-send.ts';
import { anywhere } from '../test/environment.ts';
import { type SkippedWaits, skipWaits } from '../test/skip-waits.ts';
import { type HttpRequest, type HttpService, openHttp } from './http.ts';

const Page = z.object({ items: z.array(z.number()) });
const PAGE = JSON.stringify({ items: [1, 2, 3] });

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

describe('HTTP of a source', () => {
  /**
   * The service handles the first request with the first handler, and so on; the last handler is used for all further
   * requests.
   */
  let script: Handler[] = [];
  let asked: { url: string; method: string; headers: IncomingMessage['headers']; body: string }[];
  let meter = { requests: 0, bytes: 0 };
  let origin = '';
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const { url = '', method = '', headers } = request;
    asked.push({ url, method, headers, body });
    (script.length > 1 ? script.shift() : script[0])!(request, response);
  });
  before(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  let skipped: SkippedWaits;
  beforeEach(() => {
    asked = [];
    meter = { requests: 0, bytes: 0 };
    // Pauses of this length or longer are skipped; only the pauses between two attempts are so long.
    skipped = skipWaits(100);
  });
  afterEach(() => skipped.restore());

  const ask = async (
    request: HttpRequest = { path: 'pages' },
    {
      signal = new AbortController().signal,
      send = anywhere.send,
      baseUrl = `${origin}/v2`,
      token = 't0p',
      ...service
    }: Partial<HttpService & { signal: AbortSignal; send: Send; token: string }> = {},
  ) => {
    const headers = { authorization: `Bearer ${token}` };
    const http = openHttp({ send, meter, signal }, { baseUrl, headers, ...service });
    return (await http.json(request, Page)).value.items;
  };
  const refuses = (kind: SourceErrorKind, message: RegExp, ...how: Parameters<typeof ask>) =>
    assert.rejects(ask(...how), (error) => {
      assert.ok(error instanceof SourceError, String(error));
      assert.equal(error.kind, kind);
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /t0p|secret=/);
      return true;
    });

  const json: Handler = (_, response) => response.end(PAGE);
  const status =
    (code: number, headers: Record<string, string> = {}): Handler =>
    (_, response) =>
      response.writeHead(code, headers).end('nope');

  it('asks below the base URL, with its headers, and counts what comes', async () => {
    script = [json];
    assert.deepEqual(
      await ask({ path: 'pages', query: { cursor: 'a b', since: undefined } }),
      [1, 2, 3],
    );
    const [{ url, method, headers }] = asked as [(typeof asked)[0]];
    assert.deepEqual([url, method], ['/v2/pages?cursor=a+b', 'GET']);
    assert.equal(headers.authorization, 'Bearer t0p');
    assert.deepEqual(meter, { requests: 1, bytes: PAGE.length });
  });

  it('sends a body as JSON', async () => {
    script = [json];
    await ask({ path: 'query', body: { q: 'x' } });
    assert.equal(asked[0]!.method, 'POST');
    assert.equal(asked[0]!.headers['content-type'], 'application/json');
    assert.equal(asked[0]!.body, '{"q":"x"}');
  });

  it('reads packed answers', async () => {
    script = [
      (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(PAGE)),
    ];
    assert.deepEqual(await ask(), [1, 2, 3]);
  });

  for (const [what, broken] of Object.entries({
    'a 500': status(500),
    'a 503 without a word': status(503),
    'a 408': status(408),
    'a 425': status(425),
    'a 500 without an end': (_, response) => {
      response.writeHead(500).write(Buffer.alloc(100_000));
    },
    'a line that closes before the answer': (_, response) => response.socket!.destroy(),
    'half a body of a known length': (_, response) => {
      response.writeHead(200, { 'content-length': String(PAGE.length) });
      response.write(PAGE.slice(0, 9), () => response.socket!.destroy());
    },
    'half a body in pieces': (_, response) => {
      response.write(PAGE.slice(0, 9), () => response.socket!.destroy());
    },
    'half a body that ends as if it were whole': (_, response) => response.end(PAGE.slice(0, 9)),
    'half a packed body': (_, response) => {
      const packed = gzipSync(PAGE);
      response
        .writeHead(200, { 'content-encoding': 'gzip' })
        .end(packed.subarray(0, packed.length - 12));
    },
    'a page for people': (_, response) => response.end('<html>'),
  } satisfies Record<string, Handler>)) {
    it(`${what} is asked for again, and is never an answer`, async () => {
      script = [broken, json];
      assert.deepEqual(await ask(), [1, 2, 3]);
      assert.equal(asked.length, 2);
    });
  }

  it('[GEN-34] what stays broken ends after four requests', async () => {
    script = [status(502)];
    await refuses('transient', /\/v2\/pages answered 502$/, {
      path: 'pages',
      query: { secret: 'x' },
    });
    assert.equal(asked.length, 4);
  });

  it('waits for a service that asks for little patience', async () => {
    script = [status(429, { 'retry-after': '0.2' }), json];
    assert.deepEqual(await ask(), [1, 2, 3]);
    const date = new Date(Date.now() - 3_600_000);
    const at = date.toUTCString();
    script = [status(503, { 'retry-after': at, date: at }), json];
    assert.deepEqual(await ask(), [1, 2, 3]);
    assert.equal(asked.length, 4);
    script = [status(429, { 'retry-after': '0.2' }), json];
    assert.deepEqual(await ask(undefined, { patience: 0.2 }), [1, 2, 3], 'as much as it is given');
  });

  it('what drips for a minute is no answer', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    script = [
      (_, response) => {
        response.write(PAGE.slice(0, 9), () => t.mock.timers.tick(60_000));
      },
    ];
    await refuses('transient', /did not answer in full within 60 s$/);
    assert.equal(asked.length, 4);
  });

  for (const [headers, retryAfter] of [
    [{ 'retry-after': '3600' }, 3600],
    [
      { 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT', date: 'Sat, 21 Nov 2026 10:00:00 GMT' },
      3600,
    ],
    [{}, undefined],
  ] as [Record<string, string>, number | undefined][]) {
    it(`a 429 that wants ${retryAfter ?? 'who knows how'} long is left to the job`, async () => {
      script = [status(429, headers)];
      await assert.rejects(ask(), { kind: 'rate_limited', retryAfter });
      assert.equal(asked.length, 1);
    });
  }

  it('a 503 that says when it ends is a limit', async () => {
    script = [status(503, { 'retry-after': '60' })];
    await assert.rejects(ask(), { kind: 'rate_limited', retryAfter: 60 });
    assert.equal(asked.length, 1);
  });

  it('a 403 is a limit only when it says when it ends', async () => {
    script = [status(403, { 'retry-after': '60' })];
    await assert.rejects(ask(), { kind: 'rate_limited', retryAfter: 60 });
    script = [status(403)];
    await refuses('skip', /answered 403/);
  });

  for (const [code, kind] of [
    [401, 'auth'],
    [404, 'skip'],
    [410, 'skip'],
    [451, 'skip'],
    [400, 'fatal'],
    [422, 'fatal'],
    [304, 'fatal'],
  ] as [number, SourceErrorKind][]) {
    it(`a ${code} is ${kind}, at once`, async () => {
      script = [status(code)];
      await refuses(kind, new RegExp(`answered ${code}`));
      assert.equal(asked.length, 1);
    });
  }

  it('an answer of another form is refused at once', async () => {
    script = [(_, response) => response.end('{"items":["x"]}')];
    await refuses('fatal', /unknown form \(items\.0\)/);
    assert.equal(asked.length, 1);
  });

  it('an answer without an end is cut off', async () => {
    const piece = Buffer.alloc(2 ** 20, ' ');
    script = [
      (_, response) => {
        const more = () => {
          while (!response.destroyed && response.write(piece));
        };
        response.on('drain', more);
        more();
      },
    ];
    await refuses('fatal', /over 33554432 bytes/);
    assert.equal(asked.length, 1);
  });

  it('a redirect is followed within the origin, with the credentials', async () => {
    script = [status(302, { location: '/v3/pages' }), json];
    assert.deepEqual(await ask(), [1, 2, 3]);
    assert.equal(asked[1]!.url, '/v3/pages');
    assert.equal(asked[1]!.headers.authorization, 'Bearer t0p');
    assert.equal(meter.requests, 2);
    script = [status(302, { location: '/v3/pages' }), status(302, { location: 'more' }), json];
    assert.deepEqual(await ask(), [1, 2, 3]);
    assert.equal(asked.at(-1)!.url, '/v3/more');
  });

  it('an answer that says where else it is, is one', async () => {
    script = [(_, response) => response.writeHead(200, { location: '/v3/pages' }).end(PAGE)];
    assert.deepEqual(await ask(), [1, 2, 3]);
    assert.equal(asked.length, 1);
  });

  it('a redirect or a next page elsewhere gets nothing', async () => {
    script = [status(302, { location: `http://localhost:${new URL(origin).port}/v2/pages` })];
    await refuses('fatal', /redirects to http:\/\/localhost/);
    await refuses('fatal', /refers to http:\/\/other/, { path: 'http://other/pages' });
    assert.equal(asked.length, 1);
    script = [status(302, { location: '/v2/pages' })];
    await refuses('fatal', /without an end/);
    assert.equal(asked.length, 7);
    script = [status(302, { location: `${origin.replace('http:', 'https:')}/v2/pages` })];
    await refuses('fatal', /redirects to https:/);
  });

  it('an address that is not allowed is not connected to, and not tried again', async () => {
    let questions = 0;
    const send = createSend(async (host) => {
      questions++;
      throw new SourceError('config', `not ${host}`);
    });
    await refuses('config', /^not 127\.0\.0\.1$/, undefined, { send });
    assert.deepEqual([questions, asked.length], [1, 0]);
  });

  it('connects to the address that was allowed', async () => {
    script = [json];
    const hosts: string[] = [];
    const send = createSend(async (host) => {
      hosts.push(host);
      return '127.0.0.1';
    });
    const baseUrl = origin.replace('127.0.0.1', 'pages.example.test');
    assert.deepEqual(await ask(undefined, { send, baseUrl }), [1, 2, 3]);
    assert.deepEqual(hosts, ['pages.example.test']);
    assert.match(asked[0]!.headers.host!, /^pages\.example\.test:/);
  });

  it('waits for nobody where no patience is given', async () => {
    script = [status(429, { 'retry-after': '1' }), json];
    await refuses('rate_limited', /answered 429/, undefined, { patience: 0 });
    assert.equal(asked.length, 1);
  });

  it('understands how a service says in its own way when to ask again', async () => {
    const retryAfter: HttpService['retryAfter'] = (headers) => Number(headers.get('x-wait'));
    const limited = status(403, { 'x-wait': '77' });
    script = [limited];
    await assert.rejects(ask(undefined, { retryAfter }), { kind: 'rate_limited', retryAfter: 77 });
    script = [status(403, { 'x-wait': '77', 'retry-after': '99' })];
    await assert.rejects(ask(undefined, { retryAfter }), { kind: 'rate_limited', retryAfter: 99 });
    script = [limited];
    await refuses('skip', /answered 403/);
  });

  it('credentials that no header can carry are refused, and not quoted', async () => {
    for (const token of ['t0p\n', 't0p\r\nx: y', 't0p\u2603'])
      await refuses('auth', /characters that cannot be sent/, undefined, { token });
    assert.equal(asked.length, 0);
    script = [json];
    assert.deepEqual(await ask(undefined, { token: 't\xf6p' }), [1, 2, 3]);
    assert.equal(asked[0]!.headers.authorization, 'Bearer t\xf6p');
  });

  it('stops in the middle of an answer and of a wait', async () => {
    const reason = new Error('the job was cancelled');
    const stop = new AbortController();
    script = [
      (_, response) => {
        response.write(PAGE.slice(0, 9), () => stop.abort(reason));
      },
    ];
    await assert.rejects(ask(undefined, { signal: stop.signal }), reason);
    const later = new AbortController();
    script = [
      (_, response) => {
        response.on('close', () => later.abort(reason));
        status(429, { 'retry-after': '9' })(_, response);
      },
    ];
    await assert.rejects(ask(undefined, { signal: later.signal }), reason);
    assert.equal(asked.length, 2);
  });
});
