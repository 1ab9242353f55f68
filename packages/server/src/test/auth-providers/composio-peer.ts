/**
 * Plays the connected accounts of Composio, from its API reference of version 3.1
 * (https://docs.composio.dev/reference/api-reference/connected-accounts) and the client that is generated from its OpenAPI
 * document (https://github.com/ComposioHQ/composio-base-py, July 2026). How secrets are hidden is in the changelog of 2026-04-22 and
 * 2026-06-04.
 */
import { z } from 'zod';
import { type CloudPeer, json, openCloudPeer, type PeerAnswer } from '../sources/cloud-peer.ts';

const Status = z.enum([
  'INITIALIZING',
  'INITIATED',
  'ACTIVE',
  'FAILED',
  'EXPIRED',
  'INACTIVE',
  'REVOKED',
]);
type AccountStatus = z.infer<typeof Status>;

/** The members of the union `state` that these tests use; each has further optional fields of the toolkit. */
const State = z.union([
  z.strictObject({
    authScheme: z.literal('OAUTH2'),
    val: z.looseObject({
      status: Status,
      access_token: z.string().optional(),
      refresh_token: z.string().nullish(),
      expires_in: z.union([z.number(), z.string()]).nullish(),
    }),
  }),
  z.strictObject({
    authScheme: z.literal('API_KEY'),
    val: z.looseObject({ status: Status, generic_api_key: z.string().optional() }),
  }),
  z.strictObject({
    authScheme: z.literal('BEARER_TOKEN'),
    val: z.looseObject({ status: Status, token: z.string() }),
  }),
  z.strictObject({
    authScheme: z.literal('BASIC'),
    val: z.looseObject({ status: Status, username: z.string(), password: z.string().optional() }),
  }),
]);
type AccountState = z.infer<typeof State>;

const Account = z.strictObject({
  id: z.string(),
  alias: z.string().nullable(),
  word_id: z.string().nullable(),
  toolkit: z.strictObject({ slug: z.string() }),
  auth_config: z.strictObject({
    id: z.string(),
    auth_scheme: z.string(),
    is_composio_managed: z.boolean(),
    is_disabled: z.boolean(),
  }),
  status: Status,
  status_reason: z.string().nullable(),
  is_disabled: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
  user_id: z.string(),
  state: State,
  data: z.record(z.string(), z.unknown()),
  params: z.record(z.string(), z.unknown()),
});

interface ComposioPeerAccount {
  state: AccountState;
  reason: string | null;
  isDisabled: boolean;
  /** The account was connected with the OAuth app of Composio. */
  isManaged: boolean;
}

export interface ComposioPeer {
  readonly peer: CloudPeer;
  readonly apiKey: string;
  readonly accounts: Map<string, ComposioPeerAccount>;
  /** The project setting "Mask Connected Account Secrets", which is on unless somebody switches it off. */
  readonly settings: { masksSecrets: boolean };
}

const LIST_PARAMETERS = ['limit', 'cursor', 'statuses', 'user_ids', 'auth_config_ids'];
/** Secrets in a state are hidden, and so are tokens that only Composio needs. */
const SECRETS = ['access_token', 'refresh_token', 'token', 'generic_api_key', 'password'];
const SHOWN = 10;

export const account = (
  authScheme: AccountState['authScheme'],
  val: Readonly<Record<string, unknown>>,
  status: AccountStatus = 'ACTIVE',
): ComposioPeerAccount => ({
  state: State.parse({ authScheme, val: { status, ...val } }),
  reason: null,
  isDisabled: false,
  isManaged: false,
});

const fault = (status: number, slug: string, message: string): PeerAnswer =>
  json(status, {
    error: {
      message,
      code: 606,
      slug,
      status,
      request_id: '8b628209-81f4-414a-a1c2-28806e2d7480',
      suggested_fix: 'Check the request',
    },
  });

export async function openComposioPeer(): Promise<ComposioPeer> {
  const apiKey = 'ak_composio_4711';
  const accounts = new Map<string, ComposioPeerAccount>();
  const settings = { masksSecrets: false };

  function show(id: string, { state, reason, isDisabled, isManaged }: ComposioPeerAccount) {
    const hide = (value: string) => (isManaged ? 'REDACTED' : `${value.slice(0, SHOWN)}...`);
    const hides = isManaged || settings.masksSecrets;
    const val = Object.fromEntries(
      Object.entries(state.val).map(([name, value]) => [
        name,
        hides && SECRETS.includes(name) && typeof value === 'string' ? hide(value) : value,
      ]),
    );
    return Account.parse({
      id,
      alias: null,
      word_id: 'notes_red-castle',
      toolkit: { slug: 'notes' },
      auth_config: {
        id: 'ac_1',
        auth_scheme: state.authScheme,
        is_composio_managed: isManaged,
        is_disabled: false,
      },
      status: state.val.status,
      status_reason: reason,
      is_disabled: isDisabled,
      created_at: '2026-08-01T10:00:00.000Z',
      updated_at: '2026-08-01T10:00:00.000Z',
      user_id: 'deprecated',
      state: { ...state, val },
      data: val,
      params: {},
    });
  }

  const peer = await openCloudPeer(({ method, url, headers }) => {
    const key = headers['x-api-key'];
    if (key !== apiKey) return fault(401, 'Auth_InvalidApiKey', `Invalid API key: ${key}`);
    const [, id] = /^\/api\/v3\.1\/connected_accounts(?:\/([^/]+))?$/.exec(url.pathname) ?? [];
    if (method !== 'GET' || !url.pathname.startsWith('/api/v3.1/connected_accounts'))
      return fault(404, 'Route_NotFound', `${method} ${url.pathname} does not exist`);
    if (id === undefined) {
      const unknown = [...url.searchParams.keys()].find((name) => !LIST_PARAMETERS.includes(name));
      if (unknown !== undefined) return fault(400, 'Request_Invalid', `${unknown} is not known`);
      return json(200, {
        items: [],
        total_items: 0,
        total_pages: 0,
        current_page: 1,
        next_cursor: null,
      });
    }
    const found = accounts.get(decodeURIComponent(id));
    if (!found)
      return fault(
        404,
        'ConnectedAccount_ResourceNotFound',
        `Connected account "${decodeURIComponent(id)}" not found`,
      );
    return json(200, show(id, found));
  });
  return { peer, apiKey, accounts, settings };
}
