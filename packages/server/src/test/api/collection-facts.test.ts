/**
 * Tests the status of a collection, which depends on its connections, and what its deletion does to the connections.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { enqueue } from '../../jobs/queue.ts';
import { must, newId } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { openTestApi, type TestApi } from './harness.ts';
import { insertConnection, insertEntity, insertSyncJob } from './rows.ts';

type Collection = { id: string; organization_id: string; readable_id: string };

for (const database of DATABASES) {
  describe(`collections and their connections on ${database.name}`, () => {
    let api: TestApi;
    before(async () => {
      api = await openTestApi(await database.open());
    });
    after(() => api.close());

    async function create(): Promise<Collection> {
      const { body } = await api.call('POST', '/v1/collections', { body: { name: 'Some name' } });
      return body;
    }

    async function status({ readable_id }: Collection): Promise<string> {
      const one = await api.call('GET', `/v1/collections/${readable_id}`);
      const list = await api.call('GET', `/v1/collections?search=${readable_id}`);
      assert.equal(list.body[0].status, one.body.status);
      return one.body.status;
    }

    async function connect(collection: Collection, ...jobs: Parameters<typeof insertSyncJob>[2][]) {
      const id = await insertConnection(api.db, collection);
      const connection = { id, organization_id: collection.organization_id };
      for (const [at, job] of jobs.entries())
        await insertSyncJob(api.db, connection, job, { created_at: 1_700_000_000_000 + at });
      return id;
    }

    const markSynced = ({ id }: Collection) =>
      api.db.updateTable('collections').set({ synced_at: 1 }).where('id', '=', id).execute();

    it('[COL-20] [COL-21] a collection is NEEDS_SOURCE until a sync has completed', async () => {
      const collection = await create();
      assert.equal(await status(collection), 'NEEDS_SOURCE');
      await connect(collection, 'RUNNING');
      assert.equal(await status(collection), 'NEEDS_SOURCE');
      await markSynced(collection);
      assert.equal(await status(collection), 'ACTIVE');
    });

    it('[COL-22] a federated connection makes its collection ACTIVE once the connection is authenticated', async () => {
      const collection = await create();
      const id = await insertConnection(api.db, collection, {
        short_name: 'github_code',
        authenticated_at: null,
      });
      assert.equal(await status(collection), 'NEEDS_SOURCE');
      const connection = api.db.updateTable('connections').where('id', '=', id);
      await connection.set({ authenticated_at: 1 }).execute();
      assert.equal(await status(collection), 'ACTIVE');
    });

    it('a federated connection does not take from a collection the time as of which it is true', async () => {
      const collection = await create();
      const timeOf = async () =>
        (await api.call('GET', `/v1/collections/${collection.readable_id}`)).body.true_as_of;
      await insertConnection(api.db, collection, { short_name: 'github_code' });
      assert.equal(await timeOf(), null);
      await insertConnection(api.db, collection, { true_as_of: 2000 });
      await insertConnection(api.db, collection, { short_name: 'web', true_as_of: 1000 });
      assert.equal(await timeOf(), '1970-01-01T00:00:01.000Z');
      await insertConnection(api.db, collection, { short_name: 'web' });
      assert.equal(await timeOf(), null, 'this connection was never synced');
    });

    it('[COL-32] a collection is in ERROR when the newest job of each of its connections failed', async () => {
      const collection = await create();
      await connect(collection, 'COMPLETED', 'FAILED');
      assert.equal(await status(collection), 'ERROR');
      const second = await connect(collection);
      assert.equal(await status(collection), 'NEEDS_SOURCE', 'the second connection has no job');
      await insertSyncJob(api.db, { ...collection, id: second }, 'FAILED', { created_at: 1000 });
      assert.equal(await status(collection), 'ERROR');
      await insertSyncJob(api.db, { ...collection, id: second }, 'COMPLETED', { created_at: 1001 });
      assert.equal(await status(collection), 'NEEDS_SOURCE');
    });

    it('[COL-32] of two jobs with the same time, the job with the greater id is the newest', async () => {
      const collection = await create();
      const connection = { ...collection, id: await connect(collection) };
      const ids = [newId(), newId()].toSorted();
      await insertSyncJob(api.db, connection, 'FAILED', { id: must(ids[1]), created_at: 5 });
      await insertSyncJob(api.db, connection, 'COMPLETED', { id: must(ids[0]), created_at: 5 });
      assert.equal(await status(collection), 'ERROR');
    });

    it('[COL-32] ERROR wins over ACTIVE, and deleted connections do not count', async () => {
      const collection = await create();
      await markSynced(collection);
      const failing = await connect(collection, 'FAILED');
      assert.equal(await status(collection), 'ERROR');
      await api.db
        .updateTable('connections')
        .set({ deleted_at: 1 })
        .where('id', '=', failing)
        .execute();
      assert.equal(await status(collection), 'ACTIVE');
    });

    it('[COL-24] a collection stays ACTIVE when all its connections are deleted', async () => {
      const collection = await create();
      const id = await connect(collection, 'COMPLETED');
      await markSynced(collection);
      const deleted = await api.call('DELETE', `/v1/source-connections/${id}`);
      assert.equal(deleted.status, 200);
      assert.equal(await status(collection), 'ACTIVE');
    });

    it('each collection in a list has its own status', async () => {
      const [failing, active, fresh] = [await create(), await create(), await create()];
      await connect(failing, 'FAILED');
      await markSynced(active);
      const { body } = await api.call('GET', '/v1/collections');
      const seen = new Map(body.map((one: { id: string; status: string }) => [one.id, one.status]));
      assert.deepEqual(
        [fresh, active, failing].map(({ id }) => seen.get(id)),
        ['NEEDS_SOURCE', 'ACTIVE', 'ERROR'],
      );
    });

    it('[COL-16] [COL-18] [COL-19] the deletion of a collection deletes its connections and records, and cancels its jobs', async () => {
      const collection = await create();
      const other = await create();
      const pending = await connect(collection, 'COMPLETED', 'PENDING');
      const running = await connect(collection, 'RUNNING');
      const bystander = await connect(other, 'PENDING');
      const owner = { collection_id: collection.id, organization_id: collection.organization_id };
      const entity = await insertEntity(api.db, { ...owner, connection_id: running });
      await api.db.transaction().execute(async (tx) => {
        for (const id of [pending, running, bystander])
          await enqueue(tx, 'sync.run', { data: { jobId: id }, lane: id });
        await tx
          .updateTable('jobs')
          .set({ lease_token: 'held' })
          .where('lane', '=', running)
          .execute();
        await tx
          .updateTable('connections')
          .set({ next_run_at: 1 })
          .where('id', 'in', [pending, bystander])
          .execute();
      });

      const before = await api.call('GET', `/v1/collections/${collection.readable_id}`);
      const { status, body } = await api.call(
        'DELETE',
        `/v1/collections/${collection.readable_id}`,
      );
      assert.deepEqual([status, body], [200, before.body]);

      for (const id of [pending, running])
        assert.equal((await api.call('GET', `/v1/source-connections/${id}`)).status, 404);
      assert.equal((await api.call('GET', `/v1/source-connections/${bystander}`)).status, 200);
      assert.equal((await api.call('GET', `/v1/entities/${entity}`)).status, 404);
      const jobsOf = async (id: string) => {
        const jobs = await api.db
          .selectFrom('sync_jobs')
          .selectAll()
          .where('connection_id', '=', id)
          .orderBy('created_at')
          .execute();
        return jobs.map((job) => [job.status, job.completed_at !== null, job.modified_by_email]);
      };
      assert.deepEqual(await jobsOf(pending), [
        ['COMPLETED', false, null],
        ['CANCELLED', true, 'owner@localhost'],
      ]);
      assert.deepEqual(await jobsOf(running), [['CANCELLED', true, 'owner@localhost']]);
      assert.deepEqual(await jobsOf(bystander), [['PENDING', false, null]]);
      const queued = await api.db
        .selectFrom('jobs')
        .select(['name', 'lane'])
        .where('lane', 'in', [pending, running, bystander, collection.id])
        .execute();
      assert.deepEqual(
        new Map(queued.map(({ lane, name }) => [lane, name])),
        new Map([
          // These entries end at once, because their sync jobs have ended or will end now.
          [pending, 'sync.run'],
          [running, 'sync.run'],
          [bystander, 'sync.run'],
          [collection.id, 'collection.cleanup'],
        ]),
      );
      const scheduled = await api.db
        .selectFrom('connections')
        .select('id')
        .where('next_run_at', 'is not', null)
        .execute();
      assert.deepEqual(
        scheduled.map(({ id }) => id),
        [bystander],
      );
    });
  });
}
