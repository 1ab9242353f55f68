/**
 * Stands before the fakes of Jira and Confluence, as Atlassian's sign-in does: it knows who asks, gives tokens, and sends
 * the requests of apps through the gateway to the site. Atlassian describes this in pages only:
 * https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps and basic-auth-for-rest-apis,
 * https://developer.atlassian.com/cloud/oauth/getting-started/refresh-tokens.
 * - An API token works at the site, and one with scopes works at the gateway. Tokens of OAuth work at the gateway only.
 * - A refresh token works once. What it gave before ends then.
 */
import assert from 'node:assert/strict';
import { json, openCloudPeer, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';

/** The tokens are in parts, so that a scanner for secrets finds none in this file. */
export const ATLASSIAN_EMAIL = 'quarry@acme.example';
export const ATLASSIAN_API_TOKEN = ['ATATT', 'f4k3ApiTokenOfAFake4711'].join('_');
export const ATLASSIAN_SCOPED_TOKEN = ['ATATT', 'f4k3TokenWithScopes4711'].join('_');
export const ATLASSIAN_CLIENT = {
  client_id: 'f4k3client',
  client_secret: ['f4k3', 'secret', '4711'].join('-'),
};
const ATLASSIAN_CODE = 'f4k3code';
export const ATLASSIAN_CLOUD_ID = '1324a887-45db-1bf4-1e99-ef0ff456d421';
export const ATLASSIAN_SITE = 'https://acme.atlassian.net';

export interface AtlassianGateSettings {
  /** These are the scopes of the app. A request of an operation that `needs` another scope is refused. */
  readonly scopes: Set<string>;
  /** The token lacks this scope for operations whose path begins with the key. */
  readonly needs: Map<string, string>;
  /** Atlassian accepts the refresh token that it has replaced last for some minutes, from a client that lost the answer. */
  acceptsReplaced: boolean;
  /** Wrong credentials may be answered as nobody would be: with status 200, and without anything to see. */
  wrongIsAnonymous: boolean;
  /** The sites that a token of OAuth reaches, as `accessible-resources` lists them. */
  sites: { id: string; name: string; url: string; scopes: string[]; avatarUrl: string }[];
}
export type AtlassianEntry =
  | { readonly answer: PeerAnswer }
  | { readonly request: PeerRequest; readonly isAnonymous: boolean };

export const textAnswer = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): PeerAnswer => ({ status, headers: { 'content-type': 'text/plain', ...headers }, body });

const basicOf = (token: string) =>
  `Basic ${Buffer.from(`${ATLASSIAN_EMAIL}:${token}`).toString('base64')}`;
/** The gateway refuses in a form of its own. */
const refusal = (code: number, message: string) => ({ answer: json(code, { code, message }) });

export function makeAtlassianGate(product: 'jira' | 'confluence') {
  const scope = product === 'jira' ? 'read:jira-work' : 'read:page:confluence';
  const siteWith = (scopes: string[], id = ATLASSIAN_CLOUD_ID, url = ATLASSIAN_SITE) => ({
    id,
    name: url.replace(/^https:..|\.atlassian\.net$/g, ''),
    url,
    scopes,
    avatarUrl: 'https://site-admin-avatar-cdn.example/240.png',
  });
  const settings: AtlassianGateSettings = {
    scopes: new Set([scope]),
    needs: new Map(),
    acceptsReplaced: false,
    wrongIsAnonymous: false,
    // A site is listed once for each product.
    sites: [
      siteWith([scope]),
      siteWith([product === 'jira' ? 'read:page:confluence' : 'read:jira-work']),
    ],
  };
  let issued = 0;
  let access = 'access-0';
  let refresh = 'refresh-0';
  let replaced = '';

  function tokens({ headers, body }: PeerRequest): PeerAnswer {
    const isForm = String(headers['content-type']).startsWith('application/x-www-form-urlencoded');
    const { grant_type: grant, ...given } = isForm
      ? Object.fromEntries(new URLSearchParams(body))
      : JSON.parse(body);
    const wanted = grant === 'refresh_token' ? ['refresh_token'] : ['code', 'redirect_uri'];
    const allowed = [...wanted, 'client_id', 'client_secret', 'code_verifier', 'scope'];
    for (const name of Object.keys(given))
      assert.ok(allowed.includes(name), `the token endpoint of Atlassian does not know ${name}`);
    const { client_id, client_secret } = ATLASSIAN_CLIENT;
    if (given.client_id !== client_id || given.client_secret !== client_secret)
      return json(401, { error: 'access_denied', error_description: 'Unauthorized' });
    const isRight =
      grant === 'refresh_token'
        ? given.refresh_token === refresh ||
          (settings.acceptsReplaced && given.refresh_token === replaced)
        : given.code === ATLASSIAN_CODE;
    if (!isRight)
      return json(403, {
        error: 'invalid_grant',
        error_description: 'Unknown or invalid refresh token.',
      });
    issued++;
    access = `access-${issued}`;
    replaced = given.refresh_token ?? '';
    refresh = `refresh-${issued}`;
    return json(200, {
      access_token: access,
      refresh_token: refresh,
      expires_in: 3600,
      token_type: 'Bearer',
      scope: [...settings.scopes].join(' '),
    });
  }

  function enter(request: PeerRequest): AtlassianEntry {
    const { url, headers, method } = request;
    const sent = headers.authorization;
    if (url.pathname === '/oauth/token' && method === 'POST') return { answer: tokens(request) };
    if (url.pathname === '/oauth/token/accessible-resources')
      return sent === `Bearer ${access}`
        ? { answer: json(200, settings.sites) }
        : refusal(401, 'Unauthorized');
    const [, asked, cloudId, path = ''] = /^\/ex\/(\w+)\/([^/]+)(\/.*)$/.exec(url.pathname) ?? [];
    if (asked === undefined) {
      if (sent === basicOf(ATLASSIAN_API_TOKEN)) return { request, isAnonymous: false };
      if (settings.wrongIsAnonymous) return { request, isAnonymous: true };
      return {
        answer: textAnswer(401, 'Client must be authenticated to access this resource.', {
          'www-authenticate': 'OAuth realm="https%3A%2F%2Facme.atlassian.net"',
          'x-seraph-loginreason': 'AUTHENTICATED_FAILED',
        }),
      };
    }
    if (sent !== `Bearer ${access}` && sent !== basicOf(ATLASSIAN_SCOPED_TOKEN))
      return refusal(401, 'Unauthorized');
    if (asked !== product || cloudId !== ATLASSIAN_CLOUD_ID) return refusal(404, 'Not Found');
    for (const [prefix, needed] of settings.needs)
      if (path.startsWith(prefix) && !settings.scopes.has(needed))
        return refusal(401, 'Unauthorized; scope does not match');
    const inner = new URL(url);
    inner.pathname = path;
    return { request: { ...request, url: inner }, isAnonymous: false };
  }

  return {
    enter,
    settings,
    siteWith,
    acceptToken(token: string) {
      access = token;
    },
    /** The pair of tokens that works now. */
    tokens: () => ({ access_token: access, refresh_token: refresh }),
    endTokens() {
      access = `ended-${++issued}`;
    },
  };
}

/** Opens the store of files, which is another host and takes signed addresses only. */
export async function openAtlassianStore(fileOf: (id: string) => FileOfStore | undefined) {
  let signed = new Map<string, string>();
  const store = await openCloudPeer(({ url, headers }) => {
    const id = signed.get(url.searchParams.get('token') ?? '');
    const file = id === undefined ? undefined : fileOf(id);
    if (headers.authorization !== undefined || !file || url.pathname !== `/file/${id}/binary`)
      return textAnswer(403, 'Forbidden');
    return { status: 200, headers: { 'content-type': file.type }, body: file.content };
  });
  return {
    store,
    /** Returns a new signed address of the file. */
    addressOf(id: string): string {
      const token = `signed-${signed.size}-${id}`;
      signed.set(token, id);
      return `${store.baseUrl}/file/${id}/binary?token=${token}`;
    },
    endAddresses() {
      signed = new Map();
    },
  };
}
interface FileOfStore {
  readonly type: string;
  readonly content: string | Buffer;
}
