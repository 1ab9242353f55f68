/** This file says when a failed delivery is tried again. */
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * These are the delays after the first attempt, the second, and so on; after the last of
 * them, the delivery has failed for good.
 */
export const DELAYS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR] as const;
/** The jitter spreads deliveries that failed together, so that they do not come back together. */
const JITTER = 0.1;
/** An endpoint that asks for patience is waited for at most this long. */
const LONGEST_REST = HOUR;

/** Returns the milliseconds of patience that the endpoint asks for, up to our limit. `retryAfter` is in seconds. */
export const restOf = (retryAfter: number): number =>
  Math.min(Math.ceil(retryAfter * SECOND), LONGEST_REST);

/**
 * Returns the milliseconds from the end of an attempt to the next one, or undefined after the last one. `attempts`
 * counts the attempts that have ended, this one included. An endpoint that asks for patience gets as much as it
 * asks for, up to twice the delay or an hour, whichever is longer.
 */
export function delayAfter(
  attempts: number,
  retryAfter: number | undefined,
  random: () => number = Math.random,
): number | undefined {
  const delay = DELAYS[attempts - 1];
  if (delay === undefined) return undefined;
  const jittered = delay * (1 + JITTER * (2 * random() - 1));
  const asked = Math.min((retryAfter ?? 0) * SECOND, Math.max(2 * delay, LONGEST_REST));
  return Math.ceil(Math.max(jittered, asked));
}
