/**
 * The two sources of GitHub share this file: the sign-in with a token, the address of the REST API, and the way in
 * which the API refuses requests.
 */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import { retryAfterOf } from '../../net/retry-after.ts';
import { beginningOf } from '../../util.ts';
import type { CloudApi } from '../api.ts';
import type { DirectAuth } from '../auth.ts';
import { secret } from '../define.ts';
import { bearer } from '../kit/sign.ts';
import { ServiceUrl } from '../service-url.ts';
import { retryAfterOfLimits } from './limits.ts';

/** https://docs.github.com/rest/about-the-rest-api/api-versions */
export const API_VERSION = { 'x-github-api-version': '2022-11-28' };

const MAX_SENTENCE = 300;
/** A client should wait for at least this many seconds when GitHub refuses a request and names no time. */
const SHORTEST_PAUSE_S = 60;

export const BaseUrl = ServiceUrl.default('https://api.github.com').meta({
  title: 'API',
  description: 'Address of the API of GitHub Enterprise Server: https://<host>/api/v3.',
  address: true,
});

export const Account = z.object({ login: z.string() });

/**
 * Returns the address of the website that belongs to an API. Only github.com has its API on another host than its
 * website.
 */
export function siteOf(baseUrl: string): URL {
  const { origin, hostname } = new URL(baseUrl);
  return new URL(hostname === 'api.github.com' ? 'https://github.com' : origin);
}

export const tokenAuth = (description: string) =>
  ({
    fields: z.object({ token: secret('Token', description) }),
    sign: { headers: ({ token }) => bearer(token) },
  }) satisfies DirectAuth<{ token: string }, unknown>;

const Refusal = z.object({ message: z.string() });

/**
 * GitHub answers 403 for a missing permission and for both kinds of limits
 * (https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api). The answer of a secondary limit may
 * have no header that says how long to wait. Then only its message shows that no permission is missing.
 */
export const limits: Required<Pick<CloudApi<never>, 'retryAfter' | 'refusal'>> = {
  retryAfter: retryAfterOfLimits,
  refusal({ status, headers, body }) {
    if (status !== 403) return undefined;
    const message = Refusal.safeParse(body).data?.message ?? '';
    if (!/rate limit|abuse detection/i.test(message)) return undefined;
    const now = Date.now();
    const wait = retryAfterOf(headers, now) ?? retryAfterOfLimits(headers, now);
    return new SourceError(
      'rate_limited',
      `GitHub asks to wait: ${beginningOf(message, MAX_SENTENCE)}`,
      { retryAfter: wait ?? SHORTEST_PAUSE_S },
    );
  },
};
