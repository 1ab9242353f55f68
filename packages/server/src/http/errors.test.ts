import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer as createSocketServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import pino from 'pino';
import { AppError, type Fault } from '../errors.ts';
import { answerBrokenRequest } from './errors.ts';
import { createServer } from './server.ts';

describe('bytes that never became a request', () => {
  /** Returns everything that the client receives when its connection breaks with this code. */
  async function answerTo(code: string): Promise<string> {
    const server = createSocketServer((socket) => {
      answerBrokenRequest(Object.assign(new Error('broken'), { code }), socket);
      server.close();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return text(connect((server.address() as AddressInfo).port, '127.0.0.1'));
  }

  it('[GEN-12] a request that took too long is a 408 with an error body', async () => {
    const [head = '', body = ''] = (await answerTo('ERR_HTTP_REQUEST_TIMEOUT')).split('\r\n\r\n');
    assert.match(head, /^HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n/);
    const { detail, code, request_id } = JSON.parse(body);
    assert.deepEqual(
      [detail, code],
      ['the request took too long to arrive; send it again', 'bad_request'],
    );
    assert.match(head, new RegExp(`x-request-id: ${request_id}\r\n`));
    assert.match(head, new RegExp(`Content-Length: ${Buffer.byteLength(body)}$`));
  });

  it('nothing is written to a client that has disconnected', async () => {
    assert.equal(await answerTo('ECONNRESET'), '');
  });
});

describe('an error that repeats much of a request', () => {
  async function detailOf(error: AppError) {
    const app = createServer({
      log: pino({ level: 'silent' }),
      unavailableReason: () => null,
      authenticate: () => assert.fail('no key is needed'),
      routes(app) {
        app.get('/v1/wrong', { config: { role: null } }, () => {
          throw error;
        });
      },
    });
    const { body } = await app.inject('/v1/wrong');
    await app.close();
    return JSON.parse(body).detail;
  }
  const faultsOf = (faults: readonly Fault[]): Promise<Fault[]> =>
    detailOf(new AppError(422, 'the request is not valid', { code: 'invalid', faults }));
  const many = (count: number, msg: string): Fault[] =>
    Array.from({ length: count }, (_, i) => ({ loc: ['body', i], msg, type: 'custom' }));

  it('[GEN-14] lists the first hundred faults', async () => {
    const all = many(250, 'use another one');
    assert.deepEqual(await faultsOf(all), all.slice(0, 100));
  });

  it('[GEN-14] lists as many large faults as fit, and at least one', async () => {
    const all = many(100, 'x'.repeat(990));
    assert.deepEqual(await faultsOf(all), all.slice(0, 50));
    const deep = { loc: Array(600).fill('x'.repeat(100)), msg: 'use another one', type: 'custom' };
    assert.deepEqual(await faultsOf([deep, ...all]), [deep]);
  });

  it('[GEN-14] has the beginning of a long message, and the end, which says what to do', async () => {
    const message = `'${'x'.repeat(70_000)}' is not here: GET /v1/collections lists them`;
    const told = `'${'x'.repeat(799)} … ${message.slice(-200)}`;
    assert.equal(await detailOf(new AppError(404, message, { code: 'not_found' })), told);
    assert.deepEqual(await faultsOf(many(1, message)), many(1, told));
    const short = message.slice(-1000);
    assert.equal(await detailOf(new AppError(404, short, { code: 'not_found' })), short);
  });

  it('[GEN-14] is never cut within a character', async () => {
    for (const before of ['', 'x'])
      for (const after of ['', 'x']) {
        const message = `${before}${'\u{1f600}'.repeat(600)}${after}`;
        const told = await detailOf(new AppError(404, message, { code: 'not_found' }));
        assert.ok(told.isWellFormed() && told.length < message.length, told);
      }
  });
});
