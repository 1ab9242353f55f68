/**
 * Plays Pipedream Connect, from its API reference (https://pipedream.com/docs/connect/api-reference) and the types of its
 * client (https://github.com/PipedreamHQ/pipedream-sdk-typescript, June 2026). An unknown client is refused in the form of
 * RFC 6749, section 5.2.
 */
import { z } from 'zod';
import {
  type CloudPeer,
  json,
  openCloudPeer,
  type PeerAnswer,
  type PeerRequest,
} from '../sources/cloud-peer.ts';

const TokenRequest = z.strictObject({
  grant_type: z.literal('client_credentials'),
  client_id: z.string(),
  client_secret: z.string(),
  scope: z.string().optional(),
});

const Time = z.iso.datetime({ offset: true });
const Account = z.strictObject({
  id: z.string().regex(/^apn_[a-zA-Z0-9]+$/),
  name: z.string().nullable(),
  external_id: z.string(),
  healthy: z.boolean(),
  dead: z.boolean().nullable(),
  app: z.strictObject({
    id: z.string(),
    name_slug: z.string(),
    name: z.string(),
    auth_type: z.enum(['keys', 'oauth', 'none']),
    img_src: z.string(),
    custom_fields_json: z.string(),
    categories: z.array(z.string()),
    featured_weight: z.number(),
    scope_profiles: z.array(z.unknown()),
  }),
  created_at: Time,
  updated_at: Time,
  authorized_scopes: z.array(z.string()),
  /** Only accounts that were connected with an OAuth client of the customer have them. */
  credentials: z.record(z.string(), z.string().nullable()).optional(),
  expires_at: Time.nullable(),
  error: z.string().nullable(),
  last_refreshed_at: Time.nullable(),
  next_refresh_at: Time.nullable(),
});

interface PipedreamPeerAccount {
  readonly environment: 'production' | 'development';
  readonly externalId: string;
  /** The value is undefined for an account that was connected with the OAuth client of Pipedream. */
  credentials: Readonly<Record<string, string | null>> | undefined;
  expiresAt: string | null;
  isHealthy: boolean;
  isDead: boolean;
  error: string | null;
}

export interface PipedreamPeer {
  readonly peer: CloudPeer;
  readonly client: { readonly client_id: string; readonly client_secret: string };
  readonly projectId: string;
  readonly accounts: Map<string, PipedreamPeerAccount>;
  /** These are the tokens that the client got. */
  readonly tokens: Set<string>;
}

export const oauthAccount = (token: string): PipedreamPeerAccount => ({
  environment: 'production',
  externalId: 'user-ann',
  credentials: {
    oauth_client_id: 'client-of-ours',
    oauth_access_token: token,
    oauth_refresh_token: 'refresh-at-pipedream',
    oauth_uid: 'uid-1',
    oauth_signer_uri: null,
  },
  expiresAt: null,
  isHealthy: true,
  isDead: false,
  error: null,
});

const NOT_FOUND = json(404, { error: 'record not found' });

export async function openPipedreamPeer(): Promise<PipedreamPeer> {
  const client = { client_id: 'client-4711', client_secret: 'client-secret-4711' };
  const projectId = 'proj_abc123';
  const accounts = new Map<string, PipedreamPeerAccount>();
  const tokens = new Set<string>();

  function issue({ method, headers, body }: PeerRequest): PeerAnswer {
    const isJson = headers['content-type']?.startsWith('application/json');
    const asked = TokenRequest.safeParse(isJson && method === 'POST' ? JSON.parse(body) : null);
    if (!asked.success) return json(400, { error: 'invalid_request' });
    const { client_id, client_secret } = asked.data;
    if (client_id !== client.client_id || client_secret !== client.client_secret)
      return json(401, {
        error: 'invalid_client',
        error_description: `Client authentication failed for ${client_secret}`,
      });
    const token = `token-of-the-client-${tokens.size}`;
    tokens.add(token);
    return json(200, { access_token: token, token_type: 'Bearer', expires_in: 3600 });
  }

  function show(id: string, found: PipedreamPeerAccount, isWithCredentials: boolean) {
    const isOauth = found.credentials === undefined || 'oauth_access_token' in found.credentials;
    return Account.parse({
      id,
      name: 'Ann',
      external_id: found.externalId,
      healthy: found.isHealthy,
      dead: found.isDead,
      app: {
        id: 'app_abc123',
        name_slug: 'notes',
        name: 'Notes',
        auth_type: isOauth ? 'oauth' : 'keys',
        img_src: 'https://assets.example.com/notes.png',
        custom_fields_json: '[]',
        categories: ['Notes'],
        featured_weight: 1,
        scope_profiles: [],
      },
      created_at: '2026-08-01T10:00:00Z',
      updated_at: '2026-08-01T10:00:00Z',
      authorized_scopes: [],
      ...(isWithCredentials && found.credentials && { credentials: found.credentials }),
      expires_at: found.expiresAt,
      error: found.error,
      last_refreshed_at: null,
      next_refresh_at: null,
    });
  }

  function answer(request: PeerRequest): PeerAnswer {
    const { method, url, headers } = request;
    if (url.pathname === '/v1/oauth/token') return issue(request);
    const [, scheme, token] = /^(Bearer) (.+)$/.exec(headers.authorization ?? '') ?? [];
    if (scheme === undefined || !tokens.has(token ?? ''))
      return json(401, { error: 'unauthorized' });
    const environment = headers['x-pd-environment'];
    if (environment !== 'production' && environment !== 'development')
      return json(400, { error: 'environment is missing' });
    const [, version, connect, project, what, id] = url.pathname.split('/');
    const isKnown = version === 'v1' && connect === 'connect' && what === 'accounts';
    if (method !== 'GET' || !isKnown || project !== projectId) return NOT_FOUND;
    const allowed = id === undefined ? ['limit', 'external_user_id'] : ['include_credentials'];
    const unknown = [...url.searchParams.keys()].find((name) => !allowed.includes(name));
    if (unknown !== undefined) return json(400, { error: `${unknown} is not a parameter` });
    if (id === undefined) return json(200, { data: [], page_info: { count: 0, total_count: 0 } });
    const found = accounts.get(decodeURIComponent(id));
    if (found?.environment !== environment) return NOT_FOUND;
    return json(200, show(id, found, url.searchParams.get('include_credentials') === 'true'));
  }

  return { peer: await openCloudPeer(answer), client, projectId, accounts, tokens };
}
