/**
 * This file finds the verified e-mail of the person to whom a token belongs, and caches the result.
 *
 * An accepted token is cached for at most an hour, and never longer than it is valid. A refused token is cached for ten
 * seconds, so a client that repeats a request within that time causes no further request to the issuer. A failure of
 * the issuer is not cached. Of a token the caches hold only its SHA-256 digest. Refused tokens have a cache of their
 * own, so that many invalid tokens cannot displace valid ones.
 */
import { LRUCache } from 'lru-cache';
import { AppError } from '../../errors.ts';
import { type Claims, checkClaims } from '../../issuer/claims.ts';
import { createDiscovery, type Metadata } from '../../issuer/discovery.ts';
import { verifiedEmail } from '../../issuer/email.ts';
import { InvalidToken } from '../../issuer/failures.ts';
import { introspect } from '../../issuer/introspection.ts';
import type { AskIssuer } from '../../issuer/issuer-client.ts';
import { createSignedVerifier, isSigned } from '../../issuer/signed.ts';
import { sha256 } from '../../model/hash.ts';
import type { OAuthSettings } from '../../oauth-settings.ts';

const CACHED_MS = 3_600_000;
const REFUSED_MS = 10_000;
/** Each cache holds at most this many tokens; the least recently used token is dropped. */
const MAX_TOKENS = 10_000;
const NEVER = Number.POSITIVE_INFINITY;
/** RFC 6750, section 2.1, defines this form. */
const BEARER_FORM = /^[\w.~+/-]+=*$/;

interface Expiring<T> {
  readonly value: T;
  readonly until: number;
}

/**
 * Returns the verified e-mail of the person to whom the token belongs. Throws an InvalidToken or an IssuerFailure.
 * Throws a 403 when the token is valid but the person has no verified e-mail.
 */
export type VerifyToken = (token: string) => Promise<string>;

export function createTokenVerifier(settings: OAuthSettings, ask: AskIssuer): VerifyToken {
  const discover = createDiscovery(ask, settings.issuer);
  const verifySigned = createSignedVerifier(ask, settings);
  const accepted = new LRUCache<string, Expiring<string>>({ max: MAX_TOKENS });
  const refused = new LRUCache<string, Expiring<InvalidToken | AppError>>({ max: MAX_TOKENS });
  const pending = new Map<string, Promise<string>>();

  async function claimsOf(token: string, metadata: Metadata): Promise<Claims> {
    if (!BEARER_FORM.test(token)) throw new InvalidToken('this does not have the form of a token');
    const { client, introspectsAll } = settings;
    const signed = isSigned(token) ? await verifySigned(token, metadata) : undefined;
    if (signed && !introspectsAll) return signed;
    if (!client)
      throw new InvalidToken(
        'the token is not a JWT, and the issuer is not asked about it, because QUARRY_OAUTH_CLIENT_ID is not set',
      );
    const answer = await introspect(ask, { token, client }, metadata);
    if (signed && answer.sub !== signed.sub)
      throw new InvalidToken(
        'the sub that the issuer gives for this token differs from the sub in the token',
      );
    const end = Math.min(signed?.exp ?? NEVER, answer.exp ?? NEVER);
    return { ...signed, ...answer, exp: end };
  }

  async function validate(token: string, hash: string): Promise<string> {
    const begun = Date.now();
    try {
      const metadata = await discover();
      const claims = await claimsOf(token, metadata);
      checkClaims(claims, { issuer: metadata.issuer, audience: settings.audience });
      const email = await verifiedEmail(ask, { token, claims }, metadata);
      const end = (claims.exp ?? NEVER) * 1000;
      accepted.set(hash, { value: email, until: Math.min(begun + CACHED_MS, end) });
      return email;
    } catch (error) {
      if (error instanceof InvalidToken || error instanceof AppError)
        refused.set(hash, { value: error, until: begun + REFUSED_MS });
      throw error;
    }
  }

  return async (token) => {
    const hash = sha256(token);
    const now = Date.now();
    const known = accepted.get(hash);
    if (known && now < known.until) return known.value;
    const refusal = refused.get(hash);
    if (refusal && now < refusal.until) throw refusal.value;
    const validation =
      pending.get(hash) ?? validate(token, hash).finally(() => pending.delete(hash));
    pending.set(hash, validation);
    return validation;
  };
}
