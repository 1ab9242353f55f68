/**
 * Serves buckets by the rules of S3 that Amazon describes (https://docs.aws.amazon.com/AmazonS3/latest/API/): signatures,
 * ListBuckets, ListObjectsV2 and GetObject. A request that a source has no reason to make is an error of the test.
 */
import { createHash } from 'node:crypto';
import { must } from '../../util.ts';
import { openCloudPeer, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';
import { type S3Keys, signedHeaders } from './s3-client.ts';

export const KEYS = {
  access_key_id: 'AKIDEXAMPLE4711',
  secret_access_key: 'f4k3SecretOf/AFake+4711',
  session_token: 'f4k3TokenOfAFake4711==',
};
export const REGION = 'eu-west-1';
/** The fake has fewer objects than S3, and smaller pages. */
const SMALL_PAGE = 3;

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=(.+?)\/\d{8}\/([^/]+)\/s3\/aws4_request, SignedHeaders=([\w;-]+), Signature=/;
const LIST_PARAMETERS =
  'list-type encoding-type prefix delimiter start-after continuation-token max-keys';

export interface FakeObject {
  content: string;
  storageClass?: string;
  /** The owner has encrypted the object with a key that the service does not keep. */
  isSealed?: boolean;
  /** The service lists this ETag, and compares another. */
  listedEtag?: string;
}

export interface FakeBucket {
  readonly objects: Map<string, FakeObject>;
  /** Beginnings of keys that may be listed; undefined allows all. */
  allowed?: readonly string[];
  region: string;
}

export type S3Company = Awaited<ReturnType<typeof openS3Company>>;

const xml = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): PeerAnswer => ({
  status,
  headers: { 'content-type': 'application/xml', ...headers },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n${body}`,
});

export const refused = (
  status: number,
  code: string,
  { headers = {}, message = `no: ${code}`, more = '' } = {},
): PeerAnswer =>
  xml(status, `<Error><Code>${code}</Code><Message>${message}</Message>${more}</Error>`, headers);

/** Encodes a key as Amazon does in a listing. */
const urlEncoded = (key: string) =>
  encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/').replaceAll("'", '%27');

const md5 = (text: string) => createHash('md5').update(text).digest('hex');

export async function openS3Company({ keys = KEYS as S3Keys, pageSize = SMALL_PAGE } = {}) {
  const buckets = new Map<string, FakeBucket>();
  let clock = Date.parse('2026-03-01T08:00:00Z');
  let epoch = 0;
  let size = pageSize;

  async function answer(request: PeerRequest): Promise<PeerAnswer> {
    const { method, url } = request;
    if (method !== 'GET') throw new Error(`a source only reads, and this is ${method} ${url}`);
    const refusal = await signatureRefusal(request);
    if (refusal) return refusal;
    const [host = ''] = /^.+(?=\.localhost$)/.exec(url.hostname) ?? [];
    const place = host === '' ? url.pathname : `/${host}${url.pathname}`;
    const [, name = '', path] = must(/^\/([^/]*)(?:\/(.+)?)?$/s.exec(place), place);
    if (name === '') return listBuckets(url);
    const bucket = buckets.get(decodeURIComponent(name));
    if (!bucket) return refused(404, 'NoSuchBucket');
    if (bucket.region !== REGION)
      return refused(301, 'PermanentRedirect', {
        headers: { 'x-amz-bucket-region': bucket.region },
      });
    return path === undefined
      ? listObjects(bucket, url)
      : getObject(bucket, decodeURIComponent(path), request);
  }

  /** Makes the signature again with the signer of Amazon, from what the request says of itself. */
  async function signatureRefusal({ method, url, headers }: PeerRequest) {
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

  function listBuckets(url: URL): PeerAnswer {
    expectOnly(url, '');
    const all = [...buckets.keys()].map((name) => `<Bucket><Name>${name}</Name></Bucket>`);
    return xml(
      200,
      `<ListAllMyBucketsResult><Owner><DisplayName>acme</DisplayName></Owner><Buckets>${all.join('')}</Buckets></ListAllMyBucketsResult>`,
    );
  }

  function listObjects(bucket: FakeBucket, url: URL): PeerAnswer {
    expectOnly(url, LIST_PARAMETERS);
    const of = (name: string) => url.searchParams.get(name);
    if (of('list-type') !== '2' || of('encoding-type') !== 'url') throw new Error(`${url}`);
    const prefix = of('prefix') ?? '';
    const { allowed } = bucket;
    if (allowed && !allowed.some((one) => prefix.startsWith(one)))
      return refused(403, 'AccessDenied');
    const [made, place] = of('continuation-token')?.split('-') ?? [];
    if (made !== undefined && Number(made) !== epoch)
      return refused(400, 'InvalidArgument', {
        message: 'The continuation token provided is incorrect',
      });
    const after = place === undefined ? (of('start-after') ?? '') : Buffer.from(place, 'hex');
    const rows = new Map<string, FakeObject | null>();
    for (const [key, object] of bucket.objects) {
      const end = key.indexOf(of('delimiter') ?? '\0', prefix.length);
      if (!key.startsWith(prefix)) continue;
      rows.set(end < 0 ? key : key.slice(0, end + 1), end < 0 ? object : null);
    }
    // The order of S3 is that of the bytes, which is not the order of UTF-16.
    const left = [...rows]
      .filter(([key]) => Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0)
      .toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const shown = left.slice(0, Number(of('max-keys') ?? size));
    const isTruncated = left.length > shown.length;
    const next = isTruncated
      ? `<NextContinuationToken>${epoch}-${Buffer.from(must(shown.at(-1))[0]).toString('hex')}</NextContinuationToken>`
      : '';
    const items = shown.map(([key, object]) =>
      object
        ? `<Contents><Key>${urlEncoded(key)}</Key><LastModified>${new Date(clock).toISOString()}</LastModified><ETag>&quot;${object.listedEtag ?? md5(object.content)}&quot;</ETag><Size>${Buffer.byteLength(object.content)}</Size><StorageClass>${object.storageClass ?? 'STANDARD'}</StorageClass></Contents>`
        : `<CommonPrefixes><Prefix>${urlEncoded(key)}</Prefix></CommonPrefixes>`,
    );
    return xml(
      200,
      `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Prefix>${urlEncoded(prefix)}</Prefix><KeyCount>${shown.length}</KeyCount><EncodingType>url</EncodingType><IsTruncated>${isTruncated}</IsTruncated>${next}${items.join('')}</ListBucketResult>`,
    );
  }

  function getObject(
    { objects }: FakeBucket,
    key: string,
    { url, headers }: PeerRequest,
  ): PeerAnswer {
    expectOnly(url, '');
    const object = objects.get(key);
    if (!object) return refused(404, 'NoSuchKey');
    if (object.isSealed)
      return refused(400, 'InvalidRequest', {
        message: 'The object was stored using a form of Server Side Encryption.',
      });
    if (object.storageClass === 'GLACIER' || object.storageClass === 'ARCHIVE_ACCESS')
      return refused(403, 'InvalidObjectState');
    const etag = `"${md5(object.content)}"`;
    const condition = headers['if-match'];
    if (condition !== undefined && condition !== etag) return refused(412, 'PreconditionFailed');
    return { status: 200, headers: { etag }, body: object.content };
  }

  const peer = await openCloudPeer(answer, { place: ['continuation-token'] });
  return {
    peer,
    buckets,
    /** S3 lists so many keys in a page. */
    widen() {
      size = 1000;
    },
    /** The service no longer knows the places at which listings go on. */
    forgetTokens: () => void epoch++,
    addBucket(name: string, objects: Readonly<Record<string, string>> = {}): FakeBucket {
      const rows = Object.entries(objects).map(([key, content]) => [key, { content }] as const);
      const bucket = { objects: new Map<string, FakeObject>(rows), region: REGION };
      buckets.set(name, bucket);
      return bucket;
    },
    put(bucket: FakeBucket, key: string, content: string, more: Omit<FakeObject, 'content'> = {}) {
      clock += 1000;
      bucket.objects.set(key, { content, ...more });
    },
  };
}

function expectOnly({ searchParams }: URL, known: string): void {
  const wrong = searchParams.keys().find((name) => !known.split(' ').includes(name));
  if (wrong !== undefined) throw new Error(`S3 has no parameter '${wrong}' here`);
}
