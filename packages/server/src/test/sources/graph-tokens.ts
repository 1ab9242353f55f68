/**
 * Plays the sign-in of Microsoft (https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow and
 * v2-oauth2-client-creds-grant-flow): codes, refresh tokens that are used once, and apps of their own. Microsoft would
 * accept an old refresh token again, but does not promise to.
 */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { must } from '../../util.ts';
import { json, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';
import type { GraphUser } from './graph-directory.ts';

export const GRAPH_CLIENT = {
  id: 'c0ffee00-0000-4000-8000-000000000001',
  secret: 'client-secret-1',
};
/** The tokens are in parts, so that a scanner for secrets finds none in this file. */
export const GRAPH_APP_TOKEN = ['eyJ0eXAi', 'f4k3AppOfAFake4711', 'sig'].join('.');
export const GRAPH_PERSON_TOKEN = ['eyJ0eXAi', 'f4k3AnnOfAFake4711', 'sig'].join('.');

const GRAPH = 'https://graph.microsoft.com/';
const FORM: Readonly<Record<string, readonly string[]>> = {
  authorization_code: ['code', 'redirect_uri', 'code_verifier', 'scope'],
  refresh_token: ['refresh_token', 'scope'],
  client_credentials: ['scope'],
};
const OF_AUTHORIZE =
  `client_id response_type redirect_uri response_mode scope state prompt login_hint
  domain_hint code_challenge code_challenge_method`.split(/\s+/);

interface Code {
  readonly redirectUri: string;
  readonly challenge: string | null;
  readonly scope: string;
}

interface TokenParts {
  readonly tenant: string;
  readonly person: GraphUser;
  readonly permissions: ReadonlySet<string>;
}

export type GraphTokens = ReturnType<typeof makeGraphTokens>;

export function makeGraphTokens({ tenant, person, permissions }: TokenParts) {
  const access = new Map<string, GraphUser | null>();
  const refresh = new Map<string, string>();
  const codes = new Map<string, Code>();
  const newToken = () => randomBytes(18).toString('base64url');
  const refusal = (status: number, error: string, code: number, said: string): PeerAnswer =>
    json(status, {
      error,
      error_description: `AADSTS${code}: ${said} Trace ID: 0 Correlation ID: 0 Timestamp: 2026-11-26 08:00:00Z`,
      error_codes: [code],
      timestamp: '2026-11-26 08:00:00Z',
      trace_id: '0',
      correlation_id: '0',
    });

  function issue(me: GraphUser | null, scope: string): PeerAnswer {
    const token = `eyJ0eXAi.${newToken()}.sig`;
    access.set(token, me);
    const times = { expires_in: 3599, ext_expires_in: 3599 };
    if (me === null) return json(200, { token_type: 'Bearer', ...times, access_token: token });
    const isOffline = scope.split(' ').includes('offline_access');
    const next = `0.A${newToken()}`;
    if (isOffline) refresh.set(next, scope);
    const granted = [...permissions].map((one) => `${GRAPH}${one}`).join(' ');
    return json(200, {
      token_type: 'Bearer',
      scope: granted,
      ...times,
      access_token: token,
      ...(isOffline && { refresh_token: next }),
    });
  }

  function authorize({ url }: PeerRequest): PeerAnswer {
    const value = (name: string) => url.searchParams.get(name);
    for (const name of url.searchParams.keys())
      assert.ok(OF_AUTHORIZE.includes(name), `Microsoft's sign-in has no parameter ${name}`);
    if (value('client_id') !== GRAPH_CLIENT.id || value('response_type') !== 'code')
      return refusal(400, 'unauthorized_client', 700016, 'The application was not found.');
    const redirectUri = must(value('redirect_uri'));
    const code = `0.C${newToken()}`;
    const scope = must(value('scope'));
    codes.set(code, { redirectUri, challenge: value('code_challenge'), scope });
    const location = new URL(redirectUri);
    location.searchParams.set('code', code);
    if (value('state') !== null) location.searchParams.set('state', must(value('state')));
    return { status: 302, headers: { location: location.href }, body: '' };
  }

  function token(request: PeerRequest, asked: string): PeerAnswer {
    const form = new URLSearchParams(request.body);
    const value = (name: string) => form.get(name) ?? '';
    const grant = value('grant_type');
    const known = FORM[grant];
    if (!known) return refusal(400, 'unsupported_grant_type', 70003, 'The grant is not supported.');
    for (const name of form.keys())
      assert.ok(
        ['grant_type', 'client_id', 'client_secret', ...known].includes(name),
        `Microsoft's token endpoint has no parameter ${name} for ${grant}`,
      );
    const [, basic = ''] = /^Basic (.+)$/.exec(request.headers.authorization ?? '') ?? [];
    const [id, secret] = basic
      ? Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent)
      : [value('client_id'), value('client_secret')];
    if (id !== GRAPH_CLIENT.id)
      return refusal(400, 'unauthorized_client', 700016, 'The application was not found.');
    if (secret !== GRAPH_CLIENT.secret)
      return refusal(401, 'invalid_client', 7000215, 'Invalid client secret provided.');
    if (grant === 'client_credentials') {
      if (asked !== tenant && asked !== 'acme.example')
        return refusal(400, 'invalid_request', 50059, 'No tenant-identifying information found.');
      if (value('scope') !== `${GRAPH}.default`)
        return refusal(400, 'invalid_scope', 1002012, 'The scope is not valid.');
      return issue(null, '');
    }
    if (grant === 'refresh_token') {
      const scope = refresh.get(value('refresh_token'));
      if (scope === undefined)
        return refusal(400, 'invalid_grant', 70000, 'The refresh token is not valid.');
      refresh.delete(value('refresh_token'));
      return issue(person, scope);
    }
    const code = codes.get(value('code'));
    codes.delete(value('code'));
    const challenge = createHash('sha256').update(value('code_verifier')).digest('base64url');
    const isRight =
      code?.redirectUri === value('redirect_uri') && [null, challenge].includes(code.challenge);
    return code && isRight
      ? issue(person, code.scope)
      : refusal(400, 'invalid_grant', 54005, 'The code is not valid, or was redeemed already.');
  }

  return {
    /** Answers requests for login.microsoftonline.com. */
    answer(request: PeerRequest): PeerAnswer {
      const [, asked = '', kind] =
        /^\/([^/]+)\/oauth2\/v2\.0\/(token|authorize)$/.exec(request.url.pathname) ?? [];
      const isForAll = ['common', 'organizations'].includes(asked);
      must(kind, `Microsoft's sign-in has no ${request.url.pathname}`);
      if (!isForAll && ![tenant, 'acme.example'].includes(asked))
        return refusal(400, 'invalid_request', 90002, `Tenant '${asked}' not found.`);
      return kind === 'token' ? token(request, asked) : authorize(request);
    },
    /** Returns the person of a token, null for an app, and undefined for a token that is not known. */
    whoHas(sent: string): GraphUser | null | undefined {
      if (sent === GRAPH_APP_TOKEN) return null;
      return sent === GRAPH_PERSON_TOKEN ? person : access.get(sent);
    },
    /** Accepts this token of the person, and those two that are always right, but no other. */
    accept(token: string): void {
      access.clear();
      access.set(token, person);
    },
    /** All access tokens that were issued so far end. */
    endAccess: () => access.clear(),
    endRefresh: () => refresh.clear(),
  };
}
