/** GitHub may say by its limits, instead of by Retry-After, when it wants to be asked again. */
import type { ResponseHeaders } from '../../net/guarded-send.ts';

/**
 * Returns the seconds until the limit is reset, once nothing of the limit is left, and undefined otherwise. The
 * time of the reset is that of GitHub's clock, which the `Date` of the answer shows.
 */
export function retryAfterOfLimits(headers: ResponseHeaders, now: number): number | undefined {
  const reset = headers.get('x-ratelimit-reset') ?? '';
  if (headers.get('x-ratelimit-remaining') !== '0' || !/^\d{1,12}$/.test(reset)) return undefined;
  const itsNow = Date.parse(headers.get('date') ?? '');
  return Math.max(0, Number(reset) - (Number.isNaN(itsNow) ? now : itsNow) / 1000);
}
