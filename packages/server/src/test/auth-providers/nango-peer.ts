/**
 * Plays Nango, from its OpenAPI document (docs/spec.yaml of https://github.com/NangoHQ/nango, August 2026). That document
 * does not describe errors and the answers of the proxy, so these follow the public source of its server of the same month
 * (getConnection.ts, allProxy.ts, proxy.service.ts and error.ts).
 */
import { z } from 'zod';
import {
  type CloudPeer,
  json,
  openCloudPeer,
  type PeerAnswer,
  type PeerRequest,
} from '../sources/cloud-peer.ts';

/** Keys of Nango are UUIDs of version 4. */
const KEY = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const INTEGRATION_ID = /^[a-zA-Z0-9~:.@ _-]{1,255}$/;
const MAX_REDIRECTS = 5;
/** The server passes on these headers of an answer with a length. It passes on all headers of a stream. */
const PASSED = ['content-type', 'mcp-session-id', 'x-request-id', 'x-correlation-id'];

const Time = z.iso.datetime({ offset: true });
const Raw = z.record(z.string(), z.unknown());
const Credentials = z.union([
  z.strictObject({
    type: z.literal('OAUTH2'),
    access_token: z.string(),
    expires_at: Time.optional(),
    raw: Raw,
  }),
  z.strictObject({ type: z.literal('API_KEY'), apiKey: z.string() }),
  z.strictObject({ type: z.literal('BASIC'), username: z.string(), password: z.string() }),
  z.strictObject({
    type: z.literal('OAUTH2_CC'),
    token: z.string(),
    client_id: z.string(),
    client_secret: z.string(),
    expires_at: Time.optional(),
    raw: Raw,
  }),
  z.strictObject({ type: z.literal('CUSTOM'), raw: Raw }),
]);
export type NangoPeerCredentials = z.infer<typeof Credentials>;

/** The schema ConnectionFull of the OpenAPI document. A key without the scope gets empty credentials. */
const ConnectionFull = z.strictObject({
  id: z.int(),
  connection_id: z.string(),
  provider_config_key: z.string(),
  provider: z.string(),
  errors: z.array(z.strictObject({ type: z.string(), log_id: z.string() })),
  end_user: z.null(),
  metadata: Raw.nullable(),
  connection_config: Raw,
  webhook_url_override: z.string().nullable(),
  tags: z.record(z.string(), z.string()),
  created_at: Time,
  updated_at: Time,
  last_fetched_at: Time.nullable(),
  credentials: z.union([Credentials, z.strictObject({})]),
});

export interface NangoPeerConnection {
  credentials: NangoPeerCredentials;
  /** Nango renews by this function; null means that the service of the connection refuses. */
  renew: () => NangoPeerCredentials | null;
  /** If true, a renewal has just failed, and Nango does not try again for a while unless `force_refresh` asks for it. */
  isBackingOff: boolean;
  /** If true, Nango has failed to renew for days, and does not try again until somebody signs in. */
  isExhausted: boolean;
}

type Scope = 'list' | 'read' | 'read_credentials' | 'proxy';

export interface NangoPeer {
  readonly peer: CloudPeer;
  readonly secretKey: string;
  /** The key may do this. */
  readonly scopes: Set<Scope>;
  /** The keys are the names of an integration and of a connection, with a slash between them. */
  readonly connections: Map<string, NangoPeerConnection>;
  /** The operator of the server, or the plan of the customer, sets these. */
  readonly limits: { allowsOverride: boolean; isCapped: boolean };
}

export const oauth2 = (token: string, expiresAt?: string): NangoPeerCredentials => ({
  type: 'OAUTH2',
  access_token: token,
  ...(expiresAt && { expires_at: expiresAt }),
  raw: { access_token: token, token_type: 'bearer', scope: 'notes:read' },
});

const fault = (status: number, code: string, message: string, more: object = {}) =>
  json(status, { error: { code, message, ...more } });
const invalid = (code: string, path: string): PeerAnswer =>
  json(400, {
    error: { code, errors: [{ code: 'invalid_type', message: 'Invalid', path: [path] }] },
  });

const REFRESH_FAILED =
  'The external API returned an error when trying to refresh the access token. Please try again later.';
const EXHAUSTED = 'The refresh limit has been reached for this connection.';
const BACKING_OFF = 'A recent refresh attempt failed. Backing off before retrying.';

interface RefreshFault {
  readonly status: number;
  readonly message: string;
  readonly isBackoff: boolean;
}

export async function openNangoPeer(): Promise<NangoPeer> {
  const secretKey = 'd1d3e0c4-9a44-4f0e-8b52-7c2b6a0f4711';
  const scopes = new Set<Scope>(['list', 'read', 'read_credentials', 'proxy']);
  const connections = new Map<string, NangoPeerConnection>();
  const limits = { allowsOverride: true, isCapped: false };
  const integrations = new Set(['notes']);

  /** Returns undefined when the credentials are usable afterwards. */
  function refresh(connection: NangoPeerConnection, isForced: boolean): RefreshFault | undefined {
    const { credentials } = connection;
    if (!isForced && connection.isExhausted)
      return { status: 424, message: EXHAUSTED, isBackoff: false };
    if (!isForced && connection.isBackingOff)
      return { status: 424, message: BACKING_OFF, isBackoff: true };
    const end = 'expires_at' in credentials ? Date.parse(credentials.expires_at ?? '') : Number.NaN;
    if (!isForced && !(end <= Date.now())) return undefined;
    const renewed = connection.renew();
    if (!renewed) {
      connection.isBackingOff = true;
      return { status: 400, message: REFRESH_FAILED, isBackoff: false };
    }
    connection.credentials = renewed;
    connection.isBackingOff = false;
    connection.isExhausted = false;
    return undefined;
  }

  const lacks = (...needed: readonly Scope[]): PeerAnswer | undefined =>
    needed.some((scope) => scopes.has(scope))
      ? undefined
      : fault(403, 'forbidden', `Insufficient scope. Required: environment:${needed.join(' or ')}`);

  function list({ searchParams }: URL): PeerAnswer {
    for (const [name, value] of searchParams)
      if (name !== 'limit' || !(Number(value) >= 1 && Number(value) <= 2000))
        return invalid('invalid_query_params', name);
    return lacks('list') ?? json(200, { connections: [] });
  }

  function connectionAt(id: string, { searchParams }: URL): PeerAnswer {
    const forbidden = lacks('read', 'read_credentials');
    if (forbidden) return forbidden;
    for (const [name, value] of searchParams) {
      const isFlag = name === 'force_refresh' && ['true', 'false'].includes(value);
      if (!isFlag && name !== 'provider_config_key') return invalid('invalid_query_params', name);
    }
    const integration = searchParams.get('provider_config_key') ?? '';
    if (!INTEGRATION_ID.test(integration))
      return invalid('invalid_query_params', 'provider_config_key');
    const isForced = searchParams.get('force_refresh') === 'true';
    const mayRead = scopes.has('read_credentials');
    if (isForced && !mayRead)
      return fault(403, 'forbidden', 'Credential and refresh options require a scope');
    if (!integrations.has(integration))
      return fault(400, 'unknown_provider_config', 'Provider does not exists');
    const connection = connections.get(`${integration}/${id}`);
    if (!connection) return fault(404, 'not_found', 'Failed to find connection');
    const failure = mayRead ? refresh(connection, isForced) : undefined;
    const full = (credentials: object) =>
      ConnectionFull.parse({
        id: 1,
        connection_id: id,
        provider_config_key: integration,
        provider: 'notes',
        errors: [],
        end_user: null,
        metadata: null,
        connection_config: {},
        webhook_url_override: null,
        tags: {},
        created_at: '2026-08-01T10:00:00.000+00:00',
        updated_at: '2026-08-01T10:00:00.000+00:00',
        last_fetched_at: new Date().toISOString().replace('Z', '+00:00'),
        credentials,
      });
    if (failure)
      return fault(failure.status, 'invalid_credentials', failure.message, {
        payload: { connection: full({}) },
      });
    return json(200, full(mayRead ? connection.credentials : {}));
  }

  async function proxy(request: PeerRequest): Promise<PeerAnswer> {
    const { method, url, headers, body } = request;
    const forbidden = lacks('proxy');
    if (forbidden) return forbidden;
    const text = (name: string) => String(headers[name] ?? '');
    for (const name of ['provider-config-key', 'connection-id'])
      if (text(name) === '') return invalid('invalid_headers', name);
    const origin = text('base-url-override');
    if (!URL.canParse(origin)) return invalid('invalid_headers', 'base-url-override');
    if (!limits.allowsOverride)
      return fault(
        400,
        'base_url_override_disabled',
        'Base URL override is disabled by server configuration.',
      );
    if (limits.isCapped) return fault(402, 'plan_limit', 'Your plan limits have been reached.');
    const integration = text('provider-config-key');
    if (!integrations.has(integration))
      return fault(404, 'unknown_provider_config', 'Provider config not found for the given key.');
    const connection = connections.get(`${integration}/${text('connection-id')}`);
    if (!connection) return fault(400, 'server_error', 'Failed to get connection');
    const failure = refresh(connection, false);
    if (failure)
      return failure.isBackoff
        ? fault(failure.status, 'connection_refresh_backoff', failure.message)
        : fault(
            failure.status,
            'server_error',
            `Failed to get connection credentials: '${failure.message}'`,
          );
    const own = Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('nango-proxy-') ? [[name.slice('nango-proxy-'.length), String(value)]] : [],
    );
    const { credentials } = connection;
    const token = 'access_token' in credentials ? credentials.access_token : '';
    const target = new URL(`${origin}${url.pathname.replace(/^\/proxy/, '')}${url.search}`);
    // The server understands a body by its own header, and sends nothing of a body that it does not understand.
    const isJson = text('content-type').startsWith('application/json');
    return passOn(target, {
      method,
      headers: { ...Object.fromEntries(own), authorization: `Bearer ${token}` },
      body: isJson && method !== 'GET' ? JSON.stringify(JSON.parse(body)) : null,
      keepsHeaders: text('forward-headers-on-redirect') === 'true',
    });
  }

  const peer = await openCloudPeer((request) => {
    const { url, headers, method } = request;
    const { authorization } = headers;
    if (authorization === undefined)
      return fault(401, 'missing_auth_header', 'Authentication failed.', { payload: {} });
    const key = authorization.split('Bearer ').pop() ?? '';
    if (!KEY.test(key))
      return fault(
        401,
        'invalid_secret_key_format',
        `Authentication failed. ${key} is not a UUID.`,
      );
    if (key !== secretKey)
      return fault(401, 'unknown_account', 'Authentication failed.', { payload: {} });
    const [, first, ...more] = url.pathname.split('/').map(decodeURIComponent);
    if (first === 'proxy') return proxy(request);
    if (method !== 'GET' || first !== 'connections') return fault(404, 'not_found', 'Not found');
    const [id] = more;
    return id === undefined ? list(url) : connectionAt(id, url);
  });
  return { peer, secretKey, scopes, connections, limits };
}

interface RequestToPassOn {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | null;
  /** If true, the headers go to every host to which the service redirects. */
  readonly keepsHeaders: boolean;
}

/** The server follows redirects itself. It forgets the credentials when one leads to another host. */
async function passOn(
  target: URL,
  { keepsHeaders, ...request }: RequestToPassOn,
): Promise<PeerAnswer> {
  let url = target;
  let { headers } = request;
  for (let i = 0; i <= MAX_REDIRECTS; i++) {
    const answer = await fetch(url, { ...request, headers, redirect: 'manual' });
    const location = answer.headers.get('location');
    if (location === null || answer.status >= 400) return answerOf(answer);
    const next = new URL(location, url);
    const { authorization: _, ...others } = headers;
    if (next.origin !== url.origin && !keepsHeaders) headers = others as typeof headers;
    await answer.body?.cancel();
    url = next;
  }
  return json(500, {
    message: 'Maximum number of redirects exceeded',
    code: 'ERR_FR_TOO_MANY_REDIRECTS',
  });
}

async function answerOf(answer: Response): Promise<PeerAnswer> {
  const { status, headers } = answer;
  const isStream = headers.get('transfer-encoding') === 'chunked';
  const passes = (name: string) =>
    !['transfer-encoding', 'connection', 'keep-alive', 'content-length'].includes(name) &&
    (isStream || status >= 400 || PASSED.includes(name));
  const body = Buffer.from(await answer.arrayBuffer());
  return {
    status,
    headers: {
      ...Object.fromEntries([...headers].filter(([name]) => passes(name))),
      ...(!isStream && { 'content-length': String(body.length) }),
    },
    body,
  };
}
