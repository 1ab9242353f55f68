/**
 * The semaphore lets each caller run only a few long requests at the same time, so that one caller cannot occupy all
 * threads that answer. Further requests of the caller wait in the order in which they came. When too many wait, a
 * request is refused with 429.
 */
import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { createKeyedLimit } from '../keyed-limit.ts';
import { sha256 } from '../model/hash.ts';
import { apiKeyOf } from './auth.ts';

export interface SemaphoreLimits {
  /** One caller may have this many requests running. */
  readonly atOnce: number;
  /** One caller may have this many further requests waiting. */
  readonly waiting: number;
}

/** Runs the work as soon as the caller has a free slot. Throws a 429 when too many requests of the caller wait. */
export type CallerSemaphore = <T>(
  req: Pick<FastifyRequest, 'ctx' | 'headers'>,
  work: () => Promise<T>,
) => Promise<T>;

const RETRY_AFTER = 1;

export function createCallerSemaphore({ atOnce, waiting }: SemaphoreLimits): CallerSemaphore {
  const requests = createKeyedLimit(atOnce);
  return async (req, work) => {
    const caller = callerOf(req);
    if (requests.size(caller) >= atOnce + waiting)
      throw new AppError(
        429,
        `${waiting} requests of this caller wait already: send fewer at once`,
        { code: 'too_many_requests', retryAfter: RETRY_AFTER },
      );
    return requests.run(caller, async () => {
      // The work is not done when the client has disconnected during the wait.
      req.ctx.signal.throwIfAborted();
      return work();
    });
  };
}

/**
 * Identifies the caller: all requests with one key give the same text, and so do all requests of one person who signed
 * in without a key.
 */
export function callerOf({ ctx, headers }: Pick<FastifyRequest, 'ctx' | 'headers'>): string {
  const key = ctx.person === undefined ? apiKeyOf(headers) : undefined;
  return key === undefined ? `account ${ctx.account.id}` : sha256(key);
}
