/**
 * Nango, in its cloud or on one's own machines (https://nango.dev/docs/reference/backend/http-api, and docs/spec.yaml of
 * https://github.com/NangoHQ/nango).
 */
import { z } from 'zod';
import type { AuthProviderError } from '../../errors.ts';
import { bearer } from '../../sources/kit/sign.ts';
import { ServiceUrl } from '../../sources/service-url.ts';
import { addressAt, askProvider } from '../ask.ts';
import { faultByStatus, keyRefused, misconfigured, passing, signInEnded } from '../faults.ts';
import type {
  Forwarding,
  GivenCredentials,
  ProviderAnswer,
  ProviderKind,
  ProviderRef,
} from '../kind.ts';
import { firstText, given, Key, lifeOf, PlaceName } from './fields.ts';

const Credentials = z.strictObject({
  secret_key: Key,
  base_url: ServiceUrl.default('https://api.nango.dev'),
});
type NangoCredentials = z.infer<typeof Credentials>;

/** Nango calls the same name "integration ID" on its pages, and `provider_config_key` in its API. */
const Place = z
  .strictObject({
    connection_id: PlaceName,
    integration_id: PlaceName.optional(),
    provider_config_key: PlaceName.optional(),
  })
  .transform(({ connection_id, integration_id, provider_config_key }, { issues, value }) => {
    const integration = integration_id ?? provider_config_key;
    if (integration !== undefined && (provider_config_key ?? integration) === integration)
      return { connection: connection_id, integration };
    const message = 'give integration_id or provider_config_key, which mean the same';
    issues.push({ code: 'custom', path: ['integration_id'], message, input: value });
    return z.NEVER;
  });
type NangoPlace = z.infer<typeof Place>;

/** A key without the permission for credentials gets a connection without them. */
const Connection = z.object({
  credentials: z
    .object({ type: z.string().optional(), expires_at: z.string().nullish() })
    .catchall(z.unknown())
    .nullish(),
});

const NangoError = z.object({
  error: z.object({ code: z.string(), message: z.string().optional() }),
});

const OWN_401 = [
  'unknown_account',
  'invalid_secret_key_format',
  'missing_auth_header',
  'malformed_auth_header',
];
/** Nango sends these codes with the status 400 when its proxy may not use the address of the source. */
const OVERRIDE = ['base_url_override_disabled', 'base_url_override_not_allowed'];
const NO_CONNECTION = 'Failed to get connection';
/** The proxy could not renew the credentials. Nango says by 424 when this is final. */
const NOT_RENEWED = /^Failed to get connection credentials/;
/** Services also send the code `forbidden`, so only this message shows that the key of Nango lacks a scope. */
const NO_SCOPE = /^Insufficient scope\./;
/** After a failed renewal, Nango waits before it tries again. */
const BACKOFF = /backing off/i;

const isScope = ({ code, message = '' }: z.infer<typeof NangoError>['error']): boolean =>
  code === 'forbidden' && NO_SCOPE.test(message);

const ownError = ({ body }: ProviderAnswer) => NangoError.safeParse(body).data?.error;

/** The errors of getConnection.ts and proxy.service.ts of Nango's server. */
function refusal(ref: ProviderRef, answer: ProviderAnswer): AuthProviderError | undefined {
  const { status } = answer;
  const { code = '', message = '' } = ownError(answer) ?? {};
  // The proxy says so with 400, and a failure of Nango's own database has the same words and 500.
  const isUnknown = status === 400 && code === 'server_error' && message === NO_CONNECTION;
  if (code === 'not_found' || isUnknown) return signInEnded(ref, 'it does not have the connection');
  if (code === 'unknown_provider_config')
    return signInEnded(ref, 'it does not have the integration of the connection');
  if (code === 'connection_refresh_backoff' || BACKOFF.test(message))
    return passing(ref, `answered ${status}: ${message}`);
  if (status === 424) return signInEnded(ref, `somebody has to sign in again (${message})`);
  // The service has refused a renewal. Nango says by 424 when this is final.
  if (code === 'invalid_credentials' || NOT_RENEWED.test(message))
    return passing(ref, `answered ${status}: ${message}`);
  if (OVERRIDE.includes(code))
    return misconfigured(
      ref,
      'does not forward requests to the address of the source',
      'Use the mode token, or allow overrides of the base URL in Nango.',
    );
  return faultByStatus(ref, answer);
}

/** Each type of credentials has its secret in a field of another name (AllAuthCredentials of the OpenAPI document). */
function givenOf({
  type,
  raw,
  expires_at: _,
  ...fields
}: Readonly<Record<string, unknown>>): Omit<GivenCredentials, 'lifeMs'> {
  const all = { ...(typeof raw === 'object' && raw), ...fields };
  const isToken = typeof type === 'string' && TOKEN_TYPES.includes(type);
  const accessToken =
    firstText(fields, ['access_token']) ?? (isToken ? firstText(fields, ['token']) : null);
  return given({ fields: all, accessToken, key: firstText(fields, ['apiKey']) });
}
const TOKEN_TYPES = ['OAUTH2_CC', 'TWO_STEP', 'JWT', 'SIGNATURE'];

const forwarding: Forwarding<NangoCredentials, NangoPlace> = {
  wrap({ credentials: { secret_key, base_url } }, { connection, integration }, request) {
    const { pathname, search, origin } = request.url;
    const url = addressAt(base_url, 'proxy');
    url.pathname += pathname;
    url.search = search;
    const own = Object.entries(request.headers);
    const type = own.find(([name]) => name.toLowerCase() === 'content-type');
    return {
      url,
      headers: {
        ...Object.fromEntries(own.map(([name, value]) => [`nango-proxy-${name}`, value])),
        // Nango reads the body by this header.
        ...(type && { 'content-type': type[1] }),
        ...bearer(secret_key),
        'connection-id': connection,
        'provider-config-key': integration,
        'base-url-override': origin,
        // Otherwise the store of files to which a download redirects would get the credentials.
        'forward-headers-on-redirect': 'false',
      },
    };
  },
  mayBeOwn: ({ status }) => status >= 300,
  refusal(ref, answer) {
    const own = ownError(answer);
    if (!own) return undefined;
    if (answer.status === 401) return OWN_401.includes(own.code) ? keyRefused(ref) : undefined;
    const isOwn = OWN_CODES.has(own.code) || (answer.status === 403 && isScope(own));
    return isOwn ? refusal(ref, answer) : undefined;
  },
  passedHeaders: new Set([
    'content-type',
    'content-length',
    'date',
    'x-request-id',
    'x-correlation-id',
  ]),
};
/** Services have codes of their own, so only those of Nango's proxy count as its own. */
const OWN_CODES = new Set([
  'server_error',
  'unknown_provider_config',
  'connection_refresh_backoff',
  'plan_limit',
  'invalid_headers',
  ...OVERRIDE,
]);

export const nango: ProviderKind<NangoCredentials, NangoPlace> = {
  shortName: 'nango',
  credentials: Credentials,
  place: Place,
  renews: true,
  forwarding,

  async check({ ref, credentials: { secret_key, base_url } }, transport) {
    const url = addressAt(base_url, 'connections');
    url.searchParams.set('limit', '1');
    await askProvider({
      ref,
      transport,
      url,
      headers: bearer(secret_key),
      schema: z.unknown(),
      // A key that may not list connections is nevertheless known to Nango.
      accepts: 403,
    });
  },

  async give({ ref, credentials: { secret_key, base_url }, place, isFresh, transport }) {
    const url = addressAt(base_url, 'connections', place.connection);
    url.searchParams.set('provider_config_key', place.integration);
    if (isFresh) url.searchParams.set('force_refresh', 'true');
    const { value, headers } = await askProvider({
      ref,
      transport,
      url,
      headers: bearer(secret_key),
      schema: Connection,
      refusal: (answer) => refusal(ref, answer),
    });
    if (!value.credentials || Object.keys(value.credentials).length === 0)
      throw misconfigured(
        ref,
        'gave the connection without its credentials',
        'The key needs the scope environment:connections:read_credentials in Nango.',
      );
    const lifeMs = lifeOf(ref, value.credentials.expires_at, headers);
    return { ...givenOf(value.credentials), lifeMs };
  },
};
