import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import pino from 'pino';
import { z } from 'zod';
import { unauthorized, unavailable } from '../errors.ts';
import { identityOf } from '../test/identity.ts';
import { requestFor } from './own-request.ts';
import { type App, createServer } from './server.ts';

const log = pino({ level: 'silent' });

const serve = (routes: (app: App) => void) =>
  createServer({
    log,
    unavailableReason: () => null,
    authenticate: async () => identityOf('o', { role: 'member' }),
    routes,
  });

describe('createServer', () => {
  it('[KEY-18] refuses to start with a route that names no role', async () => {
    const app = serve((app) => {
      app.get('/v1/fine', { config: { role: null } }, async () => 'x');
      app.get('/v1/forgotten', async () => 'x');
    });
    await assert.rejects(
      Promise.resolve(app.ready()),
      /^Error: no role is given for GET \/v1\/forgotten, HEAD \/v1\/forgotten$/,
    );
    await app.close();
  });

  it('takes the address of the client from a trusted proxy, and neither the host nor the protocol', async () => {
    const app = createServer({
      log,
      trustedProxies: ['127.0.0.1', 'fd00::/8'],
      unavailableReason: () => null,
      authenticate: async () => identityOf('o', { role: 'member' }),
      routes: (app) => {
        app.get('/v1/me', { config: { role: 'read' } }, async ({ ctx, host, protocol }) => [
          ctx.address,
          host,
          protocol,
        ]);
      },
    });
    const headers = {
      host: 'quarry.example.com',
      'x-forwarded-for': '192.0.2.1, 198.51.100.7, fd12::5',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
    };
    for (const [remoteAddress, address] of [
      ['127.0.0.1', '198.51.100.7'],
      ['::ffff:127.0.0.1', '198.51.100.7'],
      ['fd00::1', '198.51.100.7'],
      ['192.0.2.9', '192.0.2.9'],
    ] as const) {
      const { body } = await app.inject({ url: '/v1/me', remoteAddress, headers });
      assert.deepEqual(JSON.parse(body), [address, 'quarry.example.com', 'http'], remoteAddress);
    }
    await app.close();
  });

  it('rejects when a route cannot be defined', async () => {
    const app = serve(() => {
      throw new Error('broken route');
    });
    await assert.rejects(Promise.resolve(app.ready()), /broken route/);
    await app.close();
  });

  it('[GEN-18] Retry-After is a whole number of seconds, and at least 1', async () => {
    for (const [seconds, told] of [
      [0, '1'],
      [0.2, '1'],
      [1.5, '2'],
      [3, '3'],
    ] as const) {
      const app = serve((app) => {
        app.get('/v1/busy', { config: { role: null } }, async () => {
          throw unavailable('busy', seconds);
        });
      });
      const { headers } = await app.inject('/v1/busy');
      await app.close();
      assert.equal(headers['retry-after'], told);
    }
  });

  it('[GEN-19] an error with a number for a code is a 500 like any other', async () => {
    const app = serve((app) => {
      app.get('/v1/odd', { config: { role: null } }, async () => {
        throw Object.assign(new Error('odd'), { code: 11 });
      });
    });
    const { statusCode, body } = await app.inject('/v1/odd');
    await app.close();
    assert.deepEqual([statusCode, JSON.parse(body).code], [500, 'internal']);
  });

  it('[GEN-33] a stop finishes the requests that have begun, and those of their connections that came meanwhile', async () => {
    const entered = Promise.withResolvers<void>();
    const leave = Promise.withResolvers<void>();
    const app = serve((app) => {
      app.get('/v1/slow', { config: { role: null } }, async () => {
        entered.resolve();
        await leave.promise;
        return { done: true };
      });
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    const ask = 'GET /v1/slow HTTP/1.1\r\nhost: x\r\n\r\n';
    socket.write(ask);
    await entered.promise;
    const closed = app.close();
    await setImmediate();
    const second = once(app.server, 'request');
    socket.write(ask);
    await second;
    leave.resolve();
    const answers = (await text(socket)).split('HTTP/1.1 ').slice(1);
    await closed;
    assert.match(answers[0] ?? '', /^200 .*\{"done":true\}$/s);
    assert.match(answers[1] ?? '', /^200 .*\r\nconnection: close\r\n.*\{"done":true\}$/is);
    assert.equal(answers.length, 2);
  });
});

describe('a request of the process to its own API', () => {
  let app: App;
  let address: string;
  const account = { id: 'known', email: 'known@b.c' };
  const identity = identityOf('o', { account, role: 'member' });
  before(async () => {
    app = createServer({
      log,
      unavailableReason: () => null,
      authenticate: async () => {
        throw unauthorized('give an API key');
      },
      routes: (app) => {
        app.get('/v1/me', { config: { role: 'read' } }, async ({ ctx }) => ctx.account.id);
        app.get('/v1/nested', { config: { role: 'read' } }, async () =>
          app.inject('/v1/me').then(({ statusCode }) => statusCode),
        );
        app.get('/v1/signal', { config: { role: 'read' } }, async ({ ctx }) => ctx.signal.aborted);
      },
    });
    address = await app.listen({ host: '127.0.0.1', port: 0 });
  });
  after(() => app.close());
  const ask = (url: string, signal = new AbortController().signal) =>
    requestFor({ identity, signal }, app, { method: 'GET', url });

  it('has the identity that the process gives it, and no other request has it', async () => {
    const [known, unknown] = await Promise.all([ask('/v1/me'), app.inject('/v1/me')]);
    assert.deepEqual([known.statusCode, known.body], [200, 'known']);
    assert.equal(unknown.statusCode, 401);
  });

  it('does not pass its identity on to the requests that its handler makes', async () => {
    assert.equal((await ask('/v1/nested')).body, '401');
  });

  it('cannot be forged over the network', async () => {
    const claim = JSON.stringify({ identity });
    const headers = {
      'user-agent': 'lightMyRequest',
      caller: claim,
      identity: claim,
      'x-caller': claim,
    };
    const answer = await fetch(`${address}/v1/me?caller=${encodeURIComponent(claim)}`, { headers });
    assert.equal(answer.status, 401);
  });

  it('is aborted by the signal of its caller', async () => {
    assert.equal((await ask('/v1/signal', AbortSignal.abort())).json(), true);
  });
});

describe('a listening server', () => {
  let app: App;
  let port: number;
  const gone = Promise.withResolvers<void>();
  const kept = Promise.withResolvers<AbortSignal>();
  before(async () => {
    app = serve((app) => {
      app.route({
        method: 'GET',
        url: '/v1/wait',
        config: { role: 'read' },
        schema: { response: { 200: z.string() } },
        handler: async ({ ctx }) => {
          ctx.signal.addEventListener('abort', () => gone.resolve());
          await gone.promise;
          return 'too late';
        },
      });
      app.route({
        method: 'POST',
        url: '/v1/body',
        config: { role: 'read', audit: null },
        schema: { body: z.string(), response: { 200: z.string() } },
        handler: async () => 'x',
      });
      app.route({
        method: 'GET',
        url: '/v1/quick',
        config: { role: 'read' },
        schema: { response: { 200: z.string() } },
        handler: async ({ ctx }) => {
          kept.resolve(ctx.signal);
          return 'x';
        },
      });
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    port = (app.server.address() as AddressInfo).port;
  });
  after(() => app.close());

  it('aborts ctx.signal only when the client disconnects', async () => {
    const quick = request({ port, path: '/v1/quick' }).end();
    const [response] = await once(quick, 'response');
    await text(response);
    assert.equal((await kept.promise).aborted, false);
    const waiting = request({ port, path: '/v1/wait' }).end();
    waiting.on('error', () => {});
    await once(app.server, 'request');
    waiting.destroy();
    await gone.promise;
  });

  it('[GEN-12] a body that is too large is refused, and the connection stays open', async () => {
    const socket = connect(port, '127.0.0.1');
    const rest = Buffer.alloc(2_000_000, 'x');
    const ask = `content-type: application/json\r\ncontent-length: ${rest.length}\r\n\r\n`;
    socket.write(`POST /v1/body HTTP/1.1\r\nhost: x\r\n${ask}`);
    const [refused] = await once(socket, 'data');
    assert.match(String(refused), /^HTTP\/1.1 413 .*"code":"too_large"/s);
    socket.write(rest);
    socket.write('GET /v1/quick HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    assert.match(await text(socket), /^HTTP\/1.1 200 /);
  });

  for (const [why, bytes, status, detail] of [
    ['bytes that are not HTTP', 'hello\r\n\r\n', 400, 'this is not valid HTTP'],
    [
      'headers that are too large',
      `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
      431,
      'the headers are too large',
    ],
  ] as const)
    it(`[GEN-12] answers ${why} with an error body`, async () => {
      const socket = connect(port, '127.0.0.1');
      socket.write(bytes);
      const answer = await text(socket);
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      assert.match(head, new RegExp(`^HTTP/1.1 ${status} `));
      const error = JSON.parse(body);
      assert.deepEqual([error.detail, error.code], [detail, 'bad_request']);
      assert.match(head, new RegExp(`x-request-id: ${error.request_id}\r\n`));
    });

  it('[GEN-12] an invalid Content-Length is a 400 with an error body', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write('PUT /v1/quick HTTP/1.1\r\nhost: x\r\ncontent-length: abc\r\n\r\n');
    const [, body = ''] = (await text(socket)).split('\r\n\r\n');
    assert.equal(JSON.parse(body).code, 'bad_request');
  });
});
