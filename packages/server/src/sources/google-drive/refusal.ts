/**
 * Reads why Google refuses a request (https://developers.google.com/workspace/drive/api/guides/handle-errors). The
 * status alone is not enough: a 403 may be about a limit, a file, the project or the sign-in.
 */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import { retryAfterOf } from '../../net/retry-after.ts';
import type { CloudApi } from '../api.ts';

const Refusal = z.object({
  error: z.object({
    message: z.string(),
    errors: z
      .array(z.object({ reason: z.string().optional(), location: z.string().optional() }))
      .default([]),
  }),
});

/** A document is larger than Google exports it. */
export class TooLargeToExport extends SourceError {}

const LIMITS = ['userRateLimitExceeded', 'rateLimitExceeded', 'dailyLimitExceeded'];
const OF_THE_PROJECT = ['accessNotConfigured', 'domainPolicy'];

export const refusal: NonNullable<CloudApi<unknown>['refusal']> = ({ status, headers, body }) => {
  if (status < 400) return undefined;
  const error = Refusal.safeParse(body).data?.error;
  if (!error) return undefined;
  const message = `Google Drive answered ${status}: ${error.message}`;
  const reasons = error.errors.map(({ reason = '' }) => reason);
  if (status === 410 || error.errors.some(({ location }) => location === 'pageToken'))
    return new SourceError('outdated', message);
  if (status !== 403) return undefined;
  if (reasons.some((reason) => LIMITS.includes(reason)))
    return new SourceError('rate_limited', message, {
      retryAfter: retryAfterOf(headers, Date.now()),
    });
  if (reasons.some((reason) => OF_THE_PROJECT.includes(reason)))
    return new SourceError('config', message);
  if (reasons.includes('insufficientPermissions'))
    return new SourceError('auth', message, {
      hint: 'Sign in again, and allow all scopes that docs/sources/google_drive.md names.',
    });
  if (reasons.includes('exportSizeLimitExceeded')) return new TooLargeToExport('skip', message);
  return undefined;
};
