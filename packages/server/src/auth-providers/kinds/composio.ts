/**
 * Composio (https://docs.composio.dev/reference/api-reference/connected-accounts, and the client that is generated from
 * its OpenAPI document, https://github.com/ComposioHQ/composio-base-py). By default it hides the secrets of accounts.
 */
import { z } from 'zod';
import { ServiceUrl } from '../../sources/service-url.ts';
import { addressAt, askProvider } from '../ask.ts';
import { misconfigured, signInEnded } from '../faults.ts';
import type { ProviderKind } from '../kind.ts';
import { firstText, given, Key, PlaceName } from './fields.ts';

const Credentials = z.strictObject({
  api_key: Key,
  base_url: ServiceUrl.default('https://backend.composio.dev'),
});
/** Composio calls a connection a connected account. */
const Place = z
  .strictObject({ connection_id: PlaceName.optional(), account_id: PlaceName.optional() })
  .transform(({ connection_id, account_id }, { issues, value }) => {
    const account = account_id ?? connection_id;
    if (account !== undefined && (connection_id ?? account) === account) return { account };
    const message = 'give connection_id or account_id, which mean the connected account';
    issues.push({ code: 'custom', path: ['connection_id'], message, input: value });
    return z.NEVER;
  });

const Account = z.object({
  status: z.string(),
  status_reason: z.string().nullish(),
  is_disabled: z.boolean().nullish(),
  auth_config: z.object({ is_composio_managed: z.boolean().nullish() }),
  state: z.object({ authScheme: z.string(), val: z.record(z.string(), z.unknown()) }),
});

/** Secrets are replaced by REDACTED, or all but their beginning by dots (changelog of 2025-12-10 and 2026-04-22). */
const HIDDEN = /^REDACTED$|\.\.\.$/;
const KEYS = ['generic_api_key', 'api_key', 'bearer_token'];
/** In these schemes of signing in, the field is what OAuth calls an access token. */
const ACCESS_TOKEN: Readonly<Record<string, string>> = {
  OAUTH2: 'access_token',
  S2S_OAUTH2: 'access_token',
  DCR_OAUTH: 'access_token',
  BEARER_TOKEN: 'token',
};

export const composio: ProviderKind<z.infer<typeof Credentials>, z.infer<typeof Place>> = {
  shortName: 'composio',
  credentials: Credentials,
  place: Place,
  // The request that renews an account may begin a new sign-in there, which a person would have to end.
  renews: false,

  async check({ ref, credentials: { api_key, base_url } }, transport) {
    const url = accountsAt(base_url);
    url.searchParams.set('limit', '1');
    const headers = { 'x-api-key': api_key };
    await askProvider({ ref, transport, url, headers, schema: z.unknown() });
  },

  async give({ ref, credentials: { api_key, base_url }, place, transport }) {
    const { value } = await askProvider({
      ref,
      transport,
      url: accountsAt(base_url, place.account),
      headers: { 'x-api-key': api_key },
      schema: Account,
      refusal: ({ status }) =>
        status === 404 ? signInEnded(ref, 'it does not have the connected account') : undefined,
    });
    const { status, status_reason, is_disabled, auth_config, state } = value;
    if (is_disabled) throw misconfigured(ref, 'has the connected account switched off');
    if (status !== 'ACTIVE') {
      const why = status_reason ? `: ${status_reason}` : '';
      throw signInEnded(ref, `the connected account is ${status}${why}`);
    }
    const { authScheme, val } = state;
    if (Object.values(val).some((value) => typeof value === 'string' && HIDDEN.test(value)))
      throw misconfigured(
        ref,
        'redacts the credentials of the connected account',
        hintFor(auth_config),
      );
    // `expires_in` counts from a time that Composio does not name, so the token is used until the service refuses it.
    return given({
      fields: val,
      accessToken: firstText(val, [ACCESS_TOKEN[authScheme] ?? '']),
      key: authScheme === 'API_KEY' ? firstText(val, KEYS) : null,
    });
  },
};

const accountsAt = (base: string, ...account: readonly string[]): URL =>
  addressAt(base, 'api', 'v3.1', 'connected_accounts', ...account);

const hintFor = ({ is_composio_managed }: z.infer<typeof Account>['auth_config']): string =>
  is_composio_managed
    ? "Composio never gives the tokens of its own OAuth app: make an auth config with an OAuth app of yours in Composio, connect the account with it, and use that account's id."
    : 'Switch off "Mask Connected Account Secrets" in the project settings of Composio; where they do not have it, ask its support.';
