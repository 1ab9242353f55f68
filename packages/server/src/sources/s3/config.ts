/** This is the configuration of a connection to a service that speaks S3, and the addresses that follow from it. */
import { z } from 'zod';
import { ServiceUrl } from '../service-url.ts';

const MAX_CHOSEN = 100;
/** Amazon allows less, but other services have buckets with such names. */
const BUCKET = /^(?!\.{1,2}$)[^\s/?#\\]{1,255}$/;
/** The bucket is a part of the name of a host. */
const BUCKET_IN_HOST = /^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/;
const REGION = /^[a-z0-9-]{1,50}$/i;

const wellFormed = (text: string) => text.isWellFormed();

export const S3Config = z
  .strictObject({
    endpoint: ServiceUrl.optional().meta({
      title: 'Endpoint',
      description:
        'Address of the service, such as https://<account>.r2.cloudflarestorage.com. Without it, Amazon S3 is asked in the region.',
      address: true,
    }),
    region: z.string().regex(REGION, 'is not the name of a region').default('us-east-1').meta({
      title: 'Region',
      description: 'Region of the buckets, such as eu-west-1. Cloudflare R2 calls it auto.',
    }),
    addressing: z.enum(['path', 'virtual']).default('path').meta({
      title: 'Addressing',
      description:
        'Where requests name the bucket: path for https://host/bucket, virtual for https://bucket.host, which some services require.',
    }),
    buckets: z
      .array(z.string().regex(BUCKET, 'is not the name of a bucket').refine(wellFormed))
      .min(1)
      .max(MAX_CHOSEN)
      .optional()
      .meta({
        title: 'Buckets',
        description:
          'Names of the buckets to copy. Without this setting, all buckets are copied that the key may list.',
        options: true,
      }),
    prefixes: z
      .array(z.string().min(1).max(1024).refine(wellFormed, 'has an unpaired surrogate'))
      .max(MAX_CHOSEN)
      .default([])
      .meta({
        title: 'Prefixes',
        description:
          'Only objects whose key begins with one of these are copied, such as docs/. Without any, all objects are.',
        options: true,
      }),
  })
  .superRefine(({ addressing, buckets, endpoint, region }, ctx) => {
    if (addressing !== 'virtual') return;
    const refuse = (message: string) =>
      ctx.addIssue({ code: 'custom', path: ['buckets'], message });
    if (!buckets) refuse('must be given, because the addresses of virtual hosts contain them');
    const isHost = (bucket: string) =>
      BUCKET_IN_HOST.test(bucket) &&
      URL.canParse(addressOf({ addressing, endpoint, region }, bucket));
    const wrong = buckets?.find((bucket) => !isHost(bucket));
    if (wrong !== undefined) refuse(`'${wrong}' cannot be a part of the name of a host`);
  });
export type S3Config = z.infer<typeof S3Config>;

type BucketPlace = Pick<S3Config, 'endpoint' | 'region' | 'addressing'>;

export const endpointOf = ({ endpoint, region }: Omit<BucketPlace, 'addressing'>): string =>
  (endpoint ?? `https://s3.${region}.amazonaws.com`).replace(/\/+$/, '');

/**
 * The kit signs requests to these origins beside that of the endpoint. There are none while a person still chooses the
 * buckets.
 */
export const virtualOrigins = ({ buckets, ...place }: S3Config): string[] =>
  place.addressing === 'virtual'
    ? (buckets ?? []).map((bucket) => new URL(addressOf(place, bucket)).origin)
    : [];

/** Returns the address of a bucket, without a slash at its end. */
export function addressOf(place: BucketPlace, bucket: string): string {
  const endpoint = endpointOf(place);
  return place.addressing === 'virtual'
    ? endpoint.replace('://', `://${bucket}.`)
    : `${endpoint}/${encoded(bucket)}`;
}

/** Returns the address of an object. Slashes of the key stay, even several in a row. */
export const objectUrl = (place: BucketPlace, bucket: string, key: string): string =>
  `${addressOf(place, bucket)}/${encodedKey(key)}`;

const encodedKey = (key: string): string => key.split('/').map(encoded).join('/');

/** Encodes all characters but those that SigV4 leaves as they are, so that the service signs the same address. */
export const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
