/** Holds the buckets of the fake of S3. Each change takes a second. */
import { createHash } from 'node:crypto';

export const REGION = 'eu-west-1';

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

export type S3World = ReturnType<typeof makeS3World>;

export const md5 = (text: string) => createHash('md5').update(text).digest('hex');

export function makeS3World() {
  const buckets = new Map<string, FakeBucket>();
  let clock = Date.parse('2026-03-01T08:00:00Z');
  return {
    buckets,
    now: () => clock,
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
