/** Repeats an attempt where this may help, a few times and within a deadline. */
import { setTimeout as sleep } from 'node:timers/promises';
import { RemoteFailure } from './failure.ts';

/** These waits come before the second and the third try, where the server does not name one. */
const BACKOFF_MS = [150, 600];

interface RetryLimits {
  /** This is when the last try must have ended, in milliseconds since 1970. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly patienceMs?: number | undefined;
}

/**
 * `attempt` gets the number of milliseconds that it may take. Throws the last RemoteFailure, or the reason of the
 * signal. A wait that would outlast the deadline, or is longer than `patienceMs`, does not begin.
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

/** Returns undefined when another try would not help. */
function waitBefore(error: unknown, tries: number): number | undefined {
  if (!(error instanceof RemoteFailure)) return undefined;
  if (error.kind !== 'limited' && error.kind !== 'broken') return undefined;
  const backoff = BACKOFF_MS[tries];
  if (backoff === undefined) return undefined;
  // The random part keeps clients from coming back all at once.
  return error.retryAfter ?? backoff * (0.75 + Math.random() / 2);
}
