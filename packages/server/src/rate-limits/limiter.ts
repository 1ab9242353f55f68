/**
 * Counts the requests of connections against the limits of their organization, before they are sent. It wraps `send`,
 * so that retries, redirects, requests for tokens, checks and live searches of all threads and processes are counted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { asSourceError } from '../db/unavailable.ts';
import { SourceRateLimitExceededException } from '../errors.ts';
import { loadHttpClient, type Send } from '../net/guarded-send.ts';
import type { Source } from '../sources/define.ts';
import { type AdmissionDeps, type AdmissionRefusal, createAdmissions } from './admissions.ts';
import { type CountingDeps, countingDatabase } from './counting-database.ts';
import { type CountedConnection, createQuotas } from './quotas.ts';

export interface CountedCaller extends CountedConnection {
  /**
   * A request over a limit may wait at most this long in all, and its connection keeps its turn meanwhile. It fails at
   * once when it would have to wait longer. With 0 it never waits and keeps no turn.
   */
  readonly patienceMs: number;
}

export interface RateLimiter {
  /**
   * Returns a `send` that counts each request before it is sent. It throws a SourceRateLimitExceededException when the
   * request would have to wait longer than `patienceMs`, and a SourceError 'transient' when our database cannot be
   * used. Make one for each opened connection, because it admits requests one after the other.
   */
  limit(send: Send, caller: CountedCaller): Send;
}

export interface OpenRateLimiter extends RateLimiter {
  /** Closes what the limiter has opened itself. */
  close(): Promise<void>;
}

interface LimiterDeps extends CountingDeps, Partial<Pick<AdmissionDeps, 'now' | 'databaseNow'>> {
  readonly sources: ReadonlyMap<string, Source>;
}

export function createRateLimiter(deps: LimiterDeps): OpenRateLimiter {
  const { db, sources, now = () => performance.now() } = deps;
  const quotas = createQuotas(db, sources, now);
  const counting = countingDatabase(deps);
  const admissions = createAdmissions({ ...deps, db: counting, now });

  async function admit(caller: CountedCaller, signal: AbortSignal): Promise<void> {
    const { patienceMs, connectionId } = caller;
    const asking = {
      connectionId: connectionId ?? '',
      waits: patienceMs > 0 && connectionId !== null,
    };
    const begun = now();
    for (let isFresh = false; ; isFresh = !isFresh) {
      signal.throwIfAborted();
      const limits = await quotas.of(caller, { isFresh });
      const refusal = await admissions.admit(limits, asking);
      if (!refusal) return;
      // Before a request waits or fails, the limit is read again, because an admin may have raised it.
      if (!isFresh) continue;
      const waitMs = Math.ceil(refusal.retryMs);
      if (now() - begun + waitMs > patienceMs) throw exceeded(refusal);
      await sleep(waitMs, undefined, { signal });
    }
  }

  return {
    limit(send, caller) {
      const inTurn = pLimit(1);
      return async (url, request) => {
        await loadHttpClient();
        await inTurn(() => admit(caller, request.signal)).catch((error: unknown) => {
          request.onUnsent?.();
          throw asSourceError(
            `the request to ${caller.shortName} was not sent, because it could not be counted`,
            error,
          );
        });
        return send(url, request);
      };
    },
    async close() {
      if (counting !== db) await counting.destroy();
    },
  };
}

const exceeded = ({ quota, retryMs }: AdmissionRefusal) =>
  new SourceRateLimitExceededException({
    sourceShortName: quota.window.shortName,
    limit: quota.limit,
    windowSeconds: quota.windowSeconds,
    retryAfter: retryMs / 1000,
  });
