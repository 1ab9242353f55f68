/** A server of one's own that speaks the protocol of docs/auth-providers.md. */
import { z } from 'zod';
import type { AuthProviderError } from '../../errors.ts';
import { bearer } from '../../sources/kit/sign.ts';
import { ServiceUrl } from '../../sources/service-url.ts';
import { addressAt, askProvider } from '../ask.ts';
import { faultByStatus, misconfigured, signInEnded } from '../faults.ts';
import type { ProviderAnswer, ProviderKind, ProviderRef } from '../kind.ts';
import { firstText, given, Key, lifeOf, PlaceName } from './fields.ts';

const Credentials = z.strictObject({ url: ServiceUrl, secret: Key });
const Place = z.strictObject({ connection_id: PlaceName });

const Answer = z.object({
  credentials: z.record(z.string(), z.unknown()),
  expires_at: z.iso.datetime({ offset: true }).nullish(),
});

/** The answer of a service that the server has forwarded a request to carries this header. */
const FORWARDED = 'quarry-forwarded';

function refusal(ref: ProviderRef, answer: ProviderAnswer): AuthProviderError | undefined {
  if (answer.status === 404) return signInEnded(ref, 'it does not have the connection');
  if (answer.status === 409) return signInEnded(ref, 'somebody has to sign in again');
  return faultByStatus(ref, answer);
}

export const custom: ProviderKind<z.infer<typeof Credentials>, z.infer<typeof Place>> = {
  shortName: 'custom',
  credentials: Credentials,
  place: Place,
  renews: true,

  async check({ ref, credentials: { url, secret } }, transport) {
    await askProvider({
      ref,
      transport,
      url: addressAt(url),
      headers: bearer(secret),
      schema: z.unknown(),
    });
  },

  async give({ ref, credentials: { url, secret }, place, source, isFresh, transport }) {
    const address = addressAt(url, 'connections', place.connection_id, 'credentials');
    address.searchParams.set('source', source);
    if (isFresh) address.searchParams.set('fresh', 'true');
    const { value, headers } = await askProvider({
      ref,
      transport,
      url: address,
      headers: bearer(secret),
      schema: Answer,
      refusal: (answer) => refusal(ref, answer),
    });
    const { credentials: fields, expires_at } = value;
    const lifeMs = lifeOf(ref, expires_at, headers);
    const [only, ...more] = Object.keys(fields);
    const key = only !== undefined && more.length === 0 ? firstText(fields, [only]) : null;
    return given({ fields, accessToken: firstText(fields, ['access_token']), key, lifeMs });
  },

  forwarding: {
    wrap: ({ credentials: { url, secret } }, { connection_id }, request) => ({
      url: addressAt(url, 'connections', connection_id, 'forward'),
      headers: { ...request.headers, ...bearer(secret), 'quarry-target': request.url.href },
    }),
    mayBeOwn: ({ headers }) => headers.get(FORWARDED) === null,
    refusal: (ref, answer) =>
      refusal(ref, answer) ?? misconfigured(ref, `answered without the header ${FORWARDED}`),
  },
};
