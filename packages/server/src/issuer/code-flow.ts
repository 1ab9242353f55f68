/**
 * Signs a person in through the issuer in a browser: the authorization code flow of OpenID Connect (Core 1.0, 3.1) with
 * PKCE (RFC 7636), a state and a nonce. The answer is the verified e-mail of the person.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isConfidential } from '../net/addresses.ts';
import type { OAuthSettings } from '../oauth-settings.ts';
import type { Metadata } from './discovery.ts';
import { verifiedEmail } from './email.ts';
import { InvalidToken, IssuerFailure } from './failures.ts';
import { type OAuthClient, proofOf } from './introspection.ts';
import type { AskIssuer } from './issuer-client.ts';
import { createSignedVerifier, type VerifySigned } from './signed.ts';

const SCOPE = 'openid email';

const Tokens = z.object({ access_token: z.string(), id_token: z.string() });
const Refused = z.object({ error: z.string() });

/** A browser brings these from the beginning of its sign-in to the end. */
export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface CodeFlow {
  readonly client: OAuthClient;
  readonly redirectUri: string;
  readonly secrets: SignInSecrets;
}

/** Returns the address at which the issuer asks the person. Throws an IssuerFailure. */
export function authorizationUrl(
  { issuer, authorization_endpoint: endpoint }: Metadata,
  { client, redirectUri, secrets: { state, nonce, verifier } }: CodeFlow,
): string {
  if (endpoint === undefined)
    throw new IssuerFailure(`the metadata of ${issuer} have no authorization_endpoint`);
  const url = new URL(endpoint);
  if (!isConfidential(url))
    throw new IssuerFailure(`the address ${endpoint} in the issuer's metadata must use https`);
  const params = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirectUri,
    scope: SCOPE,
    state,
    nonce,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return url.href;
}

/** The ID token is for the client, so its audience differs from that of the tool server. */
export const createIdTokenVerifier = (
  ask: AskIssuer,
  { id }: NonNullable<OAuthSettings['client']>,
): VerifySigned => createSignedVerifier(ask, { audience: id });

/**
 * Exchanges the code for tokens, and returns the verified e-mail. Throws an InvalidToken when the code or the ID token is
 * refused, an IssuerFailure, or an EmailNotVouched.
 */
export async function emailByCode(
  { ask, verifyIdToken }: { readonly ask: AskIssuer; readonly verifyIdToken: VerifySigned },
  metadata: Metadata,
  { client, redirectUri, secrets, code }: CodeFlow & { readonly code: string },
): Promise<string> {
  const { issuer, token_endpoint: endpoint } = metadata;
  if (endpoint === undefined)
    throw new IssuerFailure(`the metadata of ${issuer} have no token_endpoint`);
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: secrets.verifier,
  };
  const { status, value } = await ask(new URL(endpoint), z.union([Tokens, Refused]), {
    ...proofOf(client, metadata.token_endpoint_auth_methods_supported, form),
    expected: [400, 401, 403],
  });
  if (!value || 'error' in value) {
    if (value?.error === 'invalid_grant') throw new InvalidToken('the issuer refuses the code');
    throw new IssuerFailure(
      `${endpoint} answered ${status} ${value?.error ?? ''}: is QUARRY_OAUTH_CLIENT_ID right, and is it registered with ${redirectUri}?`,
    );
  }
  const claims = await verifyIdToken(value.id_token, metadata);
  if (claims.nonce !== secrets.nonce) throw new InvalidToken('the ID token has another nonce');
  if (claims.azp !== undefined && claims.azp !== client.id)
    throw new InvalidToken('the ID token was made for another client');
  return verifiedEmail(ask, { token: value.access_token, claims }, metadata);
}
