/** Tests the source S3 through the whole pipeline, with many objects and with objects that are archived. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { must } from '../../util.ts';
import { openTestQuarry, type TestQuarry } from '../app/quarry.ts';
import { DATABASES } from '../databases.ts';
import { isFull } from '../tier.ts';
import { openS3Peer, type S3Peer } from './s3-peer.ts';
import { refused } from './s3-refusal.ts';
import { KEYS } from './s3-signature.ts';
import { type FakeBucket, REGION } from './s3-world.ts';

/** S3 lists so many objects in a page. */
const PAGE = 1000;
const MANY = isFull ? 10 * PAGE : 2 * PAGE;

describe('a bucket in a collection', () => {
  let service: S3Peer;
  let bucket: FakeBucket;
  let quarry: TestQuarry;
  let connection: string;
  before(async () => {
    service = await openS3Peer({ pageSize: PAGE });
    bucket = service.addBucket('docs');
    const database = await must(DATABASES.find(({ name }) => name === 'sqlite')).open();
    quarry = await openTestQuarry(database);
    await quarry.ok('POST', '/v1/collections', { name: 'Docs', readable_id: 'docs' });
    ({ id: connection } = await quarry.ok('POST', '/v1/source-connections', {
      name: 'Docs',
      short_name: 's3',
      readable_collection_id: 'docs',
      config: { endpoint: service.peer.baseUrl, region: REGION },
      authentication: { credentials: KEYS },
      sync_immediately: false,
    }));
  });
  after(async () => {
    await quarry.close();
    await service.peer.close();
  });

  async function synced() {
    const from = service.peer.requests.length;
    const job = await quarry.sync(connection);
    assert.equal(job.status, 'completed', job.error);
    const { entities_inserted, entities_updated, entities_deleted } = job;
    const requests = service.peer.requests.slice(from).map(({ url }) => url.pathname);
    return { requests, written: [entities_inserted, entities_updated, entities_deleted] };
  }

  it('keeps an object that is archived later, and deletes it when it changes there', async () => {
    service.put(bucket, 'cold.txt', 'It speaks of marigolds.');
    service.put(bucket, 'warm.txt', 'It speaks of tulips.');
    assert.deepEqual((await synced()).written, [2, 0, 0]);
    service.put(bucket, 'cold.txt', 'It speaks of marigolds.', { storageClass: 'GLACIER' });
    const { written, requests } = await synced();
    assert.deepEqual(
      [written, requests],
      [
        [0, 0, 0],
        ['/', '/docs'],
      ],
    );
    assert.deepEqual(await quarry.find('docs', 'marigolds', { limit: 1 }), [
      'docs/cold.txt__chunk_0',
    ]);
    service.put(bucket, 'cold.txt', 'It speaks of roses.', { storageClass: 'GLACIER' });
    assert.deepEqual((await synced()).written, [0, 0, 1]);
  });

  it('does not find the old text of an object that is listed and refused, until it may be read again', async () => {
    const find = (word: string) =>
      quarry.find('docs', word, { limit: 1, retrieval_strategy: 'keyword' });
    service.put(bucket, 'closed.txt', 'It speaks of lilies.');
    await synced();
    service.put(bucket, 'closed.txt', 'It speaks of orchids.');
    service.peer.fault = ({ url }) =>
      url.pathname === '/docs/closed.txt' ? refused(403, 'AccessDenied') : undefined;
    assert.deepEqual((await synced()).written, [0, 0, 1]);
    assert.deepEqual(await find('lilies'), []);
    service.peer.fault = () => undefined;
    assert.deepEqual((await synced()).written, [1, 0, 0]);
    assert.deepEqual(await find('orchids'), ['docs/closed.txt__chunk_0']);
  });

  it(`asks only for the pages of the listing when ${MANY} objects have not changed`, async () => {
    bucket.objects.clear();
    for (let i = 0; i < MANY; i++) service.put(bucket, `f/${i}.txt`, `Number ${i}`);
    const first = await synced();
    assert.equal(first.written[0], MANY);
    const pages = Array.from({ length: MANY / PAGE }, () => '/docs');
    assert.deepEqual(
      first.requests.filter((path) => path === '/docs'),
      pages,
    );
    const second = await synced();
    assert.deepEqual(
      [second.written, second.requests],
      [
        [0, 0, 0],
        ['/', ...pages],
      ],
    );
    service.put(bucket, 'f/7.txt', 'Number seven');
    const third = await synced();
    assert.deepEqual(
      [third.written, third.requests.toSorted()],
      [
        [0, 1, 0],
        ['/', ...pages, '/docs/f/7.txt'],
      ],
    );
  });
});
