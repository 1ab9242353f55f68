/**
 * Lists the chosen buckets. A part is a bucket, or what a bucket has below a chosen prefix. It is listed flat, in the
 * order of the keys, so a bookmark is the last key of a page: it stays right when objects come and go, and no service
 * forgets it as it may forget a token.
 */
import { z } from 'zod';
import { folderReason } from '../../documents/left-out/by-name.ts';
import { SourceError } from '../../errors.ts';
import { type FieldOption, isMeant, type OptionsRequest } from '../define.ts';
import { bookmark, lost, type SourceItem, skip } from '../items.ts';
import { part } from '../kit/listing.ts';
import { endpointOf } from './config.ts';
import { bucketsOf, objectPages, type S3Reader } from './listing.ts';
import { idOf, itemOf, TYPE } from './objects.ts';
import { WrongRegion } from './refusal.ts';

/** A person waits for the folders of a bucket, which may have millions of pages. */
const MAX_PAGES_OF_FOLDERS = 10;

const Position = z.object({ part: z.string(), after: z.string() });

type S3Items = AsyncGenerator<SourceItem, void, void>;

interface BucketPart {
  /** This is the name of the partition. */
  readonly name: string;
  readonly bucket: string;
  readonly prefix: string;
}

export async function* pull(reader: S3Reader, interrupted: unknown): S3Items {
  const position = Position.nullable().parse(interrupted);
  const isChosen = reader.config.buckets !== undefined;
  for (const one of await partsOf(reader)) {
    if (position && one.name < position.part) continue;
    const after = position?.part === one.name ? position.after : null;
    try {
      yield* part(one.name, objectsOf(reader, one, after));
    } catch (error) {
      if (isChosen || !(error instanceof WrongRegion)) throw error;
      // Nobody has asked for this bucket, so the others are copied.
      yield lost(one.name, new SourceError('skip', error.message, { hint: error.hint }));
    }
  }
}

async function partsOf(reader: S3Reader): Promise<BucketPart[]> {
  const { prefixes } = reader.config;
  const buckets = reader.config.buckets ?? (await bucketsOf(reader)).buckets;
  const isOutermost = (prefix: string) =>
    !prefixes.some((other) => other !== prefix && prefix.startsWith(other));
  const chosen = prefixes.length > 0 ? [...new Set(prefixes)].filter(isOutermost) : [''];
  return [...new Set(buckets)]
    .flatMap((bucket) => chosen.map((prefix) => ({ name: nameOf(bucket, prefix), bucket, prefix })))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The names of the segments have no slash of their own. */
const nameOf = (bucket: string, prefix: string): string =>
  [bucket, ...(prefix === '' ? [] : [prefix])].map(encodeURIComponent).join('/');

async function* objectsOf(
  reader: S3Reader,
  { name, bucket, prefix }: BucketPart,
  after: string | null,
): S3Items {
  const leftOutOf = leftOutFolders();
  let leftOut: string | undefined;
  for await (const { page, next } of objectPages(reader, { bucket, prefix, after })) {
    for (const object of page.objects) {
      const { key, size } = object;
      // Consoles make such an object to show an empty folder.
      if (key.endsWith('/') && size === 0) continue;
      const folder = leftOutOf(key);
      if (!folder) yield itemOf(bucket, object, name);
      else if (folder.path !== leftOut) yield skip(idOf(bucket, folder.path), TYPE, folder.reason);
      leftOut = folder?.path;
    }
    const last = page.objects.at(-1);
    if (next !== null && last) yield bookmark({ part: name, after: last.key });
  }
}

/**
 * Returns a function that finds the outermost folder of a key that is left out by its name. Keys come in their order, so
 * the folder of the key before is mostly the same.
 */
function leftOutFolders() {
  const find = (folder: string) => {
    const names = folder.split('/');
    for (let depth = 1; depth <= names.length; depth++) {
      const path = names.slice(0, depth).join('/');
      const reason = folderReason(path);
      if (reason) return { path: `${path}/`, reason };
    }
    return null;
  };
  let folder = '';
  let found: ReturnType<typeof find> = null;
  return (key: string) => {
    const above = key.slice(0, Math.max(0, key.lastIndexOf('/')));
    if (above !== folder) {
      folder = above;
      found = find(above);
    }
    return found;
  };
}

/** Names the owner of the key. Many keys may not ask for it, and many services do not tell it. */
export async function accountOf(reader: S3Reader): Promise<string> {
  const host = new URL(endpointOf(reader.config)).host;
  const { buckets: chosen } = reader.config;
  try {
    const { owner, buckets } = await bucketsOf(reader);
    return `${owner || shownBuckets(chosen ?? buckets)} at ${host}`;
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'skip') throw error;
    if (chosen) return `${shownBuckets(chosen)} at ${host}`;
    throw new SourceError('config', error.message, {
      hint: 'The key may not list its buckets. Name them in the setting buckets.',
      cause: error,
    });
  }
}

const shownBuckets = ([first, ...others]: readonly string[]): string =>
  first === undefined
    ? 'no bucket'
    : `the bucket ${first}${others.length > 0 ? ` and ${others.length} others` : ''}`;

/** Throws a SourceError 'config' for a bucket that does not exist or may not be listed. */
export async function checkBuckets(reader: S3Reader): Promise<void> {
  const parts = await partsOf(reader);
  if (parts.length === 0)
    throw new SourceError('config', 'the service shows no bucket to this key', {
      hint: 'Name the buckets in the setting buckets, or give the key of another account.',
    });
  if (!reader.config.buckets) return;
  await Promise.all(
    parts.map(async ({ bucket, prefix }) => {
      try {
        for await (const _ of objectPages(reader, { bucket, prefix, limit: 1 })) break;
      } catch (error) {
        if (!(error instanceof SourceError) || error.kind !== 'skip') throw error;
        const where = prefix === '' ? '' : ` below '${prefix}'`;
        throw new SourceError(
          'config',
          `the bucket '${bucket}' cannot be listed${where}: ${error.message}`,
          { hint: 'Check its name, the endpoint, and that the key may list it.', cause: error },
        );
      }
    }),
  );
}

/** Returns the buckets, or the folders at the top of the chosen buckets. */
export async function optionsOf(
  {
    http,
    config,
  }: { readonly http: S3Reader['http']; readonly config: Partial<S3Reader['config']> },
  { field, query, limit }: OptionsRequest,
): Promise<FieldOption[]> {
  const reader = { http, config: { ...config, prefixes: [] } as S3Reader['config'] };
  const buckets = config.buckets ?? (await bucketsOf(reader)).buckets;
  if (field === 'buckets') return buckets.map((name) => ({ value: name, title: name }));
  const found = new Map<string, FieldOption>();
  for (const bucket of buckets)
    for await (const prefix of foldersOf(reader, bucket, query)) {
      const option = { value: prefix, title: prefix, description: `in ${bucket}` };
      if (isMeant(option, query)) found.set(idOf(bucket, prefix), option);
      if (found.size >= limit) return [...found.values()];
    }
  return [...found.values()];
}

/**
 * Yields the folders, also deeper ones, whose path begins with the query, and then those at the top. The service can
 * search only for a beginning, so a part of a name is found only in the first pages of a large bucket.
 */
async function* foldersOf(
  reader: S3Reader,
  bucket: string,
  query: string,
): AsyncGenerator<string, void, void> {
  for (const prefix of new Set([query.toWellFormed(), ''])) {
    let count = 0;
    for await (const { page } of objectPages(reader, { bucket, prefix, delimiter: '/' })) {
      yield* page.prefixes;
      if (++count === MAX_PAGES_OF_FOLDERS) break;
    }
  }
}
