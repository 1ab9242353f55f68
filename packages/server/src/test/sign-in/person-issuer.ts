/**
 * Runs a real issuer of OpenID Connect (oidc-provider) on a port of this machine, with a confidential client that needs
 * PKCE. It shows no pages: `person` signs in and consents.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import { must } from '../../util.ts';

/** The service signs people in with this client. */
export const CLIENT = { id: 'quarry', secret: 'a secret: with %20 & signs' };

export async function openPersonIssuer(redirectUri: string) {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const peer = {
    issuer,
    /** The next sign-in is that of this person; null refuses it. */
    person: { email: 'ann@example.com', email_verified: true } as {
      readonly email: string;
      readonly email_verified: boolean;
    } | null,
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'main', use: 'sig', alg: 'RS256' }] },
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        application_type: 'native',
      },
    ],
    cookies: { keys: ['a key of the tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    scopes: ['openid', 'email'],
    pkce: { required: () => true },
    // The account is the person itself, so that each sign-in of a test may be that of another one.
    findAccount: (_ctx: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, ...JSON.parse(accountId) }),
    }),
    ttl: { AccessToken: 600, Grant: 600, Session: 600, Interaction: 600, IdToken: 600 },
    interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: false } },
  });
  const answer = provider.callback();
  server.on('request', (req, res) => {
    if (req.url?.startsWith('/interaction/')) finish(req, res).catch((e) => res.destroy(e));
    else answer(req, res);
  });

  async function finish(...[req, res]: Parameters<Provider['interactionDetails']>): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(req, res);
    if (peer.person === null)
      return provider.interactionFinished(req, res, { error: 'access_denied' });
    if (prompt.name === 'login') {
      const login = { accountId: JSON.stringify(peer.person) };
      return provider.interactionFinished(req, res, { login });
    }
    const { accountId } = must(session);
    const grant = new provider.Grant({ accountId, clientId: params.client_id });
    grant.addOIDCScope('openid email');
    return provider.interactionFinished(req, res, { consent: { grantId: await grant.save() } });
  }

  return peer;
}
