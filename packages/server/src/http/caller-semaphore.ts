/**
 * The semaphore keeps one caller from taking all the time of the threads that answer: each caller has only a few long
 * requests in work at once. Further ones wait in the order in which they came; beyond a limit, a request is refused
 * with 429.
 */
import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { createKeyedLimit } from '../keyed-limit.ts';
import { sha256 } from '../model/hash.ts';
import { apiKeyOf } from './auth.ts';

export interface SemaphoreLimits {
  /** This many requests of one caller are in work at once. */
  readonly atOnce: number;
  /** This many further requests of one caller may wait. */
  readonly waiting: number;
}

/** Runs the work when it is its caller's turn. Throws a 429 when too many requests of the caller wait. */
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
      // A client that has left while it waited needs no answer.
      req.ctx.signal.throwIfAborted();
      return work();
    });
  };
}

/** Gives the same text for all requests of one key, or of one person who signed in without a key. */
export const callerOf = ({ ctx, headers }: Pick<FastifyRequest, 'ctx' | 'headers'>): string =>
  ctx.person === undefined ? sha256(apiKeyOf(headers) ?? '') : `account ${ctx.account.id}`;
