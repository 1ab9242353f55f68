/** These routes tell clients where to get a token for the tool server (RFC 9728). */
import { z } from 'zod';
import type { App } from '../../http/server.ts';
import type { OAuthSettings } from '../../oauth-settings.ts';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

const ProtectedResource = z
  .object({
    resource: z
      .string()
      .describe('The address of POST /mcp, for which clients ask the issuer for tokens.'),
    authorization_servers: z.array(z.string()),
    scopes_supported: z.array(z.string()),
    bearer_methods_supported: z.array(z.string()),
    resource_name: z.string(),
  })
  .meta({ id: 'ProtectedResource' });

export function metadataRoutes(app: App, { resource, issuer, scopes }: OAuthSettings): void {
  for (const [url, operationId] of [
    [WELL_KNOWN, 'getProtectedResource'],
    [`${WELL_KNOWN}/mcp`, 'getProtectedToolServer'],
  ] as const)
    app.route({
      method: 'GET',
      url,
      config: { role: null },
      schema: {
        operationId,
        summary: 'Get the issuer of the OAuth tokens that the tool server accepts (RFC 9728)',
        tags: ['tool server'],
        response: { 200: ProtectedResource },
      },
      handler: () => ({
        resource,
        authorization_servers: [issuer],
        scopes_supported: [...scopes],
        bearer_methods_supported: ['header'],
        resource_name: 'Quarry',
      }),
    });
}

/**
 * Returns the header WWW-Authenticate of a 401 (RFC 6750 and RFC 9728). `hasToken` must be true when the caller has
 * sent a token.
 */
export function challenge({ resource, scopes }: OAuthSettings, hasToken: boolean): string {
  const parts = [
    ...(hasToken
      ? ['error="invalid_token"', 'error_description="The token is invalid, expired or revoked"']
      : []),
    `resource_metadata="${new URL(`${WELL_KNOWN}/mcp`, resource)}"`,
    ...(scopes.length > 0 ? [`scope="${scopes.join(' ')}"`] : []),
  ];
  return `Bearer ${parts.join(', ')}`;
}
