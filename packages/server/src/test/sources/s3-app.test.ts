/** Tests the source S3 through the whole pipeline, with many objects and with objects that are archived. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { must } from '../../util.ts';
import { openTestQuarry, type TestQuarry } from '../app/quarry.ts';
import { DATABASES } from '../databases.ts';
import { isFull } from '../tier.ts';
import { type FakeBucket, KEYS, openS3Company, REGION, type S3Company } from './s3-company.ts';

/** S3 lists so many objects in a page. */
const PAGE = 1000;
const MANY = isFull ? 10 * PAGE : 2 * PAGE;

describe('a bucket in a collection', () => {
  let company: S3Company;
  let bucket: FakeBucket;
  let quarry: TestQuarry;
  let connection: string;
  before(async () => {
    company = await openS3Company({ pageSize: PAGE });
    bucket = company.addBucket('docs');
    const database = await must(DATABASES.find(({ name }) => name === 'sqlite')).open();
    quarry = await openTestQuarry(database);
    await quarry.ok('POST', '/v1/collections', { name: 'Docs', readable_id: 'docs' });
    ({ id: connection } = await quarry.ok('POST', '/v1/source-connections', {
      name: 'Docs',
      short_name: 's3',
      readable_collection_id: 'docs',
      config: { endpoint: company.peer.baseUrl, region: REGION },
      authentication: { credentials: KEYS },
      sync_immediately: false,
    }));
  });
  after(async () => {
    await quarry.close();
    await company.peer.close();
  });

  async function synced() {
    const from = company.peer.requests.length;
    const job = await quarry.sync(connection);
    assert.equal(job.status, 'completed', job.error);
    const { entities_inserted, entities_updated, entities_deleted } = job;
    const requests = company.peer.requests.slice(from).map(({ url }) => url.pathname);
    return { requests, written: [entities_inserted, entities_updated, entities_deleted] };
  }

  it('keeps an object that is archived later, and deletes it when it changes there', async () => {
    company.put(bucket, 'cold.txt', 'It speaks of marigolds.');
    company.put(bucket, 'warm.txt', 'It speaks of tulips.');
    assert.deepEqual((await synced()).written, [2, 0, 0]);
    company.put(bucket, 'cold.txt', 'It speaks of marigolds.', { storageClass: 'GLACIER' });
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
    company.put(bucket, 'cold.txt', 'It speaks of roses.', { storageClass: 'GLACIER' });
    assert.deepEqual((await synced()).written, [0, 0, 1]);
  });

  it(`asks only for the pages of the listing when ${MANY} objects have not changed`, async () => {
    bucket.objects.clear();
    for (let i = 0; i < MANY; i++) company.put(bucket, `f/${i}.txt`, `Number ${i}`);
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
    company.put(bucket, 'f/7.txt', 'Number seven');
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
