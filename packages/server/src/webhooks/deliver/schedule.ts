/** This file says when a failed delivery is tried again. */
import { LONGEST_REST_MS } from '../../db/endpoint-rest.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * These are the delays after the first failed attempt, after the second, and so on. The last attempt follows the last
 * delay.
 */
export const DELAYS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR] as const;
/** No delivery waits for longer than this, which is an hour more than `delayAfter` allows. */
export const LONGEST_WAIT_MS = 2 * DELAYS[5] + HOUR;
/** The jitter spreads deliveries that failed together, so that they do not come back together. */
const JITTER = 0.1;

/**
 * Returns how long nothing is sent to an endpoint that asks us to wait, in milliseconds. `retryAfter` is in seconds.
 */
export const pauseOf = (retryAfter: number): number =>
  Math.min(Math.ceil(retryAfter * SECOND), LONGEST_REST_MS);

/**
 * Returns the milliseconds from the end of an attempt to the next attempt, or undefined after the last attempt.
 * `attempts` counts the attempts that have ended, the current one included. When the endpoint asks us to wait, we wait
 * as long as it asks, but at most twice the delay or an hour, whichever is longer.
 */
export function delayAfter(
  attempts: number,
  retryAfter: number | undefined,
  random: () => number = Math.random,
): number | undefined {
  const delay = DELAYS[attempts - 1];
  if (delay === undefined) return undefined;
  const jittered = delay * (1 + JITTER * (2 * random() - 1));
  const asked = Math.min((retryAfter ?? 0) * SECOND, Math.max(2 * delay, LONGEST_REST_MS));
  return Math.ceil(Math.max(jittered, asked));
}
