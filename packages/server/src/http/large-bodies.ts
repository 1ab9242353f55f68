/**
 * Bounds the memory that large bodies take. Only a few requests with a large body are received and handled at once. The
 * others wait before their body is read, so that it stays with the client. Callers take turns.
 */
import type { FastifyRequest } from 'fastify';
import { callerOf } from './caller.ts';
import { createFairQueue } from './fair-queue.ts';
import type { App } from './server.ts';

const LARGE_BYTES = 256 * 1024;
const AT_ONCE = 4;
const CALLER = { atOnce: 2, waiting: 100 };
const DEADLINE_MS = 30_000;

/** The hooks for the context of requests must have been added before. */
export function limitLargeBodies(app: App): void {
  const queue = createFairQueue({ places: () => AT_ONCE, caller: CALLER, deadlineMs: DEADLINE_MS });
  app.decorateRequest('endBody', () => {});
  app.addHook('onRequest', async (req, reply) => {
    if (req.ctx === undefined || !isLarge(req)) return;
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    req.endBody = ended.resolve;
    reply.raw.once('close', ended.resolve);
    const call = { caller: callerOf(req), collections: [], signal: req.ctx.signal };
    queue
      .run(call, () => {
        begun.resolve();
        return ended.promise;
      })
      .catch(begun.reject);
    await begun.promise;
  });
  app.addHook('onResponse', async (req) => req.endBody());
}

/** A body that comes in chunks does not say how large it is. */
const isLarge = ({ headers, routeOptions }: FastifyRequest): boolean =>
  headers['transfer-encoding'] === undefined
    ? Number(headers['content-length'] ?? 0) > LARGE_BYTES
    : (routeOptions.bodyLimit ?? 0) > LARGE_BYTES;
