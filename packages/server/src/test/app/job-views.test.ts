/** Tests how the connection and the organization show a job in each of its states. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { DATABASES } from '../databases.ts';
import { isSmokeEnough } from '../tier.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';
import { page, testWorld, type World, whole } from './source.ts';

/**
 * Every view of a job has these fields under the same names. The status is not among them, because its words differ.
 */
const SHARED = [
  'id',
  'started_at',
  'completed_at',
  'entities_inserted',
  'entities_updated',
  'entities_deleted',
  'entities_failed',
  'error',
] as const;

for (const database of DATABASES) {
  describe(`views of a job on ${database.name}`, () => {
    let quarry: TestQuarry;
    let world: World;
    let connection: string;
    /** Lets a pull that a test holds go on, also when the test has failed. */
    let release = () => {};
    let made = 0;

    before(async () => {
      const test = testWorld();
      world = test.world;
      const sources = new Map([['world', test.source]]);
      quarry = await openTestQuarry(await database.open(), { sources });
    });
    after(() => quarry.close());
    afterEach(() => release());
    beforeEach(async () => {
      Object.assign(world, { items: whole(page('a')), password: 'right' });
      const collection = `views-${made++}`;
      await quarry.ok('POST', '/v1/collections', { name: 'Views', readable_id: collection });
      ({ id: connection } = await quarry.ok('POST', '/v1/source-connections', {
        name: 'The world',
        short_name: 'world',
        readable_collection_id: collection,
        authentication: { credentials: { password: 'right' } },
        schedule: { cron: null },
        sync_immediately: false,
      }));
    });

    const run = () => quarry.ok('POST', `/v1/source-connections/${connection}/run`);

    /**
     * Reads a job from every view of it. Returns its status as the connection shows it, and as the organization shows
     * it.
     */
    async function words(job: string): Promise<[string, string]> {
      const { sync } = await quarry.ok('GET', `/v1/source-connections/${connection}`);
      const mine = find(await quarry.ok('GET', `/v1/source-connections/${connection}/jobs`), job);
      const detail: Job = await quarry.ok('GET', `/v1/sync/jobs/${job}`);
      const listed = find(await quarry.ok('GET', '/v1/sync/jobs?limit=100'), job);
      const shared = (one: Job) => SHARED.map((field) => [field, one[field]]);
      for (const other of [sync.last_job, listed, detail])
        assert.deepEqual(shared(other), shared(mine));
      assert.deepEqual([sync.last_job.status, listed.status], [mine.status, detail.status]);
      assert.deepEqual(detail.warnings, mine.warnings);
      const { sync: inList } = find(await quarry.ok('GET', '/v1/source-connections'), connection);
      for (const { last_job } of [sync, inList])
        assert.deepEqual(last_job.error_details, mine.error_details);
      assert.equal(detail.source_connection_id, connection);
      assert.equal(listed.readable_collection_id, detail.readable_collection_id);
      assert.equal(detail.failed_at, mine.status === 'FAILED' ? mine.completed_at : null);
      return [mine.status, detail.status];
    }

    /** Stops the next pull before its first record, and resolves when the pull has reached that place. */
    function hold(): Promise<void> {
      const reached = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      release = released.resolve;
      world.items = [
        () => {
          reached.resolve();
          return released.promise;
        },
        ...whole(page('a')),
      ];
      return reached.promise;
    }

    it('[JOB-08] the organization shows RUNNING as in_progress, and COMPLETED as completed', async () => {
      const reached = hold();
      const { id } = await run();
      await reached;
      assert.deepEqual(await words(id), ['RUNNING', 'in_progress']);
      release();
      await quarry.settled(connection);
      assert.deepEqual(await words(id), ['COMPLETED', 'completed']);
    });

    if (isSmokeEnough(database)) return;

    it('[JOB-08] the organization shows CANCELLING as cancelling, and CANCELLED as cancelled', async () => {
      const reached = hold();
      const { id } = await run();
      await reached;
      const path = `/v1/source-connections/${connection}/jobs/${id}/cancel`;
      assert.equal((await quarry.ok('POST', path)).status, 'CANCELLING');
      assert.deepEqual(await words(id), ['CANCELLING', 'cancelling']);
      release();
      await quarry.settled(connection);
      assert.deepEqual(await words(id), ['CANCELLED', 'cancelled']);
    });

    it('[JOB-08] the organization shows FAILED as failed, with the same error', async () => {
      world.password = 'another';
      const { id } = await run();
      const { error } = await quarry.settled(connection);
      assert.match(error, /wrong password/);
      assert.deepEqual(await words(id), ['FAILED', 'failed']);
    });

    it('the organization lists the jobs of one collection', async () => {
      await run();
      await quarry.settled(connection);
      const [{ readable_collection_id: own }] = await quarry.ok('GET', '/v1/sync/jobs?limit=1');
      const of = (query: string) => quarry.call('GET', `/v1/sync/jobs?collection=${query}`);
      const { body, headers } = await of(own);
      assert.deepEqual(
        body.map((job: Job) => job.source_connection_id),
        [connection],
      );
      assert.equal(headers['x-total-count'], '1');
      assert.deepEqual((await of(`${own}&status=failed`)).body, []);
      await quarry.ok('POST', '/v1/collections', { name: 'Empty', readable_id: `${own}-empty` });
      assert.deepEqual((await of(`${own}-empty`)).body, []);
      assert.equal((await of('nowhere')).status, 404);
    });
  });
}

type Job = Record<string, any>;

function find(jobs: readonly Job[], id: string): Job {
  const job = jobs.find((one) => one.id === id);
  assert.ok(job, `${id} is not shown`);
  return job;
}
