/** An issuer describes itself by metadata (RFC 8414, or OpenID Connect Discovery). */
import { z } from 'zod';
import { IssuerFailure } from './failures.ts';
import type { AskIssuer } from './issuer-client.ts';

const Metadata = z.object({
  issuer: z.string(),
  jwks_uri: z.url().optional(),
  introspection_endpoint: z.url().optional(),
  introspection_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  userinfo_endpoint: z.url().optional(),
});
export type Metadata = z.infer<typeof Metadata>;

const FRESH_MS = 3_600_000;
/** Issuers answer with different statuses where they have no metadata. */
const ABSENT = [400, 401, 403, 404, 405, 410];

/**
 * Gives the metadata, which are fetched when they are first needed and again after an hour. Throws an
 * IssuerFailure; a failure is not kept, so that the next call asks again.
 */
export function createDiscovery(ask: AskIssuer, issuer: string): () => Promise<Metadata> {
  let known: { readonly metadata: Metadata; readonly until: number } | undefined;
  let pending: Promise<Metadata> | undefined;

  async function look(): Promise<Metadata> {
    const metadata = await find(ask, issuer);
    known = { metadata, until: Date.now() + FRESH_MS };
    return metadata;
  }

  return () => {
    if (known && Date.now() < known.until) return Promise.resolve(known.metadata);
    pending ??= look().finally(() => {
      pending = undefined;
    });
    return pending;
  };
}

async function find(ask: AskIssuer, issuer: string): Promise<Metadata> {
  for (const url of addressesOf(issuer)) {
    const { status, value } = await ask(url, Metadata, { expected: ABSENT });
    if (!value || ABSENT.includes(status)) continue;
    // Some issuers write their name with a slash at its end, and then every token contains that slash.
    if (withoutSlash(value.issuer) === withoutSlash(issuer)) return value;
    throw new IssuerFailure(
      `${url.href} names the issuer '${value.issuer}': set QUARRY_OAUTH_ISSUER to this value if you trust that issuer`,
    );
  }
  throw new IssuerFailure(`${issuer} has no metadata at ${addressesOf(issuer).join(' or ')}`);
}

/** Gives the addresses in the order in which MCP wants its clients to try them. */
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
