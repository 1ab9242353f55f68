/** Lists the buckets of a service, and the objects of a bucket (ListBuckets and ListObjectsV2 of S3). */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { Http } from '../kit/http.ts';
import { pages } from '../kit/listing.ts';
import { each, element, one, optional } from '../kit/xml.ts';
import { addressOf, encoded, endpointOf, type S3Config } from './config.ts';

/** The functions that ask the service need these. */
export interface S3Reader {
  readonly http: Http;
  readonly config: S3Config;
}

const text = z.string();

const Buckets = z.object({
  ListAllMyBucketsResult: one(
    element({
      Owner: optional(element({ DisplayName: optional(text) })),
      Buckets: one(element({ Bucket: each(element({ Name: one(text) })) })),
      ContinuationToken: optional(text),
    }),
  ),
});

const Objects = z.object({
  ListBucketResult: one(
    element({
      Prefix: optional(text),
      EncodingType: optional(text),
      KeyCount: optional(text),
      IsTruncated: one(z.enum(['true', 'false'])),
      NextContinuationToken: optional(text),
      CommonPrefixes: each(element({ Prefix: one(text) })),
      Contents: each(
        element({
          Key: one(text),
          ETag: optional(text),
          Size: optional(text),
          LastModified: optional(text),
          StorageClass: optional(text),
        }),
      ),
    }),
  ),
});

/** The service says this of an object in its listing. */
export interface ListedObject {
  readonly key: string;
  /** It has the form of a header, mostly with quotation marks, and changes with the content. */
  readonly etag: string | undefined;
  /** The size is in bytes. */
  readonly size: number | undefined;
  readonly lastModified: string | undefined;
  readonly storageClass: string | undefined;
}

interface ObjectsPage {
  readonly objects: readonly ListedObject[];
  /** With `delimiter`, these are the beginnings that several keys share. */
  readonly prefixes: readonly string[];
}

export interface ObjectsRequest {
  readonly bucket: string;
  readonly prefix?: string;
  /** Only keys after this one are listed. */
  readonly after?: string | null;
  readonly delimiter?: string;
  /** The service chooses the size of a page without it: 1,000 in most cases. */
  readonly limit?: number;
}

/** An account of Amazon has at most a million buckets, and a page mostly 10,000 of them. */
const MAX_BUCKET_PAGES = 1000;

/** Returns the name of the owner, if the service tells it, and the names of the buckets. */
export async function bucketsOf(reader: S3Reader) {
  const buckets: string[] = [];
  let owner: string | undefined;
  let count = 0;
  for await (const { page } of pages(null, (token: string | null) => bucketsAt(reader, token))) {
    if (++count > MAX_BUCKET_PAGES)
      throw new SourceError('fatal', 'the service lists its buckets in too many pages');
    owner ??= page.owner;
    for (const name of page.buckets) buckets.push(name);
  }
  return { owner, buckets };
}

async function bucketsAt({ http, config }: S3Reader, token: string | null) {
  const query = token === null ? '' : `?continuation-token=${encoded(token)}`;
  const { value } = await http.xml({ path: `${endpointOf(config)}/${query}` }, Buckets);
  const { Owner, Buckets: found, ContinuationToken: next } = value.ListAllMyBucketsResult;
  const page = { owner: Owner?.DisplayName, buckets: found.Bucket.map(({ Name }) => Name) };
  return { page, next: next || null };
}

/** Yields the objects of a bucket page by page, in the order of their keys. */
export const objectPages = (reader: S3Reader, request: ObjectsRequest) =>
  pages<ObjectsPage, string>(null, (token) => objectsAt(reader, request, token));

/** Throws a SourceError for a page that is not the one that was asked for, because its objects would replace others. */
async function objectsAt(
  { http, config }: S3Reader,
  request: ObjectsRequest,
  token: string | null,
) {
  const { bucket, prefix = '', after, delimiter, limit } = request;
  const query = {
    'list-type': '2',
    // XML cannot contain all characters of a key.
    'encoding-type': 'url',
    ...(prefix !== '' && { prefix }),
    ...(delimiter !== undefined && { delimiter }),
    ...(limit !== undefined && { 'max-keys': String(limit) }),
    ...(token !== null && { 'continuation-token': token }),
    ...(token === null && typeof after === 'string' && { 'start-after': after }),
  };
  const asked = Object.entries(query).map((one) => one.map(encoded).join('='));
  const path = `${addressOf(config, bucket)}?${asked.join('&')}`;
  const { value } = await http.xml({ path }, Objects);
  const found = value.ListBucketResult;
  const decode = found.EncodingType === 'url' ? decoded : (one: string) => one;
  const objects = found.Contents.map((one) => ({
    key: decode(one.Key),
    etag: one.ETag || undefined,
    size: /^\d+$/.test(one.Size ?? '') ? Number(one.Size) : undefined,
    lastModified: one.LastModified,
    storageClass: one.StorageClass,
  }));
  const refuse = (what: string) => {
    throw new SourceError('transient', `the service lists the bucket '${bucket}' ${what}`);
  };
  if (
    decode(found.Prefix ?? prefix) !== prefix ||
    !objects.every(({ key }) => key.startsWith(prefix))
  )
    refuse(`below another prefix than '${prefix}'`);
  const prefixes = found.CommonPrefixes.map(({ Prefix }) => decode(Prefix));
  if (objects.length + prefixes.length === 0 && Number(found.KeyCount ?? 0) > 0)
    refuse('without the objects that it counts');
  const next = found.NextContinuationToken || null;
  if (found.IsTruncated === 'true' && next === null) refuse('without its next page');
  return { page: { objects, prefixes }, next };
}

/** Services write a blank as a plus sign or as %20, and a plus sign always as %2B. */
function decoded(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch (cause) {
    throw new SourceError('fatal', `the service lists the key '${key}', which is not UTF-8`, {
      cause,
    });
  }
}
