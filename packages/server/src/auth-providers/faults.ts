/** These are the errors that an auth provider causes. Each names the provider, and its hint says what to do there. */
import { AuthProviderError } from '../errors.ts';
import { retryAfterOf } from '../net/retry-after.ts';
import { sentenceIn } from '../sources/kit/refusal.ts';
import type { ProviderAnswer, ProviderRef } from './kind.ts';

export const nameOf = ({ shortName, readableId }: ProviderRef): string =>
  `the auth provider '${readableId}' (${shortName})`;

export const signInHint = (ref: ProviderRef): string =>
  `Sign in again at ${nameOf(ref)}, and start a sync. A source that is searched live needs a PATCH with its auth_provider.`;

/** The provider does not accept the credentials that an admin gave for it. */
export const keyRefused = (ref: ProviderRef, why = ''): AuthProviderError =>
  new AuthProviderError('config', `${nameOf(ref)} refuses its own credentials${why}`, {
    hint: `An admin gives it new ones: PUT /v1/auth-providers/${ref.readableId}.`,
  });

/** The provider does not know the connection, or cannot use it before somebody signs in again. */
export const signInEnded = (ref: ProviderRef, what: string): AuthProviderError =>
  new AuthProviderError('auth', `${nameOf(ref)} says that ${what}`, { hint: signInHint(ref) });

export const misconfigured = (ref: ProviderRef, what: string, hint?: string): AuthProviderError =>
  new AuthProviderError('config', `${nameOf(ref)} ${what}`, { hint });

export const passing = (ref: ProviderRef, what: string): AuthProviderError =>
  new AuthProviderError('transient', `${nameOf(ref)} ${what}`);

/**
 * Says what an answer of the provider itself means by its status alone. Undefined stands for a success. A redirect is a
 * failure, because the credentials of the provider must not go elsewhere.
 */
export function faultByStatus(
  ref: ProviderRef,
  { status, headers, body }: ProviderAnswer,
): AuthProviderError | undefined {
  if (status < 300) return undefined;
  const sentence = sentenceIn(body);
  const explained = sentence === undefined ? '' : `: ${sentence}`;
  const answered = `answered ${status}${explained}`;
  if (status < 400)
    return misconfigured(ref, `redirects, and requests with its credentials follow no redirects`);
  const retryAfter = retryAfterOf(headers, Date.now());
  if (status === 429 || (retryAfter !== undefined && status >= 500))
    return new AuthProviderError('rate_limited', `${nameOf(ref)} ${answered}`, { retryAfter });
  if (status >= 500 || status === 408 || status === 425) return passing(ref, answered);
  if (status === 401) return keyRefused(ref, explained);
  return misconfigured(ref, answered);
}
