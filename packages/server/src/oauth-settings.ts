/** The settings of OAuth name the issuer whose tokens the tool server accepts. Quarry does not issue tokens itself. */
import { z } from 'zod';
import { ROLES, type Role } from './model/role.ts';
import { isConfidential } from './net/addresses.ts';

const text = () =>
  z
    .string()
    // An empty environment variable counts as not set.
    .transform((value) => value.trim() || undefined)
    .optional();

export const OAUTH_SETTINGS = {
  QUARRY_PUBLIC_URL: text()
    .refine((value) => value === undefined || isOrigin(value), 'use the form https://host[:port]')
    .describe(
      'Origin at which clients and browsers reach this service, such as https://quarry.example.com. Without it, the origin is made from QUARRY_HOST and QUARRY_PORT. One beyond this machine says that others can reach the service, which is then not a single-user install.',
    ),
  QUARRY_OAUTH_ISSUER: text()
    .refine(
      (value) => value === undefined || isIssuer(value),
      'use https://… (http:// on this machine only), without query or fragment',
    )
    .describe(
      'Issuer of the OAuth access tokens that POST /mcp accepts, exactly as its metadata names it. Without it, only API keys are accepted.',
    ),
  QUARRY_OAUTH_AUDIENCE: text().describe(
    'Audience that a token must have. Without it, the audience is the address of /mcp below QUARRY_PUBLIC_URL.',
  ),
  QUARRY_OAUTH_SCOPES: z
    .string()
    .default('openid,email')
    .transform((value) => value.split(/[\s,]+/).filter(Boolean))
    .describe('Scopes that clients are told to ask the issuer for.'),
  QUARRY_OAUTH_CLIENT_ID: text().describe(
    'Client id with which this service asks the issuer about tokens that are not JWTs (introspection), and with which people sign in (QUARRY_OAUTH_SIGN_IN).',
  ),
  QUARRY_OAUTH_CLIENT_SECRET: text().describe('Secret of QUARRY_OAUTH_CLIENT_ID.'),
  QUARRY_OAUTH_INTROSPECT: z
    .enum(['opaque', 'all'])
    .default('opaque')
    .describe(
      'Tokens about which Quarry asks the issuer: only those that are not JWTs, or all, so that revoked JWTs are noticed.',
    ),
  QUARRY_OAUTH_SIGN_IN: z
    .enum(['off', 'members', ...ROLES])
    .default('off')
    .describe(
      'Who signs in to accounts through QUARRY_OAUTH_ISSUER: nobody (off), those who are members or invited (members), or everybody for whom the issuer vouches, of whom unknown ones join the oldest organization with the role read, member or admin.',
    ),
};

const OAuthValues = z.object(OAUTH_SETTINGS);
type OAuthValues = z.infer<typeof OAuthValues> & {
  readonly QUARRY_HOST: string;
  readonly QUARRY_PORT: number;
};

export interface OAuthSettings {
  readonly issuer: string;
  /** This is the public address of POST /mcp (the `resource` of RFC 9728). */
  readonly resource: string;
  readonly audience: string;
  readonly scopes: readonly string[];
  /** Quarry asks the issuer about tokens (introspection) with these credentials; null when it does not ask. */
  readonly client: { readonly id: string; readonly secret: string } | null;
  /** If true, the issuer is also asked about tokens whose signature is valid, so that a revoked token is noticed. */
  readonly introspectsAll: boolean;
}

/** People sign in to their accounts through the issuer, with a client of this service. */
export interface IssuerSignInSettings {
  readonly issuer: string;
  readonly client: NonNullable<OAuthSettings['client']>;
  /** An unknown person joins with this role; null when unknown people are refused. */
  readonly role: Role | null;
}

const NEED_ISSUER = [
  'QUARRY_OAUTH_AUDIENCE',
  'QUARRY_OAUTH_CLIENT_ID',
  'QUARRY_OAUTH_CLIENT_SECRET',
] as const;

/**
 * Returns null when no issuer is set. Throws an Error with a message for the operator when the settings contradict each
 * other.
 */
export function oauthOf(values: OAuthValues, isLoopback: boolean): OAuthSettings | null {
  const { QUARRY_OAUTH_ISSUER: issuer, QUARRY_OAUTH_CLIENT_ID: id } = values;
  const { QUARRY_OAUTH_CLIENT_SECRET: secret } = values;
  const introspectsAll = values.QUARRY_OAUTH_INTROSPECT === 'all';
  if (issuer === undefined) {
    const given = NEED_ISSUER.find((name) => values[name]);
    if (given || introspectsAll)
      throw new Error(
        `${given ?? 'QUARRY_OAUTH_INTROSPECT'} has no effect without QUARRY_OAUTH_ISSUER: set that too, or leave it out`,
      );
    return null;
  }
  if ((id === undefined) !== (secret === undefined))
    throw new Error(
      'QUARRY_OAUTH_CLIENT_ID and QUARRY_OAUTH_CLIENT_SECRET belong together: set both or neither',
    );
  const client = id === undefined || secret === undefined ? null : { id, secret };
  if (introspectsAll && !client)
    throw new Error(
      'QUARRY_OAUTH_INTROSPECT=all needs QUARRY_OAUTH_CLIENT_ID and QUARRY_OAUTH_CLIENT_SECRET: set them',
    );
  const resource = `${originOf(values, isLoopback)}/mcp`;
  const audience = values.QUARRY_OAUTH_AUDIENCE ?? resource;
  const scopes = values.QUARRY_OAUTH_SCOPES;
  return { issuer, resource, audience, scopes, client, introspectsAll };
}

/** Returns null when nobody signs in through the issuer. Throws an Error when the issuer or the client is missing. */
export function issuerSignInOf(
  { QUARRY_OAUTH_SIGN_IN: who }: Pick<OAuthValues, 'QUARRY_OAUTH_SIGN_IN'>,
  oauth: OAuthSettings | null,
): IssuerSignInSettings | null {
  if (who === 'off') return null;
  if (!oauth?.client)
    throw new Error(
      'QUARRY_OAUTH_SIGN_IN needs QUARRY_OAUTH_ISSUER, QUARRY_OAUTH_CLIENT_ID and QUARRY_OAUTH_CLIENT_SECRET: set them',
    );
  const { issuer, client } = oauth;
  return { issuer, client, role: who === 'members' ? null : who };
}

/**
 * Returns the public origin of this service. It must not come from a request, because the caller could then choose the
 * audience with which the token is compared.
 */
function originOf(values: OAuthValues, isLoopback: boolean): string {
  if (values.QUARRY_PUBLIC_URL !== undefined) return new URL(values.QUARRY_PUBLIC_URL).origin;
  const { QUARRY_HOST: host, QUARRY_PORT: port } = values;
  if (!isLoopback || port === 0)
    throw new Error(
      'QUARRY_OAUTH_ISSUER needs QUARRY_PUBLIC_URL: the address at which clients reach this service, such as https://quarry.example.com',
    );
  return new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}`).origin;
}

function isOrigin(text: string): boolean {
  const origin = URL.canParse(text) ? new URL(text).origin : '';
  return /^https?:/.test(origin) && [origin, `${origin}/`].includes(text);
}

function isIssuer(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || url.username || url.password || /[?#]/.test(text)) return false;
  return isConfidential(url);
}
