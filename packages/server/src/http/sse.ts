/**
 * This file sends Server-Sent Events. Each event is one `data:` line with a JSON object; its `type` is the kind of the
 * event.
 *
 * An error after the head of the response has been sent becomes a last event `{type: "error", code, message}`, with the
 * codes of error bodies. A comment line every 15 seconds keeps proxies from closing the connection. When the service
 * stops, it first ends all streams, because the server waits for every response.
 */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { clientGone, unavailable } from '../errors.ts';
import type { Explain } from './errors.ts';
import type { App } from './server.ts';

/**
 * The signal aborts when the client has disconnected or the service stops. The generator must not yield events after
 * that.
 */
export type Events = (signal: AbortSignal) => AsyncIterable<{ readonly type: string }>;

declare module 'fastify' {
  interface FastifyReply {
    /** Answers with events until the generator ends. A route must refuse bad requests before it calls this function. */
    sendEvents(events: Events): FastifyReply;
  }
}

export const StreamError = z
  .object({
    type: z.literal('error'),
    code: z.string().describe('The code that the body of this error would have.'),
    message: z.string(),
  })
  .meta({ id: 'StreamError' });

const KEEP_ALIVE_MS = 15_000;
/** A client that reads slowly has this much time to receive the last event. */
const DRAIN_MS = 500;

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // Without this header, nginx collects events until its buffer is full.
  'x-accel-buffering': 'no',
};

export function eventStreams(app: App, explain: Explain): void {
  const open = new Set<{ reply: FastifyReply; stop: AbortController; closed: Promise<void> }>();
  let stopping = false;

  app.decorateReply('sendEvents', function (events) {
    const stop = new AbortController();
    if (stopping) stop.abort(stopped());
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const stream = { reply: this, stop, closed };
    // If the client has already disconnected, the event 'close' does not come any more, and the stream would stay in
    // the set.
    if (!this.raw.destroyed) open.add(stream);
    this.raw.once('close', () => {
      // The answer to a HEAD request has no body, so it closes at once and its generator must stop too.
      stop.abort(clientGone());
      open.delete(stream);
      resolve();
    });
    const out = new PassThrough();
    const signal = AbortSignal.any([this.request.ctx.signal, stop.signal]);
    void write(events, out, { signal, explain: (error) => explain(error, this.request) });
    const connection = stopping ? 'close' : 'keep-alive';
    return this.headers({ ...HEADERS, connection }).send(out);
  });

  app.addHook('preClose', async () => {
    stopping = true;
    for (const { stop } of open) stop.abort(stopped());
    const closed = Promise.all([...open].map((stream) => stream.closed));
    await Promise.race([closed, sleep(DRAIN_MS, undefined, { ref: false })]);
    for (const { reply } of open) reply.raw.destroy();
  });
}

const stopped = () => unavailable('the service is stopping; ask again', 1);

interface StreamOptions {
  readonly signal: AbortSignal;
  readonly explain: (error: unknown) => { readonly code: string; readonly message: string };
}

/** Sends the events of one stream. It never throws: an error becomes the last event. */
async function write(
  events: Events,
  out: PassThrough,
  { signal, explain }: StreamOptions,
): Promise<void> {
  const beat = setInterval(() => {
    if (!out.writableNeedDrain) out.write(COMMENT);
  }, KEEP_ALIVE_MS);
  try {
    // Node sends the head together with the first bytes of the body, so a comment is written at once.
    out.write(COMMENT);
    for await (const event of events(signal)) {
      signal.throwIfAborted();
      if (!out.write(line(event))) await once(out, 'drain', { signal });
    }
    signal.throwIfAborted();
    out.end();
  } catch (error) {
    const { code, message } = explain(signal.aborted ? signal.reason : error);
    out.end(line({ type: 'error', code, message }));
  } finally {
    clearInterval(beat);
  }
}

const COMMENT = ':\n\n';
const line = (event: object) => `data: ${JSON.stringify(event)}\n\n`;
