/**
 * Verifies tokens that are signed JWTs (RFC 9068, and JWTs of older issuers). The keys come from the issuer. Tokens that
 * name unknown keys cause at most two requests for keys a minute. After a failed request, the next token causes another.
 */
import type { JWTVerifyGetKey, JWTVerifyOptions } from 'jose';
import { z } from 'zod';
import type { OAuthSettings } from '../oauth-settings.ts';
import { type Claims, readClaims, SKEW_S } from './claims.ts';
import type { Metadata } from './discovery.ts';
import { InvalidToken, IssuerFailure } from './failures.ts';
import type { AskIssuer } from './issuer-client.ts';

/** Only asymmetric algorithms are allowed: a public key must never become the secret of an HMAC. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** Tokens of other types, such as ID tokens, logout tokens and DPoP proofs (RFC 9449), are refused. */
const TOKEN_TYPES = ['at+jwt', 'jwt'];
const JWT_FORM = /^[\w-]+\.[\w-]*\.[\w-]*$/;
const COOLDOWN_MS = 30_000;
/**
 * The keys are fetched again after this time, so a key that the issuer has withdrawn verifies tokens at most this long.
 * A token that was accepted before stays in the cache of tokens.ts.
 */
const CACHED_MS = 600_000;
/** Our requests to the issuer have a shorter deadline of their own, so this timeout of jose never ends a request. */
const NO_TIMEOUT_MS = 60_000;

const Keys = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

type Jose = typeof import('jose');

export const isSigned = (token: string): boolean => JWT_FORM.test(token);

export type VerifySigned = (token: string, metadata: Metadata) => Promise<Claims>;

/** Returns a function that verifies a token and returns its claims. It throws an InvalidToken or an IssuerFailure. */
export function createSignedVerifier(
  ask: AskIssuer,
  { audience }: Pick<OAuthSettings, 'audience'>,
): VerifySigned {
  let keys: { readonly uri: string; readonly find: JWTVerifyGetKey } | undefined;

  function keysAt(uri: string, { createRemoteJWKSet, customFetch }: Jose): JWTVerifyGetKey {
    if (keys?.uri === uri) return keys.find;
    const find = createRemoteJWKSet(new URL(uri), {
      cooldownDuration: COOLDOWN_MS,
      cacheMaxAge: CACHED_MS,
      timeoutDuration: NO_TIMEOUT_MS,
      [customFetch]: async (url: string) => Response.json((await ask(new URL(url), Keys)).value),
    });
    keys = { uri, find };
    return find;
  }

  return async (token, { issuer, jwks_uri }) => {
    if (jwks_uri === undefined) throw new IssuerFailure(`${issuer} publishes no keys (jwks_uri)`);
    // The import is late because a start would spend 20 ms on what only tokens need.
    const jose = await import('jose');
    try {
      const { payload, protectedHeader } = await verify(
        jose,
        { token, find: keysAt(jwks_uri, jose) },
        {
          issuer,
          audience,
          algorithms: ALGORITHMS,
          requiredClaims: ['exp', 'sub'],
          clockTolerance: SKEW_S,
        },
      );
      const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, '');
      if (type !== undefined && !TOKEN_TYPES.includes(type))
        throw new InvalidToken(`the token has the type ${type}`);
      return readClaims(payload);
    } catch (error) {
      if (error instanceof InvalidToken || error instanceof IssuerFailure) throw error;
      if (error instanceof jose.errors.JOSEError) throw new InvalidToken(error.message);
      throw new IssuerFailure(`a key of ${issuer} cannot be used`, { cause: error });
    }
  };
}

async function verify(
  { errors, jwtVerify }: Jose,
  { token, find }: { token: string; find: JWTVerifyGetKey },
  options: JWTVerifyOptions,
) {
  try {
    return await jwtVerify(token, find, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    // The token does not name its key, so each matching key is tried.
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, options);
      } catch (reason) {
        if (!(reason instanceof errors.JWSSignatureVerificationFailed)) throw reason;
      }
    }
    throw new InvalidToken('none of the keys has signed the token');
  }
}
