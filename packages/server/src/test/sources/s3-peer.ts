/**
 * Serves buckets by the rules of S3 that Amazon describes (https://docs.aws.amazon.com/AmazonS3/latest/API/): signatures,
 * ListBuckets, ListObjectsV2 and GetObject. A request that a source has no reason to make is an error of the test.
 */
import { must } from '../../util.ts';
import { openCloudPeer, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';
import type { S3Keys } from './s3-client.ts';
import { expectOnly, makeS3Listings, type S3PageSizes } from './s3-listings.ts';
import { refused } from './s3-refusal.ts';
import { KEYS, signatureRefusal } from './s3-signature.ts';
import { type FakeBucket, makeS3World, md5, REGION } from './s3-world.ts';

export type S3Peer = Awaited<ReturnType<typeof openS3Peer>>;

export async function openS3Peer({
  keys = KEYS,
  ...sizes
}: S3PageSizes & { readonly keys?: S3Keys } = {}) {
  const world = makeS3World();
  const { listBuckets, listObjects, widen, forgetTokens } = makeS3Listings(world, sizes);

  async function answer(request: PeerRequest): Promise<PeerAnswer> {
    const { method, url } = request;
    if (method !== 'GET') throw new Error(`a source only reads, and this is ${method} ${url}`);
    const refusal = await signatureRefusal(keys, request);
    if (refusal) return refusal;
    const [host = ''] = /^.+(?=\.localhost$)/.exec(url.hostname) ?? [];
    const place = host === '' ? url.pathname : `/${host}${url.pathname}`;
    const [, name = '', path] = must(/^\/([^/]*)(?:\/(.+)?)?$/s.exec(place), place);
    if (name === '') return listBuckets(url);
    const bucket = world.buckets.get(decodeURIComponent(name));
    if (!bucket) return refused(404, 'NoSuchBucket');
    if (bucket.region !== REGION)
      return refused(301, 'PermanentRedirect', {
        headers: { 'x-amz-bucket-region': bucket.region },
      });
    return path === undefined
      ? listObjects(bucket, url)
      : getObject(bucket, decodeURIComponent(path), request);
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
  return { ...world, peer, widen, forgetTokens };
}
