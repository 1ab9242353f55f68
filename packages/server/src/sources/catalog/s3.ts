/** This source copies the objects of buckets at Amazon S3, or at any other service that speaks S3. */
import { cloudSource } from '../kit/cloud-source.ts';
import { eachOf } from '../kit/listing.ts';
import { endpointOf, S3Config, virtualOrigins } from '../s3/config.ts';
import { ObjectFields, readObject, TYPE } from '../s3/objects.ts';
import { accountOf, checkBuckets, optionsOf, pull } from '../s3/pull.ts';
import { refusal } from '../s3/refusal.ts';
import { S3Credentials, sign } from '../s3/sign.ts';

const CONCURRENCY = 8;

export const s3 = cloudSource({
  shortName: 's3',
  name: 'S3',
  description:
    'Objects of buckets at Amazon S3, Cloudflare R2, MinIO, Backblaze B2, Google Cloud Storage and other services with its interface.',
  labels: ['Files'],
  auth: { direct: { fields: S3Credentials, sign: { each: sign } } },
  mayBeInternal: true,
  api: { baseUrl: endpointOf, alsoAt: virtualOrigins, concurrency: CONCURRENCY, refusal },
  config: S3Config,
  deletions: 'listed',
  entities: { [TYPE]: ObjectFields },
  files: 'all with text',
  limits: '5,500 reads a second below a prefix (Amazon)',
  evidence: [{ class: 'A', by: 'the S3 interface of OpenStack Swift', asOf: '2.30' }],
  rateLimitLevel: 'connection',

  account: (ctx) => accountOf(ctx),
  check: (ctx) => checkBuckets(ctx),
  pull: (ctx) => pull(ctx, ctx.bookmark),
  hydrate: (ctx, stubs) => eachOf(stubs, CONCURRENCY, (stub) => readObject(ctx, stub)),
  options: (ctx, request) => optionsOf(ctx, request),
});
