/** Repeats a failed attempt a few times within a deadline, if a repetition may help. */
import { setTimeout as sleep } from 'node:timers/promises';
import { RemoteFailure } from './failure.ts';

/** These are the waits before the second and third attempt when the server does not ask for a longer one. */
const BACKOFF_MS = [150, 600];

interface RetryLimits {
  /** The last attempt must end before this time, in milliseconds since 1970. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  /** This is the longest wait before a repetition. */
  readonly patienceMs?: number | undefined;
}

/**
 * `attempt` gets the number of milliseconds that it may take. Throws the last RemoteFailure, or the reason of the
 * signal when it aborts. When the next wait would go beyond the deadline or be longer than `patienceMs`, this function
 * throws at once.
 */
export async function retrying<T>(
  attempt: (ms: number) => Promise<T>,
  { deadline, signal, patienceMs = Number.POSITIVE_INFINITY }: RetryLimits,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted();
    const left = deadline - Date.now();
    if (left <= 0) throw new RemoteFailure('late', 'no time was left to ask');
    try {
      return await attempt(left);
    } catch (error) {
      const wait = waitBefore(error, tries);
      if (wait === undefined || wait > patienceMs || Date.now() + wait >= deadline) throw error;
      await sleep(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

/** Returns the wait before the next attempt in milliseconds, or undefined when another attempt would not help. */
function waitBefore(error: unknown, tries: number): number | undefined {
  if (!(error instanceof RemoteFailure)) return undefined;
  if (error.kind !== 'limited' && error.kind !== 'broken') return undefined;
  const backoff = BACKOFF_MS[tries];
  if (backoff === undefined) return undefined;
  // The random part spreads the repetitions of many clients. A server may ask for no time at all, and must still not be
  // asked again at once.
  return Math.max(error.retryAfter ?? 0, backoff * (0.75 + Math.random() / 2));
}
