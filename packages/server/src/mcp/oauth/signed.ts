/**
 * Tokens that say by a signature who has issued them (RFC 9068, and JWTs of older issuers). Their keys come
 * from the issuer, at most twice a minute: a key that nobody knows is no reason to ask each time.
 */
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import { z } from 'zod';
import type { OAuthSettings } from '../../oauth-settings.ts';
import { type Claims, readClaims, SKEW_S } from './claims.ts';
import type { Metadata } from './discovery.ts';
import { InvalidToken, IssuerFailure } from './failures.ts';
import type { AskIssuer } from './issuer-client.ts';

/** Asymmetric ones only: a public key must never become the secret of an HMAC. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** Those of an ID token, a logout token or a proof are others. */
const TYPES = ['at+jwt', 'jwt'];
const FORM = /^[\w-]+\.[\w-]*\.[\w-]*$/;
const COOLDOWN_MS = 30_000;
/** After it keys that the issuer has withdrawn are no longer believed. */
const FRESH_MS = 600_000;
/** The questions have an end of their own. */
const NO_TIMEOUT_MS = 60_000;

const Keys = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

export const isSigned = (token: string): boolean => FORM.test(token);

export type VerifySigned = (token: string, metadata: Metadata) => Promise<Claims>;

/** Gives the claims of a token for this audience. Throws an InvalidToken or an IssuerFailure. */
export function createSigned(
  ask: AskIssuer,
  { audience }: Pick<OAuthSettings, 'audience'>,
): VerifySigned {
  let keys: { readonly uri: string; readonly find: JWTVerifyGetKey } | undefined;

  function keysAt(uri: string): JWTVerifyGetKey {
    if (keys?.uri === uri) return keys.find;
    const find = createRemoteJWKSet(new URL(uri), {
      cooldownDuration: COOLDOWN_MS,
      cacheMaxAge: FRESH_MS,
      timeoutDuration: NO_TIMEOUT_MS,
      [customFetch]: async (url) => Response.json((await ask(new URL(url), Keys)).value),
    });
    keys = { uri, find };
    return find;
  }

  return async (token, { issuer, jwks_uri }) => {
    if (jwks_uri === undefined) throw new IssuerFailure(`${issuer} publishes no keys (jwks_uri)`);
    try {
      const { payload, protectedHeader } = await verify(token, keysAt(jwks_uri), {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['exp', 'sub'],
        clockTolerance: SKEW_S,
      });
      const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, '');
      if (type !== undefined && !TYPES.includes(type))
        throw new InvalidToken(`of the type ${type}`);
      return readClaims(payload);
    } catch (error) {
      if (error instanceof InvalidToken || error instanceof IssuerFailure) throw error;
      if (error instanceof errors.JOSEError) throw new InvalidToken(error.message);
      throw new IssuerFailure(`a key of ${issuer} cannot be used`, { cause: error });
    }
  };
}

async function verify(token: string, find: JWTVerifyGetKey, options: JWTVerifyOptions) {
  try {
    return await jwtVerify(token, find, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    // The token names none of them.
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, options);
      } catch (reason) {
        if (!(reason instanceof errors.JWSSignatureVerificationFailed)) throw reason;
      }
    }
    throw new InvalidToken('signed by none of the keys');
  }
}
