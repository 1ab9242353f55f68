import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { notFound } from '../errors.ts';
import { openStream } from '../test/event-stream.ts';
import { identityOf } from '../test/identity.ts';
import { type App, createServer } from './server.ts';
import type { Events } from './sse.ts';

describe('an event stream', () => {
  let app: App;
  let events: Events;
  let url: string;
  let permission: Promise<void> | undefined;
  let whileStopping: () => void;
  beforeEach(async () => {
    permission = undefined;
    whileStopping = () => {};
    app = createServer({
      log: pino({ level: 'silent' }),
      unavailableReason: (error) => (error instanceof RangeError ? 'the database is away' : null),
      authenticate: async () => identityOf('o', { role: 'member' }),
      routes(routes) {
        routes.addHook('preClose', async () => whileStopping());
        routes.get('/v1/events', { config: { role: 'read' } }, async (_req, reply) => {
          await permission;
          return reply.sendEvents(events);
        });
      },
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/v1/events`;
  });
  afterEach(() => app.close());

  const open = () => openStream(url, 'any');

  it('sends each event as a line, and ends after the last one', async () => {
    events = async function* () {
      yield { type: 'one', text: 'two\nlines' };
      yield { type: 'two' };
    };
    const stream = await open();
    assert.deepEqual(await stream.rest(), [{ type: 'one', text: 'two\nlines' }, { type: 'two' }]);
    const named = ['content-type', 'cache-control', 'connection', 'x-accel-buffering'];
    assert.deepEqual(
      named.map((name) => stream.headers.get(name)),
      ['text/event-stream', 'no-cache, no-transform', 'keep-alive', 'no'],
    );
    assert.match(stream.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
    assert.equal(stream.headers.get('x-content-type-options'), 'nosniff');
  });

  for (const [error, code, message] of [
    [notFound('job', 'x'), 'not_found', "job 'x' does not exist: GET /v1/sync/jobs lists them"],
    [new RangeError('secret'), 'unavailable', 'the database is away; try again in a moment'],
    [
      new Error('secret'),
      'internal',
      'something went wrong on our side; the log has the reason under this request_id',
    ],
  ] as const)
    it(`ends with an error event: ${code}`, async () => {
      events = async function* () {
        yield { type: 'one' };
        throw error;
      };
      assert.deepEqual(await (await open()).rest(), [
        { type: 'one' },
        { type: 'error', code, message },
      ]);
    });

  it('[STR-10] sends a comment every 15 seconds', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const end = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    events = async function* () {
      begun.resolve();
      await end.promise;
      yield { type: 'end' };
    };
    const stream = await open();
    await begun.promise;
    t.mock.timers.tick(44_999);
    end.resolve();
    await stream.rest();
    assert.equal(stream.text(), ':\n\n:\n\n:\n\ndata: {"type":"end"}\n\n');
  });

  it('stops its generator when the client disconnects', async () => {
    const stopped = Promise.withResolvers<unknown>();
    events = async function* (signal) {
      yield { type: 'one' };
      signal.addEventListener('abort', () => stopped.resolve(signal.reason));
      await stopped.promise;
    };
    const stream = await open();
    await stream.next();
    stream.leave();
    assert.match(String(await stopped.promise), /the client has gone/);
    await assert.rejects(stream.rest());
  });

  it('stops its generator at once for a HEAD request', async () => {
    const stopped = Promise.withResolvers<void>();
    events = async function* (signal) {
      yield { type: 'one' };
      await once(signal, 'abort');
      stopped.resolve();
    };
    const answer = await fetch(url, { method: 'HEAD', headers: { 'x-api-key': 'any' } });
    assert.deepEqual(
      [answer.status, answer.headers.get('content-type'), await answer.text()],
      [200, 'text/event-stream', ''],
    );
    await stopped.promise;
  });

  it('stops its generator when a client disconnects that has stopped reading', async () => {
    const stopped = Promise.withResolvers<void>();
    let made = 0;
    events = async function* () {
      try {
        for (; ; made++) yield { type: 'big', text: 'x'.repeat(100_000) };
      } finally {
        stopped.resolve();
      }
    };
    const request = get(url);
    const [response] = await once(request, 'response');
    response.pause();
    const broken = once(response, 'error');
    await stalled(() => made);
    request.destroy();
    await stopped.promise;
    await broken;
  });

  it('sends no comments to a client that does not read, and none after the end', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const end = Promise.withResolvers<void>();
    let made = 0;
    events = async function* () {
      for (; made < 300; made++) yield { type: 'big', text: 'x'.repeat(100_000) };
      await end.promise;
    };
    const request = get(url);
    const [response] = await once(request, 'response');
    response.pause();
    await stalled(() => made);
    t.mock.timers.tick(150_000);
    let comments = 0;
    let bytes = 0;
    for await (const part of response) {
      comments += String(part).split('\n:\n').length - 1;
      bytes += part.length;
      if (made === 300) end.resolve();
    }
    t.mock.timers.tick(150_000);
    assert.ok(bytes > 30_000_000);
    assert.equal(comments, 0);
  });

  /** Waits until no more events are made, because the client does not read. */
  async function stalled(made: () => number): Promise<void> {
    for (let before = 0; before === 0 || before !== made(); await sleep(100)) before = made();
  }

  it('waits for a client that does not read before it makes more events', async () => {
    const big = { type: 'big', text: 'x'.repeat(100_000) };
    let made = 0;
    events = async function* () {
      // The buffers of a connection take some megabytes, so the events have to be many.
      for (; made < 300; made++) yield big;
    };
    const request = get(url);
    const [response] = await once(request, 'response');
    response.pause();
    await stalled(() => made);
    assert.ok(made < 300, `${made} events were made for a client that reads nothing`);
    let bytes = 0;
    for await (const part of response) bytes += part.length;
    assert.ok(made === 300 && bytes > 30_000_000);
  });

  it('[GEN-33] ends with an error event when the service stops', async () => {
    events = async function* (signal) {
      yield { type: 'one' };
      await sleep(3_600_000, undefined, { signal });
    };
    const streams = [await open(), await open()];
    for (const stream of streams) await stream.next();
    const closed = app.close();
    for (const stream of streams)
      assert.deepEqual(await stream.rest(), [
        { type: 'error', code: 'unavailable', message: 'the service is stopping; ask again' },
      ]);
    await closed;
  });

  for (const late of [0, 1])
    it(`[GEN-33] ends with that error event also when the generator ends by itself, after ${late} more events`, async () => {
      events = async function* (signal) {
        yield { type: 'one' };
        await once(signal, 'abort');
        if (late) yield { type: 'late' };
      };
      const stream = await open();
      await stream.next();
      const closed = app.close();
      assert.deepEqual(
        (await stream.rest()).map(({ code }) => code),
        ['unavailable'],
      );
      await closed;
    });

  it('[GEN-33] a stream that begins while the service stops ends at once', async () => {
    const allowed = Promise.withResolvers<void>();
    permission = allowed.promise;
    events = async function* (signal) {
      yield { type: 'one' };
      await once(signal, 'abort');
    };
    const asked = once(app.server, 'request');
    const stream = open();
    await asked;
    whileStopping = () => allowed.resolve();
    const closed = app.close();
    const late = await stream;
    assert.equal(late.headers.get('connection'), 'close');
    const [end] = await late.rest();
    assert.deepEqual([end.type, end.code], ['error', 'unavailable']);
    await closed;
  });

  it('[GEN-33] the stop of the service does not wait for a client that does not read', async () => {
    const stalled = Promise.withResolvers<void>();
    events = async function* () {
      setImmediate().then(() => stalled.resolve());
      for (;;) yield { type: 'big', text: 'x'.repeat(100_000) };
    };
    const request = get(url);
    const [response] = await once(request, 'response');
    response.pause();
    const broken = once(response, 'error');
    await stalled.promise;
    await app.close();
    response.resume();
    await broken;
  });
});
