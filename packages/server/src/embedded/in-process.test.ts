import assert from 'node:assert/strict';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import pino from 'pino';
import { z } from 'zod';
import { type App, createServer } from '../http/server.ts';
import type { Events } from '../http/sse.ts';
import { identityOf } from '../test/identity.ts';
import { createRequestSender, type RequestSender } from './in-process.ts';

const ADDRESS = 'http://localhost/v1';

describe('requests without a port', () => {
  let app: App;
  let sender: RequestSender;
  let events: Events;
  let answer: (signal: AbortSignal) => Promise<unknown>;
  beforeEach(async () => {
    app = createServer({
      log: pino({ level: 'silent' }),
      unavailableReason: () => null,
      authenticate: async () => identityOf('o', { role: 'member' }),
      routes(routes) {
        const config = { role: 'member', audit: null } as const;
        routes.get('/v1/events', { config }, (_req, reply) => reply.sendEvents(events));
        routes.get('/v1/slow', { config }, (req) => answer(req.ctx.signal));
        routes.delete('/v1/slow', { config }, (_req, reply) => reply.status(204).send());
        routes.post(
          '/v1/echo',
          {
            config,
            bodyLimit: 20_000_000,
            schema: { body: z.unknown(), querystring: z.object({ wait: z.string() }) },
          },
          ({ body, headers, url }, reply) =>
            reply
              .status(201)
              .header('x-total-count', 7)
              .send({ body, url, given: headers['x-given'] }),
        );
      },
    });
    sender = createRequestSender(app);
    await app.ready();
  });
  afterEach(() => app.close());

  const get = (path: string, signal?: AbortSignal) =>
    sender.send(
      new Request(`${ADDRESS}${path}`, {
        headers: { 'x-api-key': 'any' },
        ...(signal && { signal }),
      }),
    );
  /** Reads the next piece of a stream as text. */
  const readerOf = (response: Response) => {
    assert.ok(response.body);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    return { next: async () => (await reader.read()).value, cancel: () => reader.cancel() };
  };

  it('carry query, headers and a large body, and answer with status and headers', async () => {
    const body = { text: 'é'.repeat(5_000_000) };
    const response = await sender.send(
      new Request(`${ADDRESS}/echo?wait=true`, {
        method: 'POST',
        headers: { 'x-api-key': 'any', 'x-given': 'yes', 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );
    assert.deepEqual([response.status, response.headers.get('x-total-count')], [201, '7']);
    assert.deepEqual(await response.json(), { body, url: '/v1/echo?wait=true', given: 'yes' });
  });

  it('may have an answer without a body', async () => {
    const response = await sender.send(
      new Request(`${ADDRESS}/slow`, { method: 'DELETE', headers: { 'x-api-key': 'any' } }),
    );
    assert.deepEqual([response.status, response.body], [204, null]);
  });

  it('answer with each event before the next one exists', async () => {
    const second = Promise.withResolvers<void>();
    events = async function* () {
      yield { type: 'one' };
      await second.promise;
      yield { type: 'two' };
    };
    const response = await get('/events');
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    const { next } = readerOf(response);
    let seen = '';
    while (!seen.includes('one')) seen += await next();
    second.resolve();
    for (let piece = await next(); piece !== undefined; piece = await next()) seen += piece;
    assert.equal(seen, ':\n\ndata: {"type":"one"}\n\ndata: {"type":"two"}\n\n');
  });

  it('wait with further events while nobody reads the earlier ones', async () => {
    let made = 0;
    const text = 'x'.repeat(100_000);
    const stopped = Promise.withResolvers<void>();
    events = async function* (signal) {
      signal.addEventListener('abort', () => stopped.resolve());
      for (; made < 1000; made++) yield { type: 'one', text };
    };
    const { cancel, next } = readerOf(await get('/events'));
    await next();
    for (let i = 0; i < 100; i++) await setImmediate();
    assert.ok(made < 20, `${made} events were made`);
    await cancel();
    await stopped.promise;
  });

  for (const how of ['cancels the body', 'aborts'] as const)
    it(`end when the reader ${how} in the middle`, async () => {
      const stopped = Promise.withResolvers<unknown>();
      events = async function* (signal) {
        yield { type: 'one' };
        signal.addEventListener('abort', () => stopped.resolve(signal.reason));
        await stopped.promise;
      };
      const leave = new AbortController();
      const { next, cancel } = readerOf(await get('/events', leave.signal));
      await next();
      const reason = new Error('enough');
      if (how === 'aborts') {
        leave.abort(reason);
        await assert.rejects(async () => {
          while ((await next()) !== undefined);
        }, reason);
      } else await cancel();
      assert.match(String(await stopped.promise), /the client has gone/);
    });

  it('end when the reader aborts before the answer', async () => {
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    answer = async (signal) => {
      begun.resolve();
      await once(signal, 'abort');
      ended.resolve();
      return {};
    };
    const leave = new AbortController();
    const asked = get('/slow', leave.signal);
    await begun.promise;
    const reason = new Error('enough');
    leave.abort(reason);
    await assert.rejects(asked, reason);
    await ended.promise;
    await assert.rejects(get('/slow', AbortSignal.abort(reason)), reason);
  });

  it('have their answers when the API closes meanwhile, and are refused after it', async () => {
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    answer = async () => {
      begun.resolve();
      await end.promise;
      return { found: 1 };
    };
    const asked = get('/slow');
    await begun.promise;
    sender.refuse(new Error('it is closed'));
    let isClosed = false;
    const closing = app.close().then(() => {
      isClosed = true;
    });
    await assert.rejects(get('/slow'), /it is closed/);
    for (let i = 0; i < 20; i++) await setImmediate();
    assert.equal(isClosed, false);
    end.resolve();
    assert.deepEqual(await (await asked).json(), { found: 1 });
    await closing;
  });
});
