/** The tests use real sockets, because a fake in memory would not break answers in the way that a real network does. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';

import { z } from 'zod';
import {
  SourceError,
  type SourceErrorKind,
  SourceRateLimitExceededException,
} from '../../errors.ts';
import { createSend, type Send } from '../../net/guarded-send.ts';
import { anywhere } from '../../test/environment.ts';
import { type SkippedWaits, skipWaits } from '../../test/skip-waits.ts';
import type { Authorizer } from '../auth.ts';
import { openDownloads } from '../downloads.ts';
import { LeftOutFile } from './file.ts';
import { type OpenedApi, openHttp } from './http.ts';
import type { CloudRequest } from './outgoing.ts';
import { bearer } from './sign.ts';
import { each, one } from './xml.ts';

const Page = z.object({ items: z.array(z.number()) });
const PAGE = JSON.stringify({ items: [1, 2, 3] });

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

describe('the HTTP client of sources', () => {
  /** The first handler answers the first request, and so on. The last handler answers all further requests. */
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
  const downloads = openDownloads(anywhere.downloadsFolder);
  after(() => downloads.close());
  let skipped: SkippedWaits;
  beforeEach(() => {
    asked = [];
    meter = { requests: 0, bytes: 0 };
    // Pauses of at least this length are skipped. Only the pauses between two attempts are so long.
    skipped = skipWaits(100);
  });
  afterEach(() => skipped.restore());

  interface Asked extends Partial<OpenedApi> {
    readonly signal?: AbortSignal;
    readonly send?: Send;
    readonly token?: string;
    readonly authorizer?: Authorizer;
  }
  const signedBy = (token: string): Authorizer => ({
    sign: async ({ url }) => ({ url, headers: bearer(token), stamp: null }),
  });
  const open = ({
    signal = new AbortController().signal,
    send = anywhere.send,
    baseUrl = `${origin}/v2`,
    token = 't0p',
    authorizer = signedBy(token),
    ...api
  }: Asked = {}) => openHttp({ send, meter, signal, authorizer, downloads }, { baseUrl, ...api });
  const ask = async (request: CloudRequest = { path: 'pages' }, asked: Asked = {}) =>
    (await open(asked).json(request, Page)).value.items;
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

  it('requests a path below the base URL with its headers, and counts the received bytes', async () => {
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

  it('reads compressed answers', async () => {
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
    it(`${what} leads to another attempt`, async () => {
      script = [broken, json];
      assert.deepEqual(await ask(), [1, 2, 3]);
      assert.equal(asked.length, 2);
    });
  }

  it('[GEN-34] a request that keeps failing ends after four attempts', async () => {
    script = [status(502)];
    await refuses('transient', /\/v2\/pages answered 502$/, {
      path: 'pages',
      query: { secret: 'x' },
    });
    assert.equal(asked.length, 4);
  });

  it('waits in place for a short Retry-After', async () => {
    script = [status(429, { 'retry-after': '0.2' }), json];
    assert.deepEqual(await ask(), [1, 2, 3]);
    const date = new Date(Date.now() - 3_600_000);
    const at = date.toUTCString();
    script = [status(503, { 'retry-after': at, date: at }), json];
    assert.deepEqual(await ask(), [1, 2, 3]);
    assert.equal(asked.length, 4);
    script = [status(429, { 'retry-after': '0.2' }), json];
    assert.deepEqual(
      await ask(undefined, { patience: 0.2 }),
      [1, 2, 3],
      'the wait may be as long as the patience',
    );
  });

  it('an answer that is not complete after a minute fails', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    script = [
      (_, response) => {
        response.write(PAGE.slice(0, 9), () => t.mock.timers.tick(60_000));
      },
    ];
    await refuses('transient', /did not answer in full \(no answer in 60000 ms\)$/);
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
    it(`a 429 that asks for ${retryAfter ?? 'an unknown number of'} seconds is passed on to the job`, async () => {
      script = [status(429, headers)];
      await assert.rejects(ask(), { kind: 'rate_limited', retryAfter });
      assert.equal(asked.length, 1);
    });
  }

  it('[LIM-13] [LIM-22] passes on a reached limit of the organization unchanged, without another attempt', async () => {
    const limit = { sourceShortName: 'cloud', limit: 1, windowSeconds: 60, retryAfter: 0.1 };
    const exceeded = new SourceRateLimitExceededException(limit);
    let asked = 0;
    const send: Send = async (_, { onUnsent }) => {
      asked++;
      onUnsent?.();
      throw exceeded;
    };
    await assert.rejects(ask(undefined, { send }), (error) => error === exceeded);
    assert.deepEqual([asked, meter.requests], [1, 0]);
  });

  it('a 503 with Retry-After counts as a limit', async () => {
    script = [status(503, { 'retry-after': '60' })];
    await assert.rejects(ask(), { kind: 'rate_limited', retryAfter: 60 });
    assert.equal(asked.length, 1);
  });

  it('a 403 counts as a limit only with Retry-After', async () => {
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
    it(`a ${code} is an error of the kind ${kind}, without another attempt`, async () => {
      script = [status(code)];
      await refuses(kind, new RegExp(`answered ${code}`));
      assert.equal(asked.length, 1);
    });
  }

  it('an answer of another form is an error, without another attempt', async () => {
    script = [(_, response) => response.end('{"items":["x"]}')];
    await refuses('fatal', /unknown form \(items\.0\)/);
    assert.equal(asked.length, 1);
  });

  it('an endless answer is cut off', async () => {
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

  it('a redirect within the origin is followed with the credentials', async () => {
    script = [status(302, { location: '/v3/pages' }), json];
    assert.deepEqual(await ask(), [1, 2, 3]);
    assert.equal(asked[1]!.url, '/v3/pages');
    assert.equal(asked[1]!.headers.authorization, 'Bearer t0p');
    assert.equal(meter.requests, 2);
    script = [status(302, { location: '/v3/pages' }), status(302, { location: 'more' }), json];
    assert.deepEqual(await ask(), [1, 2, 3]);
    assert.equal(asked.at(-1)!.url, '/v3/more');
  });

  it('an answer with status 200 and a location header is not a redirect', async () => {
    script = [(_, response) => response.writeHead(200, { location: '/v3/pages' }).end(PAGE)];
    assert.deepEqual(await ask(), [1, 2, 3]);
    assert.equal(asked.length, 1);
  });

  it('a redirect or a next page at another origin is refused', async () => {
    script = [status(302, { location: `http://localhost:${new URL(origin).port}/v2/pages` })];
    await refuses('fatal', /redirects to http:\/\/localhost/);
    await refuses('fatal', /^http:\/\/other is not an origin of this source/, {
      path: 'http://other/pages',
    });
    assert.equal(asked.length, 1);
    script = [status(302, { location: '/v2/pages' })];
    await refuses('fatal', /without an end/);
    assert.equal(asked.length, 7);
    script = [status(302, { location: `${origin.replace('http:', 'https:')}/v2/pages` })];
    await refuses('fatal', /redirects to https:/);
  });

  it('an address that is not allowed gets no connection and no other attempt', async () => {
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

  for (const [what, headers] of [
    ['no time', { 'retry-after': '0' }],
    [
      'a time in the past',
      { 'retry-after': 'Sat, 21 Nov 2026 10:00:00 GMT', date: 'Sat, 21 Nov 2026 11:00:00 GMT' },
    ],
  ] as [string, Record<string, string>][])
    it(`pauses as after a failure when the service asks to wait for ${what}`, async () => {
      script = [status(429, headers)];
      await assert.rejects(ask(), { kind: 'rate_limited', retryAfter: 0 });
      assert.equal(asked.length, 4);
      for (const [i, least] of [500, 1000, 2000].entries())
        assert.ok(skipped.waits[i]! >= least, `${skipped.waits}`);
    });

  it('does not wait without patience', async () => {
    for (const seconds of ['1', '0']) {
      asked = [];
      script = [status(429, { 'retry-after': seconds }), json];
      await refuses('rate_limited', /answered 429/, undefined, { patience: 0 });
      assert.equal(asked.length, 1);
    }
  });

  it("uses the source's own way to read how long to wait", async () => {
    const retryAfter: OpenedApi['retryAfter'] = (headers) => Number(headers.get('x-wait'));
    const limited = status(403, { 'x-wait': '77' });
    script = [limited];
    await assert.rejects(ask(undefined, { retryAfter }), { kind: 'rate_limited', retryAfter: 77 });
    script = [status(403, { 'x-wait': '77', 'retry-after': '99' })];
    await assert.rejects(ask(undefined, { retryAfter }), { kind: 'rate_limited', retryAfter: 99 });
    script = [limited];
    await refuses('skip', /answered 403/);
  });

  it('credentials that a header cannot contain are refused, and not quoted', async () => {
    for (const token of ['t0p\n', 't0p\r\nx: y', 't0p\u2603'])
      await refuses('auth', /characters that cannot be sent/, undefined, { token });
    assert.equal(asked.length, 0);
    script = [json];
    assert.deepEqual(await ask(undefined, { token: 't\xf6p' }), [1, 2, 3]);
    assert.equal(asked[0]!.headers.authorization, 'Bearer t\xf6p');
  });

  it('stops in the middle of an answer or of a wait when its signal aborts', async () => {
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

  describe('with the options of connectors', () => {
    it('repeats a parameter for several values, and sends forms, methods and headers', async () => {
      script = [json];
      await ask({ path: 'pages', query: { id: ['a', 'b'], all: true, none: [], n: 0 } });
      assert.equal(asked[0]!.url, '/v2/pages?id=a&id=b&all=true&n=0');
      await ask(
        { path: 'pages', form: { q: 'a b&c' }, headers: { 'x-own': '1' } },
        { headers: { 'x-all': '2' } },
      );
      const { method, headers, body } = asked[1]!;
      assert.deepEqual([method, body], ['POST', 'q=a+b%26c']);
      assert.equal(headers['content-type'], 'application/x-www-form-urlencoded');
      assert.deepEqual([headers['x-own'], headers['x-all']], ['1', '2']);
      await ask({ path: 'pages', method: 'REPORT', body: {} });
      assert.equal(asked[2]!.method, 'REPORT');
    });

    it('returns text unchanged', async () => {
      script = [(_, response) => response.end('<a>b</a>')];
      assert.equal((await open().text({ path: 'x.xml' })).value, '<a>b</a>');
      assert.equal(asked[0]!.headers.accept, '*/*');
    });

    it('reads XML by a schema, and asks again when it is not whole', async () => {
      const List = z.object({ list: one(z.object({ item: each(z.string()) })) });
      const whole = '<list><item>1</item><item>2</item></list>';
      script = [
        (_, response) => response.end(whole.slice(0, 24)),
        (_, response) => response.end(whole),
      ];
      const { value } = await open().xml({ path: 'x' }, List);
      assert.deepEqual([value.list.item, asked.length], [['1', '2'], 2]);
      assert.equal(asked[0]!.headers.accept, '*/*');
      await assert.rejects(open().xml({ path: 'x' }, z.object({ other: one(z.string()) })), {
        kind: 'fatal',
        message: `${origin}/v2/x answered in an unknown form (other)`,
      });
      script = [
        (_, response) => {
          response.statusCode = 400;
          response.end('<?xml version="1.0"?><Error><Message>No such list</Message></Error>');
        },
      ];
      await assert.rejects(open().xml({ path: 'x' }, List), {
        message: `${origin}/v2/x answered 400: No such list`,
      });
    });

    it('signs requests to the origins that the source names, and refuses all other origins', async () => {
      script = [json];
      const other = origin.replace('127.0.0.1', 'localhost');
      assert.deepEqual(await ask({ path: `${other}/x` }, { alsoAt: [other] }), [1, 2, 3]);
      assert.equal(asked[0]!.headers.authorization, 'Bearer t0p');
      await refuses('fatal', /is not an origin of this source/, { path: `${other}/x` });
    });

    it('sends requests for another origin to the service that replaces it', async () => {
      script = [json];
      const other = 'https://directory.example';
      const asking = { path: `${other}/people?of=acme`, query: { page: 2 } };
      assert.deepEqual(await ask(asking, { alsoAt: [other], replaces: [other] }), [1, 2, 3]);
      assert.equal(asked[0]!.url, '/people?of=acme&page=2');
    });

    it('[AUTH-23] renews a refused token and tries again only once', async () => {
      const refusals: (string | null)[] = [];
      const authorizer: Authorizer = {
        sign: async ({ url }, refused) => {
          refusals.push(refused);
          return { url, headers: bearer(refused ? 'n3w' : 't0p'), stamp: refused ? '2' : '1' };
        },
      };
      script = [status(401), json];
      assert.deepEqual(await ask(undefined, { authorizer }), [1, 2, 3]);
      assert.deepEqual(refusals, [null, '1']);
      assert.deepEqual(
        asked.map(({ headers }) => headers.authorization),
        ['Bearer t0p', 'Bearer n3w'],
      );
      script = [status(401)];
      await refuses('auth', /answered 401/, undefined, { authorizer });
      assert.deepEqual(refusals.slice(2), [null, '1']);
      const ambiguous = { path: 'pages', isRefusalAmbiguous: true };
      await assert.rejects(ask(ambiguous, { authorizer }), { kind: 'auth' });
      assert.deepEqual(refusals.slice(4), [null]);
    });

    it('[AUTH-12] quotes the error of the service without the token in it', async () => {
      const token = 't0p-secret-token';
      const says =
        (code: number, body: unknown): Handler =>
        (_, response) =>
          response.writeHead(code).end(JSON.stringify(body));
      for (const [body, sentence] of [
        [{ message: 'No such project' }, 'No such project'],
        [{ error: { message: 'Scope missing' } }, 'Scope missing'],
        [{ error: 'invalid', error_description: 'Too old' }, 'Too old'],
        [{ errors: [{ detail: 'Not yours' }] }, 'Not yours'],
        [{ message: `Bad token ${token} (Bearer ${token})` }, 'Bad token [secret] ([secret])'],
      ] as const) {
        script = [says(403, body)];
        await assert.rejects(ask(undefined, { token }), {
          kind: 'skip',
          message: `${origin}/v2/pages answered 403: ${sentence}`,
        });
      }
      script = [says(403, { message: 'x'.repeat(1000) })];
      await refuses('skip', /answered 403: x{300}$/);
    });

    it('lets the source treat any answer as an error, even one with status 200', async () => {
      const refusal: OpenedApi['refusal'] = ({ status: code, body }) =>
        (body as { ok?: boolean }).ok === false
          ? new SourceError('auth', `it said no with ${code}: long-secret`)
          : undefined;
      script = [(_, response) => response.end('{"ok":false}')];
      // The headers of a signature do not contain the secret with which it was made.
      const authorizer: Authorizer = {
        sign: async ({ url }) => ({ url, headers: {}, stamp: null, secrets: ['long-secret'] }),
      };
      await assert.rejects(ask(undefined, { refusal, authorizer }), { message: /200: \[secret\]/ });
      await assert.rejects(ask(undefined, { refusal, token: 'long-secret' }), {
        kind: 'auth',
        message: 'it said no with 200: [secret]',
      });
      script = [json];
      assert.deepEqual(await ask(undefined, { refusal }), [1, 2, 3]);
    });

    it('reads the length of the wait if the source only says that it must wait', async () => {
      const refusal = () => new SourceError('rate_limited', 'too fast');
      const waits = async (headers: Record<string, string>, api: Partial<OpenedApi> = {}) => {
        script = [(_, response) => response.writeHead(400, headers).end('{}')];
        const asked = open({ refusal, patience: 0, ...api }).json({ path: 'a' }, Page);
        const error = await asked.catch((caught: unknown) => caught);
        assert.ok(error instanceof SourceError && error.kind === 'rate_limited');
        return error.retryAfter;
      };
      assert.equal(await waits({ 'retry-after': '70' }), 70);
      assert.equal(await waits({}, { retryAfter: () => 80 }), 80);
      assert.equal(await waits({ 'retry-after': '70' }, { retryAfter: () => 80 }), 70);
      assert.equal(await waits({}), undefined);
      const knowing = () => new SourceError('rate_limited', 'too fast', { retryAfter: 5 });
      assert.equal(await waits({ 'retry-after': '70' }, { refusal: knowing }), 5);
    });

    it('sends GraphQL queries, and ignores data beside errors', async () => {
      const Viewer = z.object({ viewer: z.object({ id: z.string() }) });
      const answers =
        (body: object): Handler =>
        (_, response) =>
          response.end(JSON.stringify(body));
      const viewer = () => open().graphql('query { viewer { id } }', { a: 1 }, Viewer);
      script = [answers({ data: { viewer: { id: 'v' } } })];
      assert.deepEqual(await viewer(), { viewer: { id: 'v' } });
      assert.equal(asked[0]!.url, '/v2/graphql');
      assert.deepEqual(JSON.parse(asked[0]!.body), {
        query: 'query { viewer { id } }',
        variables: { a: 1 },
      });
      script = [answers({ data: { viewer: { id: 'v' } }, errors: [{ message: 'half of it' }] })];
      await assert.rejects(viewer(), { kind: 'fatal', message: /graphql answered: half of it$/ });
      script = [answers({ data: { viewer: null } })];
      await assert.rejects(viewer(), { kind: 'fatal', message: /unknown form \(viewer\)$/ });
    });

    it('limits the number of simultaneous requests', async () => {
      const held: ServerResponse[] = [];
      script = [(_, response) => held.push(response)];
      const http = open({ concurrency: 2 });
      const all = Promise.all(Array.from({ length: 5 }, () => http.json({ path: 'x' }, Page)));
      for (const arrived of [2, 3, 4, 5]) {
        while (asked.length < arrived) await new Promise(setImmediate);
        assert.ok(held.length <= 2);
        held.shift()?.end(PAGE);
      }
      held.shift()?.end(PAGE);
      await all;
    });
  });

  describe('a downloaded file', () => {
    const MB = 2 ** 20;
    const file = (given: { name: string; size?: number }, path = 'file') =>
      open().file({ path }, given);
    const leftOut = (reason: string) => (error: unknown) => {
      assert.ok(error instanceof LeftOutFile, String(error));
      assert.equal(error.omission.reason, reason);
      return true;
    };

    it('is stored unchanged', async () => {
      const content = randomBytes(3 * MB);
      script = [(_, response) => response.end(content)];
      const { path, ...ref } = await file({ name: 'a.pdf', size: 3 });
      assert.deepEqual(readFileSync(path), content);
      const { dev, ino } = statSync(path);
      assert.deepEqual(ref, {
        name: 'a.pdf',
        size: content.length,
        inode: `${dev}-${ino}`,
        isTemporary: true,
      });
      assert.equal(meter.bytes, content.length);
    });

    it('keeps only a few megabytes of its pieces in memory', async () => {
      const piece = Buffer.alloc(MB / 4);
      let peak = 0;
      script = [
        (_, response) => {
          const pieces = function* () {
            for (let i = 0; i < 256; i++) {
              peak = Math.max(peak, process.memoryUsage().arrayBuffers);
              yield piece;
            }
          };
          void pipeline(Readable.from(pieces()), response);
        },
      ];
      const before = process.memoryUsage().arrayBuffers;
      assert.equal((await file({ name: 'a.pdf' })).size, 64 * MB);
      assert.ok(peak - before < 20 * MB, `${(peak - before) / MB} MB`);
    });

    it('starts again after a broken attempt', async () => {
      script = [
        (_, response) => {
          response.writeHead(200, { 'content-length': '9' });
          response.write('wrong', () => response.socket!.destroy());
        },
        (_, response) => response.end('ok'),
      ];
      assert.equal(readFileSync((await file({ name: 'a.txt' })).path, 'utf8'), 'ok');
    });

    it('is not requested when its name or size leaves it out', async () => {
      await assert.rejects(file({ name: 'a.mp4' }), leftOut('of a kind without text'));
      await assert.rejects(file({ name: 'a.txt', size: 21 * MB }), leftOut('too large'));
      assert.equal(asked.length, 0);
    });

    it('stops at the size limit when it is larger than announced, and is removed from the disk', async () => {
      const piece = Buffer.alloc(MB);
      script = [
        (_, response) => {
          const more = () => {
            while (!response.destroyed && response.write(piece));
          };
          response.on('drain', more);
          more();
        },
      ];
      const before = await downloads.newPath();
      await assert.rejects(file({ name: 'a.txt', size: 1024 }), leftOut('too large'));
      assert.ok(meter.bytes >= 20 * MB && meter.bytes < 23 * MB, String(meter.bytes));
      assert.equal(asked.length, 1);
      const after = await downloads.newPath();
      const between = Number(basename(after)) - Number(basename(before));
      assert.equal(between, 2);
      assert.ok(!existsSync(join(dirname(before), String(Number(basename(before)) + 1))));
    });

    it('is fetched from the target of a redirect without the credentials', async () => {
      const elsewhere = origin.replace('127.0.0.1', 'localhost');
      script = [
        status(302, { location: `${elsewhere}/store/file?signature=abc` }),
        (_, response) => response.end('content'),
      ];
      assert.equal(readFileSync((await file({ name: 'a.txt' })).path, 'utf8'), 'content');
      assert.equal(asked[0]!.headers.authorization, 'Bearer t0p');
      assert.equal(asked[1]!.url, '/store/file?signature=abc');
      assert.equal(asked[1]!.headers.authorization, undefined);
    });

    it('behind a link that is signed itself is fetched without credentials, and its refusal is not one of the sign-in', async () => {
      const elsewhere = origin.replace('127.0.0.1', 'localhost');
      const behind = (path: string) =>
        open().file({ path, isUnsigned: true, headers: { 'x-own': '1' } }, { name: 'a.txt' });
      script = [(_, response) => response.end('content')];
      const { path } = await behind(`${elsewhere}/store/file?signature=abc`);
      assert.equal(readFileSync(path, 'utf8'), 'content');
      const { url, headers } = asked[0]!;
      assert.equal(url, '/store/file?signature=abc');
      assert.deepEqual([headers.authorization, headers['x-own']], [undefined, undefined]);
      script = [status(401)];
      await assert.rejects(behind(`${elsewhere}/store/file?signature=abc`), {
        kind: 'skip',
        message: new RegExp(`^${elsewhere}/store/file answered 401`),
      });
      assert.equal(asked.length, 2);
      for (const wrong of ['file', 'file:///etc/passwd'])
        await assert.rejects(behind(wrong), { kind: 'skip', message: /neither an https nor/ });
    });

    it('that the service refuses causes the same error as any other request', async () => {
      script = [status(404)];
      await assert.rejects(file({ name: 'a.txt' }), { kind: 'skip', message: /answered 404$/ });
    });
  });
});
