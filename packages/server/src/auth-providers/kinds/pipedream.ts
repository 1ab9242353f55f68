/**
 * Pipedream Connect (https://pipedream.com/docs/connect/api-reference). It gives the tokens of an account only when the
 * account was connected with an OAuth client of one's own.
 */
import { z } from 'zod';
import { bearer } from '../../sources/kit/sign.ts';
import { ServiceUrl } from '../../sources/service-url.ts';
import { addressAt, askProvider, type ProviderQuestion } from '../ask.ts';
import { keyRefused, misconfigured, passing, signInEnded } from '../faults.ts';
import type { ProviderAccess, ProviderKind, ProviderTransport } from '../kind.ts';
import { firstText, given, Key, lifeOf, PlaceName } from './fields.ts';

const Credentials = z.strictObject({
  client_id: Key,
  client_secret: Key,
  project_id: z.string().regex(/^proj_[a-zA-Z0-9]+$/, 'is not the id of a project (proj_…)'),
  environment: z.enum(['production', 'development']).default('production'),
  base_url: ServiceUrl.default('https://api.pipedream.com'),
});
type PipedreamCredentials = z.infer<typeof Credentials>;

const Place = z.strictObject({
  account_id: PlaceName,
  external_user_id: PlaceName.optional(),
});

const Token = z.object({ access_token: Key });
const Account = z.object({
  external_id: z.string().nullish(),
  healthy: z.boolean().nullish(),
  dead: z.boolean().nullish(),
  error: z.string().nullish(),
  expires_at: z.string().nullish(),
  credentials: z.record(z.string(), z.unknown()).nullish(),
});

/** These fields belong to an OAuth client, and are not what a source signs with. */
const OF_CLIENT = ['oauth_client_id', 'oauth_refresh_token', 'oauth_uid', 'oauth_signer_uri'];

type PipedreamAccess = ProviderAccess<PipedreamCredentials>;

/** Pipedream's own token lives for an hour; an account is asked for about as rarely, so the token is not kept. */
async function askProject<T>(
  { ref, credentials }: PipedreamAccess,
  transport: ProviderTransport,
  asked: Pick<ProviderQuestion<T>, 'schema' | 'refusal'> & {
    readonly path: readonly string[];
    readonly query: readonly [string, string];
  },
) {
  const { client_id, client_secret, project_id, environment, base_url } = credentials;
  const { value: token } = await askProvider({
    ref,
    transport,
    url: addressAt(base_url, 'v1', 'oauth', 'token'),
    body: { grant_type: 'client_credentials', client_id, client_secret },
    schema: Token,
    // RFC 6749, 5.2, lets a client that is not known be a 400.
    refusal: ({ status, body }) =>
      status === 400 || status === 401 ? keyRefused(ref, reasonIn(body)) : undefined,
  });
  const url = addressAt(base_url, 'v1', 'connect', project_id, ...asked.path);
  url.searchParams.set(...asked.query);
  const headers = { ...bearer(token.access_token), 'x-pd-environment': environment };
  return askProvider({ ref, transport, url, headers, ...asked });
}

const reasonIn = (body: unknown): string => {
  const error = z.object({ error: z.string() }).safeParse(body).data?.error;
  return error === undefined ? '' : `: ${error}`;
};

export const pipedream: ProviderKind<PipedreamCredentials, z.infer<typeof Place>> = {
  shortName: 'pipedream',
  credentials: Credentials,
  place: Place,
  renews: false,

  async check(access, transport) {
    await askProject(access, transport, {
      path: ['accounts'],
      query: ['limit', '1'],
      schema: z.unknown(),
    });
  },

  async give({ ref, credentials, place, transport }) {
    const { value, headers } = await askProject({ ref, credentials }, transport, {
      path: ['accounts', place.account_id],
      query: ['include_credentials', 'true'],
      schema: Account,
      refusal: ({ status }) =>
        status === 404 ? signInEnded(ref, 'it does not have the account') : undefined,
    });
    const { external_user_id: user } = place;
    if (user !== undefined && value.external_id !== user)
      throw misconfigured(ref, 'says that the account belongs to another external_user_id');
    const why = value.error ? ` (${value.error})` : '';
    if (value.dead) throw signInEnded(ref, `the account is dead${why}`);
    const found = Object.entries(value.credentials ?? {});
    const fields = Object.fromEntries(found.filter(([name]) => !OF_CLIENT.includes(name)));
    if (Object.keys(fields).length === 0) {
      // Pipedream tries again by itself to renew an account that is not healthy.
      if (value.healthy === false) throw passing(ref, `says that the account is not healthy${why}`);
      throw misconfigured(
        ref,
        'gave the account without its credentials',
        'Pipedream gives them only for accounts that were connected with an OAuth client of your own: connect the account again with one.',
      );
    }
    const { oauth_access_token: _, ...others } = fields;
    const [key, ...more] = Object.values(others);
    return given({
      fields,
      accessToken: firstText(fields, ['oauth_access_token']),
      key: typeof key === 'string' && more.length === 0 ? key : null,
      lifeMs: lifeOf(ref, value.expires_at, headers),
    });
  },
};
