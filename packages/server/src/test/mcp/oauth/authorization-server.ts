/**
 * Runs a real authorization server (oidc-provider) on a port of its own. The person that `login_hint` names signs in
 * and consents without a question. Tokens for a resource are JWTs, or opaque tokens on request.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type Token } from 'oidc-provider';
import { must } from '../../../util.ts';

export interface Person {
  readonly sub: string;
  readonly email: string;
  readonly email_verified: boolean;
}

/** With these credentials, Quarry asks about opaque tokens. */
export const RESOURCE_SERVER = { id: 'quarry', secret: 'a secret: with %20 & signs' };

const SCOPES = 'openid email';

export type AuthorizationServer = Awaited<ReturnType<typeof openAuthorizationServer>>;

export async function openAuthorizationServer(format: 'jwt' | 'opaque', people: readonly Person[]) {
  const server = createServer();
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening);
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const claims = ({ accountId }: Token) => people.find(({ sub }) => sub === accountId);
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'main', use: 'sig', alg: 'RS256' }] },
    clients: [
      {
        client_id: RESOURCE_SERVER.id,
        client_secret: RESOURCE_SERVER.secret,
        grant_types: [],
        response_types: [],
        redirect_uris: [],
      },
    ],
    cookies: { keys: ['a key of the tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    scopes: ['openid', 'email', 'offline_access'],
    pkce: { required: () => true },
    issueRefreshToken: () => true,
    findAccount: (_ctx: unknown, accountId: string) => ({
      accountId,
      claims: () => claims({ accountId }),
    }),
    extraTokenClaims(_ctx: unknown, token: Token) {
      const { email, email_verified } = must(claims(token));
      return { email, email_verified };
    },
    ttl: { AccessToken: 7200, Grant: 86_400, Session: 86_400, Interaction: 600, IdToken: 600 },
    interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true, allowedPolicy: () => true },
      introspection: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx: unknown, resource: string) => ({
          scope: SCOPES,
          audience: resource,
          accessTokenTTL: 7200,
          accessTokenFormat: format,
        }),
      },
    },
  });
  const answer = provider.callback();
  server.on('request', (req, res) => {
    if (!req.url?.startsWith('/interaction/')) return void answer(req, res);
    signIn(provider, req, res).catch((error: unknown) => res.destroy(error as Error));
  });

  return {
    issuer,
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

async function signIn(
  provider: Provider,
  ...[req, res]: Parameters<Provider['interactionDetails']>
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(req, res);
  if (prompt.name === 'login') {
    const login = { accountId: must(params.login_hint) };
    return provider.interactionFinished(req, res, { login });
  }
  const accountId = must(session).accountId;
  const grant = new provider.Grant({ accountId, clientId: params.client_id });
  grant.addOIDCScope(`${SCOPES} offline_access`);
  grant.addResourceScope(params.resource, SCOPES);
  const consent = { grantId: await grant.save() };
  return provider.interactionFinished(req, res, { consent });
}
