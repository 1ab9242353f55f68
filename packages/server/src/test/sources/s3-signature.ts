/** Checks the signatures of requests to the fake of S3. */
import type { PeerAnswer, PeerRequest } from './cloud-peer.ts';
import { type S3Keys, signedHeaders } from './s3-client.ts';
import { refused } from './s3-refusal.ts';
import { REGION } from './s3-world.ts';

export const KEYS = {
  access_key_id: 'AKIDEXAMPLE4711',
  secret_access_key: 'f4k3SecretOf/AFake+4711',
  session_token: 'f4k3TokenOfAFake4711==',
};

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=(.+?)\/\d{8}\/([^/]+)\/s3\/aws4_request, SignedHeaders=([\w;-]+), Signature=/;

/**
 * Makes the signature again with the signer of Amazon, from what the request says of itself. Returns null when it is right.
 */
export async function signatureRefusal(
  keys: S3Keys,
  { method, url, headers }: PeerRequest,
): Promise<PeerAnswer | null> {
  const of = (name: string) => String(headers[name] ?? '');
  const parts = AUTHORIZATION.exec(of('authorization'));
  if (!parts) return refused(403, 'AccessDenied');
  const [, id, region = '', names = ''] = parts;
  if (id !== keys.access_key_id) return refused(403, 'InvalidAccessKeyId');
  if (of('x-amz-security-token') !== (keys.session_token ?? ''))
    return refused(400, 'InvalidToken');
  if (region !== REGION)
    return refused(400, 'AuthorizationHeaderMalformed', { more: `<Region>${REGION}</Region>` });
  const stamp = of('x-amz-date').replace(/^(....)(..)(..T..)(..)(..)Z$/, '$1-$2-$3:$4:$5Z');
  const all = Object.fromEntries(names.split(';').map((one) => [one, of(one)]));
  const { 'x-amz-date': _, 'x-amz-security-token': __, ...given } = all;
  const asked = { method, url, headers: given, date: new Date(stamp) };
  const { authorization } = await signedHeaders(keys, region, asked);
  return authorization === headers.authorization ? null : refused(403, 'SignatureDoesNotMatch');
}
