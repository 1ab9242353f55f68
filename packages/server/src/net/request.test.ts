/** These tests cover what all callers share. How a caller reports a failure is tested beside the caller. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { z } from 'zod';
import { sendUnchecked } from './guarded-send.ts';
import { type GuardedRequest, readJson, request, requestStatus } from './request.ts';

const KIBIBYTE = Buffer.alloc(1024, 'x');
const never = new AbortController().signal;

describe('a request to a service', () => {
  let origin: URL;
  let react: (request: IncomingMessage, response: ServerResponse) => void;
  let asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    react(request, response);
  });
  before(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    origin = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  beforeEach(() => {
    asked = [];
  });

  const base: GuardedRequest = {
    headers: {},
    body: null,
    signal: never,
    deadlineMs: 20_000,
    maxBytes: 4096,
  };
  const ask = (over: Partial<GuardedRequest> = {}) =>
    request(sendUnchecked, origin, { ...base, ...over });
  const askStatus = (over: Partial<GuardedRequest> & { bodyMs?: number } = {}) =>
    requestStatus(sendUnchecked, origin, { ...base, bodyMs: 10_000, ...over });
  const endless = (status: number) => (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status);
    const more = () => {
      while (!response.destroyed && response.write(KIBIBYTE));
    };
    response.on('drain', more);
    more();
  };

  it('is a GET without a body, and a POST with one', async () => {
    react = (_, response) => response.end();
    await ask();
    await ask({ body: '{}' });
    assert.deepEqual(asked, ['GET /', 'POST /']);
  });

  it('accepts an answer of maxBytes bytes, and fails when it has one more', async () => {
    react = (_, response) => response.end(Buffer.alloc(4096, 'x'));
    assert.equal((await ask()).text.length, 4096);
    const failure = { name: 'RequestFailure', fault: 'too_large', message: 'over 4095 bytes' };
    await assert.rejects(ask({ maxBytes: 4095 }), failure);
    react = endless(200);
    await assert.rejects(ask(), { fault: 'too_large' });
  });

  it('returns the beginning of an endless error answer', async () => {
    react = endless(500);
    const { status, text } = await ask();
    assert.deepEqual([status, text.length], [500, 65_536]);
  });

  it('returns a redirect, or follows up to `redirects` of them within the origin', async () => {
    react = ({ url }, response) =>
      url === '/end' ? response.end('here') : response.writeHead(307, { location: '/end' }).end();
    assert.equal((await ask()).status, 307);
    const meter = { requests: 0, bytes: 0 };
    assert.equal((await ask({ redirects: 1, meter })).text, 'here');
    assert.deepEqual(meter, { requests: 2, bytes: 4 });
    assert.deepEqual(asked, ['GET /', 'GET /', 'GET /end']);
    react = (_, response) => response.writeHead(307, { location: '/' }).end();
    await assert.rejects(ask({ redirects: 2 }), { message: 'redirects without an end' });
    react = (_, response) => response.writeHead(307, { location: 'http://a.example/x' }).end();
    const elsewhere = { fault: 'redirected', message: 'redirects to http://a.example' };
    await assert.rejects(ask({ redirects: 2 }), elsewhere);
  });

  it('asks the target of a redirected POST by a GET, except after 307 and 308', async () => {
    let sent = {};
    for (const [status, method] of [
      [302, 'GET'],
      [303, 'GET'],
      [307, 'POST'],
    ] as const) {
      react = ({ url, headers, method }, response) => {
        sent = { method, type: headers['content-type'], key: headers['x-key'] };
        if (url === '/end') response.end('here');
        else response.writeHead(status, { location: '/end' }).end();
      };
      const headers = { 'content-type': 'application/json', 'x-key': '1' };
      assert.equal((await ask({ redirects: 1, headers, body: '{}' })).text, 'here');
      const type = method === 'POST' ? 'application/json' : undefined;
      assert.deepEqual(sent, { method, type, key: '1' }, `${status}`);
    }
  });

  it('fails at the deadline, even in the middle of an answer', async () => {
    for (const begin of ['', 'half an answer']) {
      react = (_, response) => {
        if (begin) response.write(begin);
      };
      await assert.rejects(ask({ deadlineMs: 50 }), {
        fault: 'late',
        message: 'no answer in 50 ms',
      });
    }
    react = () => {};
    await assert.rejects(askStatus({ deadlineMs: 50 }), { fault: 'late' });
  });

  it('throws the reason of its signal when the signal aborts', async () => {
    const reason = new Error('cancelled');
    const stop = new AbortController();
    react = (_, response) => {
      response.write('half', () => stop.abort(reason));
    };
    await assert.rejects(ask({ signal: stop.signal }), reason);
    await assert.rejects(askStatus({ signal: stop.signal }), reason);
  });

  it('says why the connection broke', async () => {
    react = ({ socket }) => socket.destroy();
    await assert.rejects(ask(), { fault: 'broken', message: 'UND_ERR_SOCKET' });
    react = (_, response) => {
      response.writeHead(200, { 'content-length': '9' }).write('half', () => response.destroy());
    };
    await assert.rejects(ask(), { fault: 'broken' });
  });

  it('by requestStatus returns the beginning of a body that is endless, slow or broken', async () => {
    react = endless(200);
    assert.deepEqual((await askStatus()).text, 'x'.repeat(4096));
    react = (_, response) => {
      response.write('slow');
    };
    assert.deepEqual((await askStatus({ bodyMs: 200 })).text, 'slow');
    react = (_, response) => {
      response.writeHead(503, { 'content-length': '9' }).write('half', () => response.destroy());
    };
    assert.equal((await askStatus()).status, 503);
    react = (_, response) => response.end('é'.repeat(10));
    assert.equal((await askStatus({ maxBytes: 5 })).text, 'éé');
  });
});

describe('the JSON of an answer', () => {
  const schema = z.object({ items: z.array(z.number()) });

  it('fits the schema, or the failure says where it does not', () => {
    assert.deepEqual(readJson('{"items":[1]}', schema), { value: { items: [1] } });
    for (const [text, fault, message] of [
      ['{"items":[1', 'not_json', 'a body that is not JSON'],
      ['{"items":["x"]}', 'form', 'an unknown form (items.0)'],
    ] as const) {
      const { failure } = readJson(text, schema);
      assert.deepEqual([failure?.fault, failure?.message], [fault, message]);
    }
  });
});
