/** GitHub sometimes sends the state of its rate limit instead of Retry-After; this file computes the wait from it. */
import type { ResponseHeaders } from '../../net/guarded-send.ts';

/**
 * Returns the seconds until the rate limit is reset when the limit is used up, and undefined otherwise. The time of the
 * reset is compared with the `Date` of the answer, because both come from GitHub's clock. An answer without a date counts
 * as sent at `now` (milliseconds since 1970).
 */
export function retryAfterOfLimits(headers: ResponseHeaders, now: number): number | undefined {
  const reset = headers.get('x-ratelimit-reset') ?? '';
  if (headers.get('x-ratelimit-remaining') !== '0' || !/^\d{1,12}$/.test(reset)) return undefined;
  const itsNow = Date.parse(headers.get('date') ?? '');
  return Math.max(0, Number(reset) - (Number.isNaN(itsNow) ? now : itsNow) / 1000);
}
