/**
 * Serves Google's token endpoint on this machine. A service account gets tokens of its own, or acts for a person when an
 * administrator has allowed it (domain-wide delegation); a person who has signed in with a browser has a refresh token.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { exportPKCS8, exportSPKI, generateKeyPair, importSPKI, jwtVerify } from 'jose';
import { json, openCloudPeer, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';

const ROBOT = 'robot@quarry.iam.gserviceaccount.com';
export const CLIENT = { id: 'client-1', secret: 'client-secret-1' };

interface GoogleSession {
  readonly account: string;
  readonly scopes: readonly string[];
}

interface GoogleAccountsOptions {
  /** Returns the account and the scopes of the person who has signed in with a browser. */
  readonly inBrowser: () => GoogleSession;
  readonly isRefreshToken: (token: string) => boolean;
  /** Returns whether the company has this person. When the function is absent, it has everybody. */
  readonly isPerson?: (subject: string) => boolean;
  /** Returns whether the service account may act for the person with these scopes. */
  readonly mayActFor: (subject: string, scopes: readonly string[]) => boolean;
}

export async function openGoogleAccounts({
  inBrowser,
  isRefreshToken,
  isPerson = () => true,
  mayActFor,
}: GoogleAccountsOptions) {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const publicPem = await exportSPKI(publicKey);
  const tokens = new Map<string, GoogleSession>();

  function issued(session: GoogleSession): PeerAnswer {
    const token = `ya29.${randomUUID()}`;
    tokens.set(token, session);
    return json(200, {
      access_token: token,
      expires_in: 3599,
      token_type: 'Bearer',
      scope: session.scopes.join(' '),
    });
  }

  async function issue({ body }: PeerRequest, baseUrl: string): Promise<PeerAnswer> {
    const form = new URLSearchParams(body);
    const grant = form.get('grant_type');
    if (grant === 'refresh_token') {
      if (form.get('client_id') !== CLIENT.id || form.get('client_secret') !== CLIENT.secret)
        return json(401, {
          error: 'invalid_client',
          error_description: 'The OAuth client was not found.',
        });
      return isRefreshToken(form.get('refresh_token') ?? '')
        ? issued(inBrowser())
        : json(400, {
            error: 'invalid_grant',
            error_description: 'Token has been expired or revoked.',
          });
    }
    if (grant !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
      return json(400, { error: 'unsupported_grant_type' });
    const key = await importSPKI(publicPem, 'RS256');
    const audience = `${baseUrl}/token`;
    const verified = await jwtVerify(form.get('assertion') ?? '', key, {
      audience,
      issuer: ROBOT,
      maxTokenAge: '1h',
    }).catch(() => null);
    if (!verified)
      return json(400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' });
    const { sub, scope } = verified.payload;
    const scopes = String(scope).split(' ');
    if (sub === undefined) return issued({ account: ROBOT, scopes });
    if (!isPerson(sub))
      return json(400, { error: 'invalid_grant', error_description: 'Invalid email or User ID' });
    return mayActFor(sub, scopes)
      ? issued({ account: sub, scopes })
      : json(401, {
          error: 'unauthorized_client',
          error_description:
            'Client is unauthorized to retrieve access tokens using this method, or client not authorized for any of the scopes requested.',
        });
  }

  const peer = await openCloudPeer((request) => issue(request, peer.baseUrl));
  const tokenUrl = `${peer.baseUrl}/token`;
  return {
    tokenUrl,
    requests: peer.requests,
    close: () => peer.close(),
    serviceAccount: JSON.stringify({
      type: 'service_account',
      client_email: ROBOT,
      private_key: await exportPKCS8(privateKey),
      token_uri: tokenUrl,
    }),
    sessionOf({ authorization = '' }: IncomingHttpHeaders): GoogleSession | undefined {
      return tokens.get(/^Bearer (.+)$/.exec(authorization)?.[1] ?? '');
    },
    /** The access tokens that were issued so far become invalid. */
    revoke: () => tokens.clear(),
    /** From now on, the service accepts this access token, as one that the person has granted, and no other. */
    acceptToken(token: string): void {
      tokens.clear();
      tokens.set(token, inBrowser());
    },
  };
}
