/** Answers with the listings of S3: of buckets, and of the objects in one. */
import { must } from '../../util.ts';
import type { PeerAnswer } from './cloud-peer.ts';
import { refused, xml } from './s3-refusal.ts';
import { type FakeBucket, type FakeObject, md5, type S3World } from './s3-world.ts';

const LIST_PARAMETERS =
  'list-type encoding-type prefix delimiter start-after continuation-token max-keys';

/** Encodes a key as Amazon does in a listing. */
const urlEncoded = (key: string) =>
  encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/').replaceAll("'", '%27');

export function expectOnly({ searchParams }: URL, known: string): void {
  const wrong = searchParams.keys().find((name) => !known.split(' ').includes(name));
  if (wrong !== undefined) throw new Error(`S3 has no parameter '${wrong}' here`);
}

export interface S3PageSizes {
  /** A page of a listing has so many objects. */
  readonly pageSize?: number;
  readonly bucketPage?: number;
}

/** The fake has fewer objects than S3, and smaller pages. */
const SMALL_PAGE = 3;
const BUCKET_PAGE = 10_000;

export function makeS3Listings(
  world: S3World,
  { pageSize = SMALL_PAGE, bucketPage = BUCKET_PAGE }: S3PageSizes,
) {
  /** Tokens of another epoch are unknown. */
  let epoch = 0;
  let size = pageSize;

  function listBuckets(url: URL): PeerAnswer {
    expectOnly(url, 'continuation-token');
    const token = url.searchParams.get('continuation-token');
    const place = token === null ? '' : Buffer.from(token, 'hex').toString();
    const left = [...world.buckets.keys()].toSorted().filter((name) => name > place);
    const shown = left.slice(0, bucketPage);
    const all = shown.map((name) => `<Bucket><Name>${name}</Name></Bucket>`);
    const next =
      left.length > shown.length
        ? `<ContinuationToken>${Buffer.from(must(shown.at(-1))).toString('hex')}</ContinuationToken>`
        : '';
    return xml(
      200,
      `<ListAllMyBucketsResult><Owner><DisplayName>acme</DisplayName></Owner><Buckets>${all.join('')}</Buckets>${next}</ListAllMyBucketsResult>`,
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
        ? `<Contents><Key>${urlEncoded(key)}</Key><LastModified>${new Date(world.now()).toISOString()}</LastModified><ETag>&quot;${object.listedEtag ?? md5(object.content)}&quot;</ETag><Size>${Buffer.byteLength(object.content)}</Size><StorageClass>${object.storageClass ?? 'STANDARD'}</StorageClass></Contents>`
        : `<CommonPrefixes><Prefix>${urlEncoded(key)}</Prefix></CommonPrefixes>`,
    );
    return xml(
      200,
      `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Prefix>${urlEncoded(prefix)}</Prefix><KeyCount>${shown.length}</KeyCount><EncodingType>url</EncodingType><IsTruncated>${isTruncated}</IsTruncated>${next}${items.join('')}</ListBucketResult>`,
    );
  }

  return {
    listBuckets,
    listObjects,
    /** S3 lists so many keys in a page. */
    widen() {
      size = 1000;
    },
    /** The service no longer knows the places at which listings go on. */
    forgetTokens: () => void epoch++,
  };
}
