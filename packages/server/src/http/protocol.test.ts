/**
 * Without our code, Node would answer these requests itself. The requests go over real sockets, and every answer must
 * have our form of errors.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import pino from 'pino';
import { z } from 'zod';
import { unavailableReason } from '../db/unavailable.ts';
import { identityOf } from '../test/identity.ts';
import { type App, createServer } from './server.ts';

describe('a request that Node would answer itself', () => {
  let app: App;
  let port: number;
  const lines: string[] = [];

  before(async () => {
    app = createServer({
      log: pino({ level: 'error' }, { write: (line: string) => lines.push(line) }),
      unavailableReason,
      authenticate: async () => identityOf('o', { role: 'member' }),
      routes(app) {
        app.route({
          method: 'POST',
          url: '/v1/body',
          config: { role: 'read', audit: null },
          schema: {
            body: z.strictObject({ a: z.string().optional() }),
            response: { 200: z.string() },
          },
          handler: async () => 'read',
        });
      },
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    port = (app.server.address() as AddressInfo).port;
  });
  after(() => app.close());

  async function answerTo(request: string) {
    const socket = connect(port, '127.0.0.1');
    socket.write(request);
    const answer = await text(socket);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    const [, status] = /^HTTP\/1\.1 (\d+) /.exec(head) ?? [];
    return { status: Number(status), head, body, answer };
  }

  const close = 'connection: close\r\n';
  for (const [why, request, status, code] of [
    ['without a Host', `POST /v1/body HTTP/1.1\r\n${close}\r\n`, 400, 'bad_request'],
    [
      'with two Hosts',
      `POST /v1/body HTTP/1.1\r\nhost: a\r\nhost: b\r\n${close}\r\n`,
      400,
      'bad_request',
    ],
    [
      'with an unknown Expect',
      'POST /v1/body HTTP/1.1\r\nhost: x\r\nexpect: a-miracle\r\n\r\n',
      417,
      'expectation_failed',
    ],
    ['for a CONNECT', 'CONNECT db:5432 HTTP/1.1\r\nhost: db:5432\r\n\r\n', 501, 'not_implemented'],
    ['with an unknown method', 'BREW / HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'bad_request'],
    [
      'with extensions of chunks that are too large',
      `POST /v1/body HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n2;${'x'.repeat(20_000)}\r\n{}\r\n`,
      413,
      'bad_request',
    ],
  ] as const)
    it(`[GEN-12] [GEN-13] ${why} is answered ${status} with an error body`, async () => {
      const { status: answered, head, body } = await answerTo(request);
      assert.equal(answered, status, head);
      const error = JSON.parse(body);
      assert.deepEqual(Object.keys(error), ['detail', 'code', 'request_id']);
      assert.equal(error.code, code);
      assert.match(error.detail, /\w+ \w+/);
      assert.match(head, new RegExp(`^x-request-id: ${error.request_id}$`, 'im'));
      assert.match(head, /^content-type: application\/json/im);
    });

  it('[GEN-12] the body of a request with an unknown Expect is not read as a second request', async () => {
    const { answer } = await answerTo(
      'POST /v1/body HTTP/1.1\r\nhost: x\r\nexpect: b\r\ncontent-length: 60\r\n\r\nGET /v1/body HTTP/1.1\r\nhost: x\r\n\r\n',
    );
    assert.equal(answer.split('HTTP/1.1 ').length, 2);
  });

  it('an HTTP/1.0 request needs no Host, and 100-continue is accepted', async () => {
    const json = 'content-type: application/json\r\ncontent-length: 2\r\n';
    assert.equal((await answerTo(`POST /v1/body HTTP/1.0\r\n${json}\r\n{}`)).status, 200);
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `POST /v1/body HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\n${close}${json}\r\n`,
    );
    const [go] = await once(socket, 'data');
    assert.match(String(go), /^HTTP\/1\.1 100 Continue/);
    socket.write('{}');
    assert.match(await text(socket), /^HTTP\/1\.1 200 /);
  });

  it('[GEN-18] a client that disconnects in the middle of its body is not reported as a failure of the database', async () => {
    const response = once(app.server, 'request');
    const socket = connect(port, '127.0.0.1');
    socket.write(
      'POST /v1/body HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{"a',
    );
    const [, reply] = await response;
    const ended = once(reply, 'close');
    socket.resetAndDestroy();
    await ended;
    // The server answers this later request only after it has dealt with the first one.
    const { status } = await answerTo(`GET /v1/nothing HTTP/1.1\r\nhost: x\r\n${close}\r\n`);
    assert.equal(status, 404);
    assert.deepEqual(lines, []);
  });

  it('[GEN-14] a field name of 70,000 characters is not repeated, nor are thousands of them', async () => {
    const post = async (body: object) => {
      const response = await app.inject({ method: 'POST', url: '/v1/body', payload: body });
      assert.equal(response.statusCode, 422);
      return response;
    };
    const long = await post({ ['n'.repeat(70_000)]: 1 });
    const [fault] = long.json().detail;
    const beginning = `${'n'.repeat(100)}…`;
    assert.deepEqual(fault.loc, ['body', beginning]);
    assert.equal(fault.msg, `the field '${beginning}' is not known: use a`);
    assert.ok(long.body.length < 1000);
    const many = await post(
      Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`${i}${'n'.repeat(150)}`, 1])),
    );
    assert.equal(many.json().detail.length, 100);
    assert.ok(many.body.length < 60_000);
  });
});
