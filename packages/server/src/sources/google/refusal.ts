/**
 * Reads why an API of Google refuses a request (https://developers.google.com/workspace/drive/api/guides/handle-errors,
 * https://developers.google.com/workspace/gmail/api/guides/handle-errors). The status alone is not enough: a 403 may be
 * about a limit, a record, the project or the sign-in.
 */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import { retryAfterOf } from '../../net/retry-after.ts';
import type { CloudApi } from '../api.ts';

const Refusal = z.object({
  error: z.object({
    message: z.string(),
    /** The name of the gRPC code, such as FAILED_PRECONDITION. */
    status: z.string().optional(),
    errors: z
      .array(z.object({ reason: z.string().optional(), location: z.string().optional() }))
      .default([]),
  }),
});

const LIMITS = [
  'userRateLimitExceeded',
  'rateLimitExceeded',
  'dailyLimitExceeded',
  'quotaExceeded',
  'RESOURCE_EXHAUSTED',
];
const OF_THE_PROJECT = ['accessNotConfigured', 'domainPolicy'];

interface GoogleRefusalRules {
  /** The name of the API for people, such as Google Drive. */
  readonly name: string;
  /** These scopes are needed, and the error about missing ones names them. */
  readonly scopes: readonly string[];
  /** Returns the error of a refusal that only this API has, whose reasons are given. */
  readonly special?: (reasons: readonly string[], message: string) => SourceError | undefined;
}

export const googleRefusal =
  ({ name, scopes, special }: GoogleRefusalRules): NonNullable<CloudApi<unknown>['refusal']> =>
  ({ status, headers, body }) => {
    if (status < 400) return undefined;
    const error = Refusal.safeParse(body).data?.error;
    if (!error) return undefined;
    const message = `${name} answered ${status}: ${error.message}`;
    const reasons = [...error.errors.map(({ reason = '' }) => reason), error.status ?? ''];
    if (status === 410 || isPageToken(error)) return new SourceError('outdated', message);
    if (status === 429 || (status === 403 && reasons.some((reason) => LIMITS.includes(reason)))) {
      const now = Date.now();
      return new SourceError('rate_limited', message, {
        retryAfter: retryAfterOf(headers, now) ?? waitIn(error.message, now),
      });
    }
    if (status === 403 && reasons.some((reason) => OF_THE_PROJECT.includes(reason)))
      return new SourceError('config', message);
    if (status === 403 && reasons.includes('insufficientPermissions'))
      return new SourceError('auth', `${message} It needs ${scopes.join(' and ')}.`, {
        hint: 'Sign in again, and allow everything that the page of Google asks for.',
      });
    return special?.(reasons, message);
  };

/** Some APIs name the parameter, and others only say it. */
const isPageToken = ({ message, errors }: z.output<typeof Refusal>['error']): boolean =>
  errors.some(({ location }) => location === 'pageToken') || /\bpage ?token\b/i.test(message);

/** Some sentences say until when one must wait, such as "Retry after 2026-01-01T00:00:00.000Z". */
function waitIn(message: string, now: number): number | undefined {
  const [, time = ''] = /retry after (\d{4}-\d\d-\d\dT[\d:.]+Z)/i.exec(message) ?? [];
  const at = Date.parse(time);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000));
}
