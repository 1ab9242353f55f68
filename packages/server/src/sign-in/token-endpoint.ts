/**
 * Asks a token endpoint for tokens (RFC 6749, 5), and reads its answer, whatever it is. These rules hold for answers
 * that the RFC does not allow:
 *
 * - A life of zero or less, or one that is not a number, counts as unknown. Some services write 0 for a token that
 *   never expires.
 * - A token with characters that a header cannot have, such as a line break, is refused.
 * - A type of token other than Bearer is refused, because we would send it in the wrong way. A source may say that its
 *   provider has another word for Bearer.
 * - An error in an answer with status 200 is an error.
 * - An answer that does not come from the token endpoint itself, or not in full (5xx, HTML, incomplete, late), says
 *   nothing about the sign-in: it is 'transient'.
 */
import { z } from 'zod';
import { SourceError, shown } from '../errors.ts';
import { secretForms, withoutForms } from '../model/without-secrets.ts';
import { isConfidential } from '../net/addresses.ts';
import {
  RequestFailure,
  readJson,
  request,
  type TextAnswer,
  withoutQuery,
} from '../net/request.ts';
import { retryAfterOf } from '../net/retry-after.ts';
import type { OAuthFlow, TokenAnswer, TokenRequest } from '../sources/auth.ts';
import { sourceErrorOf } from '../sources/kit/refusal.ts';
import { beginningOf } from '../util.ts';
import type { IssuedTokens, TokenTransport } from './tokens.ts';

const LIMITS = { deadlineMs: 20_000, maxBytes: 256 * 1024 };
const MAX_LIFE_SECONDS = 10 * 365 * 24 * 3600;
const MAX_WORDS = 300;
/** A shorter value may be an ordinary word, so it is not removed from a sentence. */
const MIN_SECRET = 8;
/** These fields of a token request are not secret. */
const OPEN_FIELDS = ['grant_type', 'client_id', 'scope', 'redirect_uri'];

/** RFC 6749, appendix A, allows these characters; a space would end the token in a header. */
const ACCESS_TOKEN = /^[\x21-\x7e]+$/;

export const isSendable = (accessToken: string): boolean => ACCESS_TOKEN.test(accessToken);
const REFRESH_TOKEN = /^[\x20-\x7e]+$/;

/** These errors say that the refresh token or the code cannot be used any more. The last three are not in the RFC. */
const GRANT_ENDED = [
  'invalid_grant',
  'interaction_required', // Microsoft Entra ID
  'bad_refresh_token', // GitHub
  'invalid_refresh_token', // Slack
];
const CLIENT_REFUSED = ['invalid_client', 'unauthorized_client'];
/** Atlassian answers a refresh token that has ended with unauthorized_client and "refresh_token is invalid". */
const REFRESH_TOKEN_ENDED = /refresh_token is invalid/i;
const MAY_PASS = ['server_error', 'temporarily_unavailable'];

const Seconds = z
  .union([z.number(), z.string().regex(/^\d+$/).transform(Number)])
  .optional()
  .catch(undefined);
const Scopes = z
  .union([z.string(), z.array(z.string()).transform((list) => list.join(' '))])
  .optional()
  .catch(undefined);

const StandardAnswer: z.ZodType<TokenAnswer> = z.object({
  access_token: z.string().min(1),
  refresh_token: z
    .string()
    .nullish()
    .transform((token) => token || undefined),
  expires_in: Seconds,
  scope: Scopes,
  token_type: z.string().optional().catch(undefined),
});

const Refusal = z.object({
  error: z.string().min(1),
  error_description: z.string().optional().catch(undefined),
});
type Refusal = z.infer<typeof Refusal>;

interface TokenEndpointRules {
  /** The flow of a provider may have its own words for an answer. */
  readonly flow?: Pick<OAuthFlow<never>, 'tokens' | 'tokenType'>;
  /** If true, the client is a part of the user's credentials, so its refusal is the user's concern. */
  readonly isClientOfUser: boolean;
}

/**
 * Throws a SourceError. The kind is 'auth' only when the endpoint itself said that the grant or the client is refused.
 */
export async function requestTokens(
  { send, meter }: TokenTransport,
  asked: TokenRequest,
  rules: TokenEndpointRules,
): Promise<IssuedTokens> {
  const url = URL.parse(asked.url);
  if (!url || !isConfidential(url))
    throw new SourceError('config', 'the address of the token endpoint is not an https address');
  const headers = {
    accept: 'application/json',
    'user-agent': 'Quarry',
    'content-type': 'application/x-www-form-urlencoded',
    ...asked.headers,
  };
  const body = new URLSearchParams(asked.form).toString();
  // No caller may stop the request: if it were stopped after it was sent, the tokens in its answer would be lost.
  const { signal } = new AbortController();
  const options = { ...LIMITS, method: 'POST', headers, body, signal, meter };
  const answer = await request(send, url, options).catch((error: unknown) => {
    throw error instanceof RequestFailure ? sourceErrorOf(error, url) : error;
  });
  const refusal = refusalIn(answer);
  if (answer.status >= 300 || refusal) throw refused(answer, refusal, { url, asked, rules });
  const { value, failure } = readJson(answer.text, rules.flow?.tokens ?? StandardAnswer);
  if (failure) throw sourceErrorOf(failure, url);
  return tokensOf(value, url, rules.flow?.tokenType);
}

function tokensOf(answer: TokenAnswer, url: URL, tokenType = 'bearer'): IssuedTokens {
  const { access_token, refresh_token, expires_in, token_type } = answer;
  const unusable = (why: string) => new SourceError('fatal', `${withoutQuery(url)} issued ${why}`);
  const types = ['bearer', tokenType];
  if (token_type !== undefined && !types.includes(token_type.toLowerCase()))
    throw unusable(
      `a token of the type '${shown(token_type)}', and only Bearer tokens can be sent`,
    );
  if (!ACCESS_TOKEN.test(access_token) || !REFRESH_TOKEN.test(refresh_token ?? ' '))
    throw unusable('a token with characters that cannot be sent');
  return {
    accessToken: access_token,
    refreshToken: refresh_token ?? null,
    lifeMs: lifeOf(expires_in),
    scopes: answer.scope?.split(/[\s,]+/).filter(Boolean) ?? null,
  };
}

const lifeOf = (seconds: number | undefined): number | null =>
  seconds !== undefined && seconds > 0 ? Math.min(seconds, MAX_LIFE_SECONDS) * 1000 : null;

function refusalIn({ text }: TextAnswer): Refusal | undefined {
  return readJson(text, Refusal).value;
}

interface RefusedRequest {
  readonly url: URL;
  readonly asked: TokenRequest;
  readonly rules: TokenEndpointRules;
}

function refused(
  answer: TextAnswer,
  refusal: Refusal | undefined,
  { url, asked, rules }: RefusedRequest,
): SourceError {
  const { status, headers } = answer;
  const words = refusal && [refusal.error, refusal.error_description].filter(Boolean).join(': ');
  const explained = words === undefined ? '' : ` (${withoutSecrets(words, asked)})`;
  const message = `the token endpoint ${withoutQuery(url)} answered ${status}${explained}`;
  const retryAfter = retryAfterOf(headers, Date.now());
  if (status === 429 || (retryAfter !== undefined && status >= 500))
    return new SourceError('rate_limited', message, { retryAfter });
  if (status >= 500 || !refusal || MAY_PASS.includes(refusal.error))
    return new SourceError('transient', message);
  if (GRANT_ENDED.includes(refusal.error) || isRefreshTokenEnded(refusal, asked))
    return new SourceError('auth', message);
  if (CLIENT_REFUSED.includes(refusal.error) || status === 401)
    return rules.isClientOfUser
      ? new SourceError('auth', message)
      : new SourceError('config', message, {
          hint: 'Compare the client id and secret with those that the provider shows.',
        });
  return new SourceError('fatal', message);
}

const isRefreshTokenEnded = (
  { error, error_description = '' }: Refusal,
  { form }: TokenRequest,
): boolean =>
  form.grant_type === 'refresh_token' &&
  error === 'unauthorized_client' &&
  REFRESH_TOKEN_ENDED.test(error_description);

/** A service may repeat the request in its answer, so everything secret that we sent is removed from its words. */
function withoutSecrets(words: string, { form, headers = {} }: TokenRequest): string {
  const fields = Object.entries(form).filter(([name]) => !OPEN_FIELDS.includes(name));
  const sent = [
    ...fields.map(([, value]) => value),
    ...Object.values(headers).flatMap((value) => value.split(' ')),
  ];
  const forms = secretForms(sent.filter(({ length }) => length >= MIN_SECRET));
  return beginningOf(withoutForms(words, forms), MAX_WORDS);
}
