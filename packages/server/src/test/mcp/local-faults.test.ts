import assert from 'node:assert/strict';
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { localCommand } from '../../cli/install/connection.ts';
import { childEnvironment } from '../child-environment.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** The time is much shorter than a call may take, so a process ends within it only if it stops its calls. */
const SOON_MS = 5_000;

const FOUND = { results: [], metadata: { degraded: [] } };

const html = '<!doctype html><title>Proxy</title>';
const send =
  (status: number, type: string, body: string): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': type }).end(body);
const json = (status: number, body: unknown) =>
  send(status, 'application/json', JSON.stringify(body));

/** Maps each fault of the API to the fault and the message that a model gets. */
const FAULTS: Readonly<Record<string, readonly [Answer, RegExp]>> = {
  'a 500': [json(500, { detail: 'it broke' }), /^API error \(500\): it broke$/],
  'a 500 of a proxy': [
    send(500, 'text/html', html),
    /^API error \(500\): the answer does not come from Quarry/,
  ],
  'a page instead of an answer': [
    send(200, 'text/html', html),
    /^API error \(200\): the answer does not come from Quarry/,
  ],
  'an empty answer': [
    send(200, 'application/json', ''),
    /^API error \(200\): the answer does not come from Quarry/,
  ],
  'an answer of another form': [
    json(200, [1]),
    /failed because of an internal error: try the same call again/,
  ],
  'a redirect': [
    (response) => response.writeHead(302, { location: 'http://127.0.0.1:2/' }).end(),
    /^API error \(302\): /,
  ],
  'half an answer': [
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"results": [', () => response.destroy());
    },
    /^API error: http:.* does not answer \(/,
  ],
  'an API that dies in the middle of a call': [
    (response) => response.socket?.resetAndDestroy(),
    /^API error: http:.* does not answer \(/,
  ],
};

describe('the local tool server', () => {
  let answer: Answer;
  const calls = new Set<IncomingMessage>();
  const children: ChildProcess[] = [];
  const api = createServer((request, response) => {
    calls.add(request);
    response.once('close', () => calls.delete(request));
    answer(response, request);
  });

  before(() => once(api.listen(0, '127.0.0.1'), 'listening'));
  after(() => {
    for (const child of children) child.kill('SIGKILL');
    api.close();
    api.closeAllConnections();
  });

  /** Opens a hand-written client, which checks that everything on standard output is a message. */
  async function open() {
    const { port } = api.address() as AddressInfo;
    const { command, args } = localCommand();
    const env = {
      ...childEnvironment(),
      SERVICE_API_KEY: 'quarry_key',
      SERVICE_COLLECTION: 'harbour',
      SERVICE_BASE_URL: `http://127.0.0.1:${port}`,
    };
    const child = spawn(command, args, { env });
    children.push(child);
    let stderr = '';
    child.stderr.on('data', (bytes) => {
      stderr += bytes;
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const next = async () =>
      JSONRPCMessageSchema.parse(JSON.parse((await lines.next()).value ?? 'the end')) as any;
    const post = (message: object) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const call = (id: number, name = 'search-harbour', params: object = { query: 'berth' }) =>
      post({ id, method: 'tools/call', params: { name, arguments: params } });
    const clientInfo = { name: 'hand', version: '1' };
    const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo };
    post({ id: 0, method: 'initialize', params });
    await next();
    const exited = once(child, 'exit');
    /** Returns undefined when the process does not end in time. */
    async function end(): Promise<number | undefined> {
      const timer = setTimeout(() => child.kill('SIGKILL'), SOON_MS);
      const [code] = await exited;
      clearTimeout(timer);
      return code ?? undefined;
    }
    return { child, next, post, call, end, stderr: () => stderr, rest: () => lines.next() };
  }

  for (const [what, [fault, message]] of Object.entries(FAULTS))
    it(`[MCP-04] [MCP-27] [MCP-28] reports an error when the API answers with ${what}, and goes on`, async () => {
      const server = await open();
      answer = fault;
      server.call(1);
      const { id, result } = await server.next();
      assert.deepEqual([id, result.isError], [1, true]);
      assert.match(result.content[0].text, message);
      answer = json(200, FOUND);
      server.call(2);
      const good = await server.next();
      assert.deepEqual([good.id, good.result.isError ?? false], [2, false]);
      server.child.stdin.end();
      assert.equal((await server.rest()).done, true);
      assert.equal(await server.end(), 0);
      assert.ok(!server.stderr().includes('quarry_key'));
    });

  it('[MCP-04] answers other messages while the API is slow', async () => {
    const server = await open();
    let finish = () => {};
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"results": ');
      finish = () => response.end('[], "metadata": {"degraded": []}}');
    };
    server.call(1);
    await once(api, 'request');
    server.post({ id: 2, method: 'ping' });
    assert.equal((await server.next()).id, 2);
    finish();
    assert.equal((await server.next()).id, 1);
    server.child.stdin.end();
    assert.equal(await server.end(), 0);
  });

  it('lets a client cancel a call while the API does not answer', async () => {
    const server = await open();
    answer = () => {};
    server.call(1);
    const [request] = await once(api, 'request');
    server.post({ method: 'notifications/cancelled', params: { requestId: 1 } });
    if (calls.has(request)) await once(request.socket, 'close');
    answer = json(200, FOUND);
    server.call(2);
    // A cancelled call gets no answer.
    assert.equal((await server.next()).id, 2);
    server.child.stdin.end();
    assert.equal(await server.end(), 0);
  });

  for (const [how, leave] of Object.entries({
    'closes its end': (child) => child.stdin.end(),
    'is gone altogether': (child) => {
      child.stdout.destroy();
      child.stdin.destroy();
    },
  } satisfies Record<string, (child: ChildProcessWithoutNullStreams) => void>))
    it(`ends, with its calls to the API, when the client ${how}`, async () => {
      const server = await open();
      answer = () => {};
      for (const id of [1, 2, 3]) server.call(id);
      while (calls.size < 3) await once(api, 'request');
      leave(server.child);
      assert.equal(await server.end(), 0);
      for (const call of calls) if (!call.socket.closed) await once(call.socket, 'close');
      assert.equal(calls.size, 0);
    });

  it('ends when nobody reads its output', async () => {
    const server = await open();
    answer = json(200, FOUND);
    server.child.stdout.destroy();
    server.post({ id: 2, method: 'ping' });
    assert.equal(await server.end(), 0);
  });
});
