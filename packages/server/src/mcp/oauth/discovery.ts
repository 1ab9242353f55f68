/** What an issuer says of itself: RFC 8414, or OpenID Connect Discovery. */
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
/** Where there is none, an issuer says so in many ways. */
const ABSENT = [400, 401, 403, 404, 405, 410];

/** Gives the metadata, asked for when it is first needed and once an hour. Throws an IssuerFailure, each time anew. */
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
    // Some write their own name with a slash at its end, which is part of every token.
    if (withoutSlash(value.issuer) === withoutSlash(issuer)) return value;
    throw new IssuerFailure(
      `${url.href} is of the issuer '${value.issuer}': set QUARRY_OAUTH_ISSUER to what it says, if that is whom you trust`,
    );
  }
  throw new IssuerFailure(`${issuer} has no metadata at ${addressesOf(issuer).join(' or ')}`);
}

/** In the order in which MCP asks its clients to look. */
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
