/** When GitHub wants to be asked again, where it does not say so by Retry-After but by its limits. */
import type { HttpResponse } from '../../net/guarded-send.ts';

/**
 * Seconds until the limit is reset, once nothing is left of it; undefined otherwise. The instant is told
 * by GitHub's clock, which the answer's `Date` shows.
 */
export function retryAfterOfLimits(
  headers: HttpResponse['headers'],
  now: number,
): number | undefined {
  const reset = headers.get('x-ratelimit-reset') ?? '';
  if (headers.get('x-ratelimit-remaining') !== '0' || !/^\d{1,12}$/.test(reset)) return undefined;
  const itsNow = Date.parse(headers.get('date') ?? '');
  return Math.max(0, Number(reset) - (Number.isNaN(itsNow) ? now : itsNow) / 1000);
}
