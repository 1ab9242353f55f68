/** Tests the source S3 with a real server: OpenStack Swift and its interface for S3. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { s3 } from '../../sources/catalog/s3.ts';
import { must } from '../../util.ts';
import { openTestQuarry, type TestQuarry } from '../app/quarry.ts';
import { DATABASES } from '../databases.ts';
import { type SwiftServer, skipWithoutSwift, startSwift } from '../swift-server.ts';
import { isLeftToSqlite } from '../tier.ts';
import { newWord } from './cloud-company.ts';
import { testSource } from './harness.ts';
import { openS3Client, type S3Client } from './s3-client.ts';

/** The buckets of the tests hold more objects than one page. */
const PAGE = 20;

describe('OpenStack Swift', { skip: skipWithoutSwift }, () => {
  let swift: SwiftServer;
  let client: S3Client;
  before(async () => {
    swift = await startSwift({ pageSize: PAGE });
    client = openS3Client(swift.endpoint, swift.owner);
  });
  after(() => swift.stop());

  testSource(s3, async () => {
    await client.makeBucket('shelf');
    for (const key of ['a.txt', 'b/c.md', 'b/d/e.html']) await client.put('shelf', key, 'x');
    for (let i = 0; i < PAGE; i++) await client.put('shelf', `more/${i}.txt`, 'x');
    const { endpoint } = swift;
    const config = { endpoint, buckets: ['shelf'] };
    return {
      config,
      credentials: swift.owner,
      wrong: [
        {
          name: 'a wrong secret',
          kind: 'auth',
          says: /403 SignatureDoesNotMatch/,
          credentials: { ...swift.owner, secret_access_key: 'wrong' },
        },
        {
          name: 'an unknown key',
          kind: 'auth',
          says: /403 SignatureDoesNotMatch/,
          credentials: { ...swift.owner, access_key_id: 'acme:eve' },
        },
        {
          name: 'a user without rights',
          kind: 'config',
          says: /the bucket 'shelf' cannot be listed: .*403: Access Denied/,
          credentials: swift.stranger,
        },
        {
          name: 'a user without rights, for all buckets',
          kind: 'config',
          says: /403: Access Denied/,
          config: { endpoint },
          credentials: swift.stranger,
        },
        {
          name: 'an unknown bucket',
          kind: 'config',
          says: /'nope' cannot be listed: .*404 NoSuchBucket/,
          config: { endpoint, buckets: ['nope'] },
        },
        {
          name: 'another region',
          kind: 'config',
          says: /the region 'eu-west-9' is wrong; expecting 'us-east-1'/,
          config: { ...config, region: 'eu-west-9' },
        },
      ],
    };
  });

  for (const database of DATABASES)
    describe(`a collection on ${database.name}`, () => {
      let quarry: TestQuarry;
      const bucket = `docs-${database.name}`;
      const collection = 'docs';
      let connection: string;
      /** Maps the keys of all objects to their words. */
      const words = new Map<string, string>();
      const put = async (key: string) => {
        const word = newWord();
        words.set(key, word);
        await client.put(bucket, key, `It speaks of ${word}.`);
      };
      const remove = async (key: string) => {
        words.delete(key);
        await client.remove(bucket, key);
      };
      const move = async (from: string, to: string) => {
        words.set(to, must(words.get(from)));
        words.delete(from);
        await client.move(bucket, from, to);
      };

      before(async () => {
        quarry = await openTestQuarry(await database.open(), {
          env: { QUARRY_ALLOW_LOOPBACK: 'true' },
        });
        await client.makeBucket(bucket);
        for (let i = 0; i < 2 * PAGE; i++) await put(`f/${i % 3}/${i}.txt`);
        await quarry.ok('POST', '/v1/collections', { name: 'Docs', readable_id: collection });
        ({ id: connection } = await quarry.ok('POST', '/v1/source-connections', {
          name: 'Docs',
          short_name: 's3',
          readable_collection_id: collection,
          config: { endpoint: swift.endpoint, buckets: [bucket] },
          authentication: { credentials: swift.owner },
          sync_immediately: false,
        }));
      });
      after(() => quarry.close());

      async function synced() {
        const job = await quarry.sync(connection);
        assert.equal(job.status, 'completed', job.error);
        assert.equal(job.entities_failed, 0);
        return job;
      }

      async function assertHeld(): Promise<void> {
        const query = `source_connection_id=${connection}&limit=1000`;
        const rows: { entity_id: string }[] = await quarry.ok('GET', `/v1/entities?${query}`);
        const ids = rows.map((row) => row.entity_id);
        assert.deepEqual(
          ids.toSorted(),
          [...words.keys()].map((key) => `${bucket}/${key}`).toSorted(),
        );
        for (const [key, word] of words) {
          const [first = ''] = await quarry.find(collection, word, { limit: 1 });
          assert.ok(first.startsWith(`${bucket}/${key}__chunk_`), `'${word}' finds ${first}`);
        }
      }

      it('copies all objects, and asks only for the pages of the listing when nothing has changed', async () => {
        const first = await synced();
        assert.equal(first.entities_inserted, 2 * PAGE);
        await assertHeld();
        const second = await synced();
        const { entities_inserted, entities_updated, entities_deleted, sync_metadata } = second;
        assert.deepEqual([entities_inserted, entities_updated, entities_deleted], [0, 0, 0]);
        assert.equal(sync_metadata.requests, 2);
      });

      it('[JOB-37] follows objects that are changed, moved and deleted', async () => {
        await put('f/0/0.txt');
        await put('new.txt');
        await move('f/1/1.txt', 'moved/1.txt');
        await remove('f/2/2.txt');
        const job = await synced();
        const { entities_inserted, entities_updated, entities_deleted } = job;
        assert.deepEqual([entities_inserted, entities_updated, entities_deleted], [2, 1, 2]);
        await assertHeld();
      });

      if (isLeftToSqlite(database)) return;

      it('reads keys with any characters', async () => {
        const odd = ['Odd.txt', 'odd.txt', '/odd.txt', 'o//d.txt', 'x+y z.txt', 'x y z.txt', ' '];
        const marks = ["q'(1)*!~.txt", 'pct%20.txt', 'e?f#g.txt', 'a&b<c>"d".txt', 'b\\s.txt'];
        const other = ['l\nb\r.txt', 't\t.txt', '\u0001.txt', 'ü ☃ 😀.txt', 'u\u0308.txt'];
        for (const key of [...odd, ...marks, ...other, `${'k'.repeat(1020)}.txt`]) await put(key);
        await client.put(bucket, 'folder/', '');
        const job = await synced();
        assert.equal(job.entities_skipped, 0);
        await assertHeld();
      });

      it('[JOB-37] takes a delete marker in a bucket with versions for a deletion', async () => {
        await client.keepVersions(bucket);
        await put('f/0/3.txt');
        await put('f/0/3.txt');
        await remove('f/0/6.txt');
        await remove('new.txt');
        await synced();
        await assertHeld();
        await put('new.txt');
        await synced();
        await assertHeld();
      });
    });
});
