/**
 * Bounds the memory that large bodies take. Only a few requests with a large body are received at once. The others wait
 * before their body is read, so that it stays with the client. Callers take turns.
 *
 * - A request has a place while its body arrives and is checked, and longer only where its route keeps the body.
 * - A body that comes in chunks does not say how large it is, so it takes a place only when it has become large.
 * - A body that has a place must go on arriving, because the others wait for it.
 * - Anybody can send a body without a key, and many at once. So such a body is small, and it is not read where no route
 *   takes it.
 */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from './caller.ts';
import { answerTooSlow, unknownRoute } from './errors.ts';
import { createFairQueue, type FairQueue } from './fair-queue.ts';
import type { App } from './server.ts';

const LARGE_BYTES = 256 * 1024;
/** A body without a key is at most as large as a form to sign in. */
const OPEN_BODY_LIMIT = 16 * 1024;
const AT_ONCE = 4;
const CALLER = { atOnce: 2, waiting: 100 };
const DEADLINE_MS = 30_000;
/** The method of a request that has no body, whatever its headers say: Fastify does not read it. */
const BODILESS = ['GET', 'HEAD', 'TRACE'];
/** At least so many bytes must come in each of these windows, which is 32 KiB in a second. */
const SLOWEST = { windowMs: 5_000, bytes: 160 * 1024 };

/** The hooks for the context of requests must have been added before. */
export function limitLargeBodies(app: App, slowest: typeof SLOWEST = SLOWEST): void {
  const queue = createFairQueue({ places: () => AT_ONCE, caller: CALLER, deadlineMs: DEADLINE_MS });
  app.decorateRequest('endBody', () => {});
  const take = async (req: FastifyRequest, reply: FastifyReply) => {
    const { ended } = await takePlace(queue, req, reply);
    const stop = watchArrival(req, slowest);
    void ended.then(stop);
  };
  app.addHook('onRoute', (route) => {
    if (route.config?.role === null) route.bodyLimit ??= OPEN_BODY_LIMIT;
  });
  app.addHook('onRequest', async (req, reply) => {
    if (sizeOf(req) === 'large') await take(req, reply);
  });
  app.addHook('preParsing', async (req, reply, payload) => {
    if (req.is404 && !BODILESS.includes(req.method)) throw unknownRoute;
    if (sizeOf(req) !== 'unknown') return payload;
    const body = Readable.from(
      counted(payload, () => take(req, reply)),
      { objectMode: false },
    );
    // Who reads the body sees the error. After a body was refused nobody reads it, and an error would end the process.
    return body.on('error', () => {});
  });
  app.addHook('preHandler', async (req) => {
    if (!req.routeOptions.config.keepsBody) req.endBody();
  });
  app.addHook('onResponse', async (req) => req.endBody());
}

function sizeOf(req: FastifyRequest): 'small' | 'large' | 'unknown' {
  const { headers, method, routeOptions } = req;
  if (req.ctx === undefined || BODILESS.includes(method)) return 'small';
  if (headers['transfer-encoding'] === undefined)
    return Number(headers['content-length'] ?? 0) > LARGE_BYTES ? 'large' : 'small';
  if ((routeOptions.bodyLimit ?? 0) <= LARGE_BYTES) return 'small';
  // The reader of forms takes the body from the connection itself, where nobody counts it.
  return headers['content-type']?.startsWith('multipart/') ? 'large' : 'unknown';
}

/**
 * Waits until the request has a place, which it has until `endBody` is called or its connection is closed. `ended` resolves
 * then.
 */
async function takePlace(
  queue: FairQueue,
  req: FastifyRequest,
  reply: FastifyReply,
): Promise<{ readonly ended: Promise<void> }> {
  const begun = Promise.withResolvers<void>();
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  req.endBody = resolve;
  reply.raw.once('close', resolve);
  const call = { caller: callerOf(req), collections: [], signal: req.ctx.signal };
  queue
    .run(call, () => {
      begun.resolve();
      return ended;
    })
    .catch(begun.reject);
  await begun.promise;
  return { ended };
}

/** Passes a body on, and waits for a place before the first byte that makes it large. */
async function* counted(payload: Readable, take: () => Promise<void>): AsyncGenerator<Buffer> {
  let bytes = 0;
  let isLarge = false;
  // When the request is refused, its connection stays open for the answer.
  for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (!isLarge && bytes > LARGE_BYTES) {
      isLarge = true;
      await take();
    }
    yield chunk;
  }
}

/** Refuses a request whose body does not go on arriving, and gives its place to others. Returns what ends the watch. */
function watchArrival(req: FastifyRequest, { windowMs, bytes }: typeof SLOWEST): () => void {
  const { socket } = req.raw;
  let before = socket.bytesRead;
  const timer = setInterval(() => {
    if (req.raw.complete) return clearInterval(timer);
    if (socket.bytesRead - before < bytes) {
      req.endBody();
      answerTooSlow(socket);
      // The client has this time to read the answer; it may still be sending.
      setTimeout(() => socket.destroy(), windowMs).unref();
    }
    before = socket.bytesRead;
  }, windowMs).unref();
  return () => clearInterval(timer);
}
