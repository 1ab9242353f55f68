import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import pino from 'pino';
import { z } from 'zod';
import { unavailableReason } from '../db/unavailable.ts';
import { identityOf } from '../test/identity.ts';
import { until } from '../test/until.ts';
import { type App, createServer } from './server.ts';

const LARGE = 'x'.repeat(300 * 1024);

/** Returns the texts in the form that they have in a request with `Transfer-Encoding: chunked`. */
const chunksOf = (...chunks: string[]) =>
  chunks.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('');

describe('requests with large bodies', () => {
  let app: App;
  let address: string;
  /** The callers whose requests are handled at the moment, in the order of their beginning. */
  let begun: string[];
  let gate: PromiseWithResolvers<void>;
  let endsBody: boolean;
  let sockets: Socket[];

  beforeEach(async () => {
    begun = [];
    gate = Promise.withResolvers();
    endsBody = false;
    sockets = [];
    app = createServer({
      log: pino({ level: 'silent' }),
      unavailableReason,
      authenticate: async () => identityOf('o', { role: 'member' }),
      routes(app) {
        app.route({
          method: 'POST',
          url: '/v1/body',
          config: { role: 'read', audit: null, keepsBody: true },
          schema: { body: z.strictObject({ a: z.string() }), response: { 200: z.string() } },
          async handler(req) {
            begun.push(String(req.headers['x-api-key']));
            if (endsBody) req.endBody();
            await gate.promise;
            return 'read';
          },
        });
        app.route({
          method: 'POST',
          url: '/v1/open',
          config: { role: null, audit: null },
          handler: async () => 'open',
        });
        app.route({
          method: ['GET', 'POST'],
          url: '/v1/long',
          config: { role: 'read', audit: null },
          async handler(req) {
            begun.push(String(req.headers['x-api-key']));
            await gate.promise;
            return 'read';
          },
        });
      },
    });
    address = await app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterEach(async () => {
    gate.resolve();
    for (const socket of sockets) socket.destroy();
    await app.close();
  });

  const send = (caller: string, a: string, signal?: AbortSignal) =>
    fetch(`${address}/v1/body`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': caller },
      body: JSON.stringify({ a }),
      ...(signal && { signal }),
    }).then(({ status }) => status);
  const untilBegun = (count: number) => until(async () => begun.length >= count || undefined);

  it('are handled a few at a time, fewer of one caller, and small ones do not wait for them', async () => {
    const sent = Array.from({ length: 3 }, () => send('ann', LARGE));
    await untilBegun(2);
    sent.push(...['bob', 'cem', 'dan'].map((caller) => send(caller, LARGE)));
    await untilBegun(4);
    sent.push(send('ann', 'small'));
    await untilBegun(5);
    assert.deepEqual(begun.slice(0, 2), ['ann', 'ann']);
    assert.equal(begun.slice(2, 4).includes('ann'), false);
    assert.equal(begun[4], 'ann');
    gate.resolve();
    assert.deepEqual(await Promise.all(sent), Array(7).fill(200));
    assert.equal(begun.length, 7);
  });

  function openSocket(): Socket {
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => {});
    return socket;
  }

  /** Sends the beginning of a request in chunks, or all of it. */
  function sendChunks(caller: string, head: string, body: string): Socket {
    const socket = openSocket();
    socket.write(
      `${head} HTTP/1.1\r\nhost: x\r\nx-api-key: ${caller}\r\ncontent-type: application/json\r\n` +
        `transfer-encoding: chunked\r\n\r\n${body}`,
    );
    return socket;
  }

  it('wait for no request whose method has no body, and for no small body in chunks', async () => {
    for (const caller of ['ann', 'bob', 'cem', 'dan', 'eve'])
      sendChunks(caller, 'GET /v1/long', '0\r\n\r\n');
    await untilBegun(5);
    for (let i = 0; i < 5; i++)
      sendChunks('ann', 'POST /v1/body', `${chunksOf('{"a":"small"}')}0\r\n\r\n`);
    await untilBegun(10);
    const large = [send('ann', LARGE), send('ann', LARGE)];
    await untilBegun(12);
    gate.resolve();
    assert.deepEqual(await Promise.all(large), [200, 200]);
  });

  it('give their place to others when they have been read, unless their route keeps them', async () => {
    const sent = Array.from({ length: 6 }, () =>
      fetch(`${address}/v1/long`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': 'ann' },
        body: ' '.repeat(300 * 1024),
      }).then(({ status }) => status),
    );
    await untilBegun(6);
    gate.resolve();
    assert.deepEqual(await Promise.all(sent), Array(6).fill(200));
  });

  it('in chunks wait for a place when they have become large', async () => {
    const first = [send('ann', LARGE), send('ann', LARGE)];
    await untilBegun(2);
    const third = sendChunks('ann', 'POST /v1/body', chunksOf(`{"a":"${LARGE}"}`));
    third.write('0\r\n\r\n');
    const other = send('bob', LARGE);
    await untilBegun(3);
    assert.deepEqual(begun, ['ann', 'ann', 'bob']);
    gate.resolve();
    assert.match(String((await once(third, 'data'))[0]), /^HTTP\/1.1 200 /);
    assert.deepEqual(await Promise.all([...first, other]), [200, 200, 200]);
  });

  it('in chunks are refused when they are too large, also when their client leaves then', async () => {
    const socket = sendChunks('ann', 'POST /v1/body', chunksOf('x'.repeat(1024 * 1024), 'y'));
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1.1 413 /);
    socket.resetAndDestroy();
    endsBody = true;
    const sent = Array.from({ length: 3 }, () => send('ann', LARGE));
    await untilBegun(3);
    gate.resolve();
    assert.deepEqual(await Promise.all(sent), [200, 200, 200]);
  });

  it('are refused before they arrive, where no key is needed or no route takes them', async () => {
    for (const [path, status] of [
      ['/v1/open', 413],
      ['/v1/unknown', 404],
    ] as const) {
      const socket = openSocket();
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 20000\r\n\r\n{`,
      );
      const [answer] = await once(socket, 'data');
      assert.match(String(answer), new RegExp(`^HTTP/1.1 ${status} `));
    }
  });

  it('lose their place when they do not go on arriving', async () => {
    const slow = ['a', 'b', 'c', 'd'].map((caller) =>
      sendChunks(caller, 'POST /v1/body', chunksOf('x'.repeat(LARGE.length))),
    );
    const refused = slow.map(async (socket) => String((await once(socket, 'data'))[0]));
    const sent = send('ann', LARGE);
    for (const answer of await Promise.all(refused)) assert.match(answer, /^HTTP\/1.1 408 /);
    await untilBegun(1);
    gate.resolve();
    assert.equal(await sent, 200);
    assert.deepEqual(begun, ['ann']);
    for (const socket of slow) socket.destroy();
  });

  it('give their place to others when their client leaves', async () => {
    const leaving = new AbortController();
    const left = [send('ann', LARGE, leaving.signal), send('ann', LARGE, leaving.signal)];
    await untilBegun(2);
    const waiting = send('ann', LARGE);
    leaving.abort();
    for (const one of left) await assert.rejects(one, { name: 'AbortError' });
    await untilBegun(3);
    gate.resolve();
    assert.equal(await waiting, 200);
  });

  it('give their place to others when their body is handled, although their answer is still to come', async () => {
    endsBody = true;
    const sent = Array.from({ length: 5 }, () => send('ann', LARGE));
    await untilBegun(5);
    gate.resolve();
    assert.deepEqual(await Promise.all(sent), Array(5).fill(200));
  });
});
