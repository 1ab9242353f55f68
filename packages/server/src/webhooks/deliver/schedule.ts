/** When a delivery that has failed is tried again. */
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** After the first attempt, the second, and so on; then it has failed for good. */
export const DELAYS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR] as const;
/** Deliveries that failed together do not come back together. */
const JITTER = 0.1;
/** The longest that an endpoint is waited for because it asks for it. */
const LONGEST_REST = HOUR;

/** Milliseconds that the endpoint asks for, as far as we follow. `retryAfter`: seconds. */
export const restOf = (retryAfter: number): number =>
  Math.min(Math.ceil(retryAfter * SECOND), LONGEST_REST);

/**
 * Milliseconds from the end of an attempt to the next; undefined after the last one. `attempts` have
 * ended, this one included. An endpoint that asks for patience gets what it asks for, as far as the
 * delay, twice over, or an hour reach.
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
