import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { createRunningCalls } from './running-calls.ts';
import { serveLegacy } from './serve.ts';

const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: {} });
const cancelled = (requestId: number) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});

describe('running calls', () => {
  it('a cancel of one request of a batch leaves the others alone', () => {
    const calls = createRunningCalls();
    const signal = calls.begin('s', [call(1), call(2), call(3)], new PassThrough());
    calls.cancel('s', cancelled(1));
    calls.cancel('s', cancelled(1));
    calls.cancel('s', [cancelled(4), cancelled(2)]);
    assert.equal(signal.aborted, false);
    calls.cancel('s', cancelled(3));
    assert.equal(signal.aborted, true);
  });

  it('are forgotten when their response closes, even if it has closed before they began', async () => {
    const calls = createRunningCalls();
    const [gone, open] = [new PassThrough(), new PassThrough()];
    gone.destroy();
    await new Promise((resolve) => gone.once('close', resolve));
    const early = calls.begin('s', call(1), gone);
    const late = calls.begin('s', call(2), open);
    open.destroy();
    await new Promise((resolve) => open.once('close', resolve));
    for (const id of [1, 2]) calls.cancel('s', cancelled(id));
    assert.deepEqual([early.aborted, late.aborted], [false, false]);
  });

  it('do not begin when they were cancelled while the server was prepared', async () => {
    const request = new Request('http://localhost/mcp', { method: 'POST' });
    const open = () => assert.fail('a server was made');
    const asked = { request, body: call(1), open, say: assert.fail };
    assert.equal((await serveLegacy(asked, AbortSignal.abort())).status, 202);
  });
});
