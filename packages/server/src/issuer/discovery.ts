/** An issuer describes itself by metadata (RFC 8414, or OpenID Connect Discovery). */
import { z } from 'zod';
import { IssuerFailure } from './failures.ts';
import type { AskIssuer } from './issuer-client.ts';

const Metadata = z.object({
  issuer: z.string(),
  jwks_uri: z.url().optional(),
  authorization_endpoint: z.url().optional(),
  token_endpoint: z.url().optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  introspection_endpoint: z.url().optional(),
  introspection_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  userinfo_endpoint: z.url().optional(),
});
export type Metadata = z.infer<typeof Metadata>;

const CACHED_MS = 3_600_000;
/** Issuers answer with one of these statuses at an address where they have no metadata. */
const ABSENT = [400, 401, 403, 404, 405, 410];

/**
 * The returned function returns the metadata. It fetches them at the first call, and again when they are older than an
 * hour. It throws an IssuerFailure; a failure is not cached, so the next call tries again.
 */
export function createDiscovery(ask: AskIssuer, issuer: string): () => Promise<Metadata> {
  let known: { readonly metadata: Metadata; readonly until: number } | undefined;
  let pending: Promise<Metadata> | undefined;

  async function refresh(): Promise<Metadata> {
    const metadata = await find(ask, issuer);
    known = { metadata, until: Date.now() + CACHED_MS };
    return metadata;
  }

  return () => {
    if (known && Date.now() < known.until) return Promise.resolve(known.metadata);
    pending ??= refresh().finally(() => {
      pending = undefined;
    });
    return pending;
  };
}

async function find(ask: AskIssuer, issuer: string): Promise<Metadata> {
  for (const url of addressesOf(issuer)) {
    const { status, value } = await ask(url, Metadata, { expected: ABSENT });
    if (!value || ABSENT.includes(status)) continue;
    // A slash at the end may differ from the setting. The metadata are returned with the issuer's own spelling, because
    // its tokens are compared with that.
    if (withoutSlash(value.issuer) === withoutSlash(issuer)) return value;
    throw new IssuerFailure(
      `${url.href} names the issuer '${value.issuer}': set QUARRY_OAUTH_ISSUER to this value if you trust that issuer`,
    );
  }
  throw new IssuerFailure(`${issuer} has no metadata at ${addressesOf(issuer).join(' or ')}`);
}

/** Returns the addresses at which the metadata may be, in the order that the MCP specification gives. */
function addressesOf(issuer: string): URL[] {
  const { origin, pathname } = new URL(issuer);
  const path = withoutSlash(pathname);
  const texts = [
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
    `${path}/.well-known/openid-configuration`,
  ];
  return [...new Set(texts)].map((text) => new URL(text, origin));
}

const withoutSlash = (text: string) => text.replace(/\/$/, '');
