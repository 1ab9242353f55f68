/** Asks the issuer whether a token is valid (introspection, RFC 7662). */
import { z } from 'zod';
import type { OAuthSettings } from '../oauth-settings.ts';
import { type Claims, readClaims } from './claims.ts';
import type { Metadata } from './discovery.ts';
import { InvalidToken, IssuerFailure } from './failures.ts';
import type { AskIssuer } from './issuer-client.ts';

const Answer = z.looseObject({ active: z.boolean(), token_type: z.string().optional() });
const Refused = z.object({ error: z.string() });

export type OAuthClient = NonNullable<OAuthSettings['client']>;

/** Returns the claims of a valid token. Throws an InvalidToken or an IssuerFailure. */
export async function introspect(
  ask: AskIssuer,
  { token, client }: { readonly token: string; readonly client: OAuthClient },
  metadata: Metadata,
): Promise<Claims> {
  const { issuer, introspection_endpoint: endpoint } = metadata;
  if (endpoint === undefined)
    throw new IssuerFailure(`the metadata of ${issuer} have no introspection_endpoint`);
  const { status, value } = await ask(new URL(endpoint), z.union([Answer, Refused]), {
    ...proofOf(client, metadata.introspection_endpoint_auth_methods_supported, {
      token,
      token_type_hint: 'access_token',
    }),
    expected: [400, 401, 403],
  });
  if (!value || 'error' in value) {
    const error = value?.error;
    if (error === 'unsupported_token_type') throw new InvalidToken(error);
    throw new IssuerFailure(
      `${endpoint} answered ${status} ${error ?? ''}: is QUARRY_OAUTH_CLIENT_ID right?`,
    );
  }
  if (!value.active) throw new InvalidToken('the issuer says that the token is not active');
  // Issuers also accept refresh tokens here, and tokens that are bound to a key; we accept only bearer tokens.
  if (value.token_type !== undefined && value.token_type.toLowerCase() !== 'bearer')
    throw new InvalidToken(`the token has the type ${value.token_type}`);
  return readClaims(value);
}

/**
 * Quarry sends its client secret in a header if the issuer accepts that, and otherwise in the body. The header is
 * preferred because bodies are logged more often.
 */
export function proofOf(
  { id, secret }: OAuthClient,
  methods: readonly string[] | undefined,
  form: Record<string, string>,
) {
  if (methods?.includes('client_secret_post') && !methods.includes('client_secret_basic'))
    return { form: { ...form, client_id: id, client_secret: secret } };
  const pair = [id, secret].map(formEncoded).join(':');
  return { form, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
}

/** RFC 6749, section 2.3.1, requires this encoding of the id and the secret. */
const formEncoded = (text: string) => new URLSearchParams({ x: text }).toString().slice(2);
