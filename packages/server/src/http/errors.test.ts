import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { answerBrokenRequest } from './errors.ts';

describe('what never became a request', () => {
  /** Gives everything that the client receives when its connection breaks with this code. */
  async function answerTo(code: string): Promise<string> {
    const server = createServer((socket) => {
      answerBrokenRequest(Object.assign(new Error('broken'), { code }), socket);
      server.close();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return text(connect((server.address() as AddressInfo).port, '127.0.0.1'));
  }

  it('[GEN-12] a request that took too long is a 408 in the one form', async () => {
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

  it('nothing is said to a client that is gone', async () => {
    assert.equal(await answerTo('ECONNRESET'), '');
  });
});
