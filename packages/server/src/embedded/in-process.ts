/**
 * Sends requests to an API in this process, without a port. An answer is given as soon as its head is there, and its body
 * while it is written. A reader who aborts, or cancels the body, ends the request as a client that disconnects does.
 */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream as BodyStream } from 'node:stream/web';
import { type Response as Injected, inject } from 'light-my-request';
import type { App } from '../http/server.ts';

/** An answer with this status has no body (https://fetch.spec.whatwg.org/#null-body-status). */
const WITHOUT_BODY = [204, 205, 304];

export interface RequestSender {
  send(request: Request): Promise<Response>;
  /** Refuses every later request with this error. The end of the API waits for those that have begun. */
  refuse(error: Error): void;
}

/** Call it before the API is ready. */
export function createRequestSender(api: App): RequestSender {
  const running = new Set<Promise<void>>();
  let refusal: Error | undefined;
  // A server that listens waits for its connections, and these requests have none.
  api.addHook('preClose', async () => {
    await Promise.all(running);
  });

  function follow(reply: ServerResponse): void {
    const closed = new Promise<void>((resolve) => {
      reply.once('close', resolve);
    });
    running.add(closed);
    void closed.then(() => running.delete(closed));
  }

  return {
    async send(request) {
      if (refusal) throw refusal;
      const { method, url, signal } = request;
      const payload = request.body ? Buffer.from(await request.arrayBuffer()) : undefined;
      signal.throwIfAborted();
      const { promise: replied, resolve: begin } = Promise.withResolvers<ServerResponse>();
      const answered = inject(
        (raw, reply) => {
          follow(reply);
          begin(reply);
          api.routing(raw, reply);
        },
        {
          ...{ method, url, payloadAsStream: true },
          headers: Object.fromEntries(request.headers),
          ...(payload && { payload }),
        },
      );
      const end = () => void replied.then((reply) => reply.destroy());
      signal.addEventListener('abort', end, { once: true });
      try {
        const answer = await answered;
        const body = answer.stream();
        // Both ends must close the other one: a body that is cancelled, and a request that is aborted.
        body.once('close', end);
        signal.addEventListener('abort', () => body.destroy(signal.reason), { once: true });
        return toResponse(answer, body, method);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    },
    refuse(error) {
      refusal ??= error;
    },
  };
}

function toResponse(
  { statusCode: status, headers: given }: Injected,
  body: Readable,
  method: string,
): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given))
    for (const one of [value].flat()) if (one !== undefined) headers.append(name, String(one));
  const isEmpty = method === 'HEAD' || WITHOUT_BODY.includes(status);
  if (isEmpty) body.on('error', () => {}).resume();
  const stream = isEmpty ? null : (Readable.toWeb(body) as BodyStream<Uint8Array>);
  return new Response(stream, { status, headers });
}
