/** Makes records of objects: a stub of what the listing says, and the content when its ETag or size has changed. */
import { z } from 'zod';
import { fileReason } from '../../documents/left-out/by-name.ts';
import type { Omission } from '../../documents/omission.ts';
import type { Breadcrumb, Entity } from '../../model/entity.ts';
import { fail, type LeftOut, type Stub, skip, stub, type Upsert, upsert } from '../items.ts';
import { fileOrSkip } from '../kit/file-or-skip.ts';
import { objectUrl, type S3Config } from './config.ts';
import { type ListedObject, objectPages, type S3Reader } from './listing.ts';
import { ARCHIVED, Changed, Closed, NoObject } from './refusal.ts';

export const TYPE = 'S3Object';

export const ObjectFields = z.object({
  bucket: z.string().meta({ title: 'Bucket', description: 'Name of the bucket.' }),
  key: z.string().meta({ title: 'Key', description: 'Whole name of the object in its bucket.' }),
  size: z.number().nullable().meta({ title: 'Size', description: 'Size in bytes.' }),
});

/** Objects in these classes must be restored before they can be read, which takes hours and costs money. */
const ARCHIVES = ['GLACIER', 'DEEP_ARCHIVE'];
const DELETED: Omission = { reason: 'deleted while they were read' };

/** The listing contains this already, and `readObject` needs it. */
interface CarriedObject {
  readonly bucket: string;
  readonly object: ListedObject;
}

/** The bucket is always a part of the id, so that the ids stay when further buckets are chosen. */
export const idOf = (bucket: string, key: string): string => `${bucket}/${key}`;

/** Returns a stub, or a skip for an object whose name says that it is not read. */
export function itemOf(bucket: string, object: ListedObject, partition: string): Stub | LeftOut {
  const { key } = object;
  const id = idOf(bucket, key);
  if (key.split('/').some((name) => name === '.' || name === '..'))
    return skip(id, TYPE, {
      reason: 'with . or .. as a folder',
      detail: 'An address cannot contain such a name.',
    });
  const reason = fileReason(key);
  if (reason) return skip(id, TYPE, reason);
  const carry: CarriedObject = { bucket, object };
  return stub(id, TYPE, { version: versionOf(object), partition, carry });
}

/** An object that gets the same content again keeps its version, so that it is not downloaded again. */
const versionOf = ({ etag, size, lastModified = '' }: ListedObject): string =>
  `${etag ?? lastModified} ${size ?? ''}`;

export const readObject = (reader: S3Reader, found: Stub): Promise<Upsert | LeftOut> =>
  fileOrSkip(found, { service: 'the service' }, () => readListed(reader, found));

async function readListed(
  reader: S3Reader,
  { id, partition, carry }: Stub,
): Promise<Upsert | LeftOut> {
  const { bucket, object } = carry as CarriedObject;
  const read = (listed: ListedObject, etag: string | undefined) =>
    contentOf(reader, { bucket, object: listed }, { etag, partition });
  try {
    if (ARCHIVES.includes(object.storageClass ?? '')) return skip(id, TYPE, ARCHIVED);
    try {
      return await read(object, object.etag);
    } catch (error) {
      if (!(error instanceof Changed)) throw error;
      const now = await listedNow(reader, bucket, object.key);
      if (!now) return skip(id, TYPE, DELETED);
      // Some services list another ETag than they compare. Then the condition never holds.
      return await read(now, now.etag === object.etag ? undefined : now.etag);
    }
  } catch (error) {
    if (error instanceof Closed) return skip(id, TYPE, error.omission);
    if (error instanceof NoObject) return skip(id, TYPE, DELETED);
    // The object changes again and again, and is not refused.
    if (error instanceof Changed) return fail(id, TYPE, error);
    throw error;
  }
}

async function listedNow(
  reader: S3Reader,
  bucket: string,
  key: string,
): Promise<ListedObject | undefined> {
  for await (const { page } of objectPages(reader, { bucket, prefix: key, limit: 1 }))
    return page.objects.find((object) => object.key === key);
  return undefined;
}

/**
 * Reads the object only if it still has this ETag. Otherwise the content of a later version would be stored as that of
 * the listed one, and would stay when the listed one comes back.
 */
async function contentOf(
  { http, config }: S3Reader,
  { bucket, object }: CarriedObject,
  { etag, partition }: { readonly etag: string | undefined; readonly partition: string },
): Promise<Upsert> {
  const { key, size } = object;
  const request = {
    path: objectUrl(config, bucket, key),
    ...(etag !== undefined && { headers: { 'if-match': quoted(etag) } }),
  };
  const entity = entityOf(config, bucket, object);
  const file = await http.file(request, { name: entity.name, size });
  return upsert({ ...entity, file }, { version: versionOf(object), partition });
}

const quoted = (etag: string) => (etag.endsWith('"') ? etag : `"${etag}"`);

function entityOf(
  config: S3Config,
  bucket: string,
  { key, size, lastModified }: ListedObject,
): Entity {
  const names = key.split('/');
  const name = names.findLast((one) => one.trim() !== '') ?? key;
  const folders = names.slice(0, -1).map(
    (folder, i): Breadcrumb => ({
      id: idOf(bucket, `${names.slice(0, i + 1).join('/')}/`),
      name: folder || '/',
      type: 'S3Folder',
    }),
  );
  return {
    id: idOf(bucket, key),
    type: TYPE,
    name,
    text: '',
    url: urlOf(config, bucket, key),
    breadcrumbs: [{ id: bucket, name: bucket, type: 'S3Bucket' }, ...folders],
    updatedAt: lastModified === undefined ? undefined : new Date(lastModified),
    context: key,
    fields: { bucket, key, size: size ?? null } satisfies z.infer<typeof ObjectFields>,
  };
}

/** Only Amazon has a page for each object. At other services this is the address of the object itself. */
function urlOf(config: S3Config, bucket: string, key: string): string {
  if (config.endpoint !== undefined) return objectUrl(config, bucket, key);
  const page = new URL(`https://console.aws.amazon.com/s3/object/${bucket}`);
  page.searchParams.set('region', config.region);
  page.searchParams.set('prefix', key);
  return page.href;
}
