/** Reads how Linear refuses a request. */
import { z } from 'zod';
import { SourceError, type SourceErrorKind } from '../../errors.ts';
import type { CloudApi } from '../api.ts';
import { text } from '../kit/lenient.ts';

/**
 * These types of errors cannot be recognized by the status alone (https://linear.app/developers/sdk-errors). An error may
 * have only a code, such as RATELIMITED (https://linear.app/developers/rate-limiting).
 */
const KINDS: Readonly<Record<string, SourceErrorKind>> = {
  ratelimited: 'rate_limited',
  'authentication error': 'auth',
  forbidden: 'skip',
  // Our queries never change, so the invalid input can only be the cursor of a page.
  'invalid input': 'outdated',
  'internal error': 'transient',
  'internal server error': 'transient',
  'lock timeout': 'transient',
  'network error': 'transient',
};
/** The time of a reset is in milliseconds since 1970 (https://linear.app/developers/rate-limiting). */
const LIMITS = ['requests', 'complexity'];
const Refused = z.object({
  errors: z.tuple(
    [z.object({ message: z.string(), extensions: z.object({ type: text, code: text }) })],
    z.unknown(),
  ),
});

export const refusal: NonNullable<CloudApi<unknown>['refusal']> = ({ body }) => {
  const [error] = Refused.safeParse(body).data?.errors ?? [];
  if (!error) return undefined;
  const { type, code } = error.extensions;
  const kind = KINDS[type] ?? KINDS[code.toLowerCase().replaceAll('_', ' ')];
  return kind && new SourceError(kind, `Linear answers: ${error.message}`);
};

/**
 * Linear sends the state of its limits with every answer. Only a limit that is used up means that the next request must
 * wait.
 */
export const retryAfter: NonNullable<CloudApi<unknown>['retryAfter']> = (headers, now) => {
  const used = LIMITS.filter((of) => headers.get(`x-ratelimit-${of}-remaining`) === '0');
  const resets = used.map((of) => Number(headers.get(`x-ratelimit-${of}-reset`) ?? Number.NaN));
  const wait = (Math.max(...resets) - now) / 1000;
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
};
