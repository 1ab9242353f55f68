/** Makes two buckets with folders, and keys with unusual characters. */
import { must } from '../../util.ts';
import { type CloudCompany, newWord } from './cloud-company.ts';
import { openS3Peer } from './s3-peer.ts';
import { refused } from './s3-refusal.ts';
import { KEYS } from './s3-signature.ts';
import { type FakeBucket, REGION } from './s3-world.ts';

const HOUR = { 'retry-after': '3600' };

export async function openS3Cloud(): Promise<CloudCompany> {
  const service = await openS3Peer();
  const { buckets, peer } = service;
  const docs = service.addBucket('docs');
  const old = service.addBucket('old');
  let made = 0;
  const add = (bucket: FakeBucket, key: string) => service.put(bucket, key, `About ${newWord()}.`);
  for (const key of [
    'a.txt',
    'B.txt',
    'b.txt',
    'f/ü+ ☃.md',
    'f/line\nbreak.md',
    'f//x.txt',
    '😀.txt',
  ])
    add(docs, key);
  for (const key of ['1.txt', 'o/2.txt', 'o/p/3.txt', 'o/p/4.txt']) add(old, key);

  const keys = () => [...docs.objects.keys()];
  let turn = 0;
  const next = () => keys()[turn++ % keys().length];

  return {
    peer,
    config: { endpoint: peer.baseUrl, region: REGION },
    credentials: KEYS,
    refusals: {
      unauthorized: refused(403, 'InvalidAccessKeyId'),
      rateLimited: [
        refused(503, 'SlowDown', { headers: HOUR }),
        refused(429, 'TooManyRequests', { headers: HOUR }),
      ],
      serverError: refused(500, 'InternalError'),
    },
    expected: () =>
      new Map(
        [...buckets].flatMap(([name, { objects }]) =>
          [...objects].map(([key, { content }]) => [
            `${name}/${key}`,
            must(/^About (\w+)/.exec(content)?.[1]),
          ]),
        ),
      ),
    edit() {
      const key = next();
      if (key !== undefined) add(docs, key);
    },
    add: () => add(docs, `${made++ % 2 ? 'f/' : ''}new-${made}.txt`),
    remove() {
      const key = next();
      if (key !== undefined) docs.objects.delete(key);
    },
    removeMany() {
      for (const key of keys().slice(0, 4)) docs.objects.delete(key);
    },
    removePart: () => void buckets.delete('old'),
    forbidPart() {
      old.allowed = [];
    },
    forgetCursors: service.forgetTokens,
    resync: {
      widen: service.widen,
      grow() {
        made++;
        for (const folder of ['', 'f/', `g${made}/`]) add(docs, `${folder}grown-${made}.txt`);
      },
    },
  };
}
