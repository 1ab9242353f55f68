/**
 * Runs a real OAuth provider (oidc-provider), and the service behind it, on a port of this machine. Each refresh token
 * works once, PKCE is required, and a refresh token that is used twice revokes all tokens. Without `withPages`, the
 * provider shows no pages: `person` signs in and consents to all scopes except `leavesOut`.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import { must } from '../../util.ts';
import { json } from './token-peer.ts';

/** One client authenticates at the token endpoint with HTTP Basic, the other in the body. */
export const CLIENTS = {
  basic: { id: 'quarry basic', secret: 'a secret: with %20 & signs' },
  body: { id: 'quarry-body', secret: 'another secret of the tests' },
} as const;

/** The service accepts this key and this token, which the provider has not issued. */
export const PASTED_KEY = 'a pasted key';
export const ROBOT_TOKEN = 'the-token-of-a-robot';

export const SCOPES = ['notes:read', 'people:read', 'offline_access'];

export type TestProvider = Awaited<ReturnType<typeof openProvider>>;

export async function openProvider(callback: string, { withPages = false } = {}) {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const peer = {
    url,
    person: 'ann@example.com',
    leavesOut: [] as string[],
    denies: false,
    /** Access tokens are valid for this number of seconds. */
    lifeSeconds: 3600,
    /** The service returns these notes. */
    notes: ['first', 'second'],
    /** Maps each path to the number of its requests. */
    requests: new Map<string, number>(),
    /** These handlers replace the usual answers to requests for these paths, one handler for each request. */
    instead: new Map<string, ((response: ServerResponse) => void)[]>(),
    async close() {
      server.closeAllConnections();
      await new Promise<void>((closed) => server.close(() => closed()));
    },
  };
  const client = ({ id, secret }: { id: string; secret: string }, method: string) => ({
    client_id: id,
    client_secret: secret,
    redirect_uris: [callback],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
    application_type: 'native',
  });
  const provider = new Provider(url, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'main', use: 'sig', alg: 'RS256' }] },
    clients: [
      client(CLIENTS.basic, 'client_secret_basic'),
      client(CLIENTS.body, 'client_secret_post'),
    ],
    cookies: { keys: ['a key of the tests'] },
    claims: { openid: ['sub'] },
    scopes: ['openid', ...SCOPES],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    findAccount: (_ctx: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId }),
    }),
    ttl: {
      AccessToken: () => peer.lifeSeconds,
      RefreshToken: 86_400,
      Grant: 86_400,
      Session: 86_400,
      Interaction: 600,
      IdToken: 600,
      AuthorizationCode: 60,
    },
    interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: withPages } },
  });
  const answer = provider.callback();
  server.on('request', (req, res) => {
    const { pathname } = new URL(req.url ?? '', url);
    peer.requests.set(pathname, (peer.requests.get(pathname) ?? 0) + 1);
    const instead = peer.instead.get(pathname)?.shift();
    if (instead) instead(res);
    else if (pathname.startsWith('/interaction/') && !withPages)
      finish(req, res).catch((e) => res.destroy(e));
    else if (pathname.startsWith('/api/')) serve(pathname, req.headers.authorization, res);
    else answer(req, res);
  });

  async function finish(...[req, res]: Parameters<Provider['interactionDetails']>): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(req, res);
    if (peer.denies)
      return provider.interactionFinished(req, res, {
        error: 'access_denied',
        error_description: 'The person said <no>.',
      });
    if (prompt.name === 'login')
      return provider.interactionFinished(req, res, { login: { accountId: peer.person } });
    const { accountId } = must(session);
    const grant = new provider.Grant({ accountId, clientId: params.client_id });
    const granted = SCOPES.filter((scope) => !peer.leavesOut.includes(scope));
    grant.addOIDCScope(granted.join(' '));
    for (const scope of peer.leavesOut) grant.rejectOIDCScope(scope);
    return provider.interactionFinished(req, res, { consent: { grantId: await grant.save() } });
  }

  function serve(path: string, authorization: string | undefined, res: ServerResponse): void {
    const token = /^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '';
    provider.AccessToken.find(token)
      .then((found) => {
        if (!found && token !== PASTED_KEY && token !== ROBOT_TOKEN)
          json(res, 401, { message: `no access by ${token}` });
        else if (path === '/api/me') json(res, 200, { email: found?.accountId ?? 'robot' });
        else json(res, 200, { notes: peer.notes, projects: ['heron', 'weir'] });
      })
      .catch((error) => res.destroy(error));
  }

  return peer;
}
