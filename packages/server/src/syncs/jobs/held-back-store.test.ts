import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import {
  insertCollection,
  insertConnection,
  insertEntity,
  insertOrganization,
  insertSyncJob,
} from '../../test/api/rows.ts';
import { DATABASES, type TestDatabase } from '../../test/databases.ts';
import { newId } from '../../util.ts';
import { heldBackBy, listHeldBack, newestHeldBack } from './held-back-store.ts';

for (const database of DATABASES) {
  describe(`deletions that a job holds back on ${database.name}`, () => {
    let test: TestDatabase;
    let collection: { id: string; organization_id: string };
    let connection: { id: string; organization_id: string };
    before(async () => {
      test = await database.open();
    });
    after(() => test.close());
    beforeEach(async () => {
      collection = { id: newId(), organization_id: newId() };
      await insertOrganization(test.db, collection.organization_id);
      await insertCollection(test.db, collection);
      connection = { ...collection, id: await insertConnection(test.db, collection) };
    });

    const add = (jobId: string, entities: readonly string[]) =>
      test.db.transaction().execute((tx) => listHeldBack(tx, jobId, entities));
    const ids = (count: number) => Array.from({ length: count }, () => newId());
    const entityIn = (connection_id: string, generation: number, entity_id: string) => {
      const { organization_id, id: collection_id } = collection;
      const owner = { connection_id, collection_id, organization_id };
      return insertEntity(test.db, owner, { generation, entity_id });
    };
    const job = (id: string) =>
      test.db.selectFrom('sync_jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

    it('[JOB-44] are listed up to 1,000, each once', async () => {
      const jobs = [newId(), newId(), newId()];
      const [one, other, third] = jobs as [string, string, string];
      const first = ids(600);
      await add(one, []);
      await add(one, first);
      await add(one, first.slice(0, 10));
      await add(other, first);
      await add(one, ids(600));
      await add(one, ids(1));
      await add(third, ids(1001));
      const counts = await test.db
        .selectFrom('held_back_deletions')
        .select((eb) => ['job_id', eb.fn.countAll<number>().as('count')] as const)
        .groupBy('job_id')
        .execute();
      const countOf = new Map(counts.map(({ job_id, count }) => [job_id, Number(count)]));
      assert.deepEqual(
        jobs.map((id) => countOf.get(id)),
        [1000, 600, 1000],
      );
    });

    it('[JOB-44] are those of its own connection that no later sync has seen', async () => {
      const id = await insertSyncJob(test.db, connection, 'COMPLETED', { generation: 5 });
      const other = await insertConnection(test.db, collection);
      const entities = [
        await entityIn(connection.id, 4, 'b'),
        await entityIn(connection.id, 3, 'a'),
        await entityIn(connection.id, 5, 'seen by the job'),
        await entityIn(other, 4, 'of another connection'),
      ];
      await add(id, [...entities, newId()]);
      await entityIn(connection.id, 4, 'not listed');
      const { total, rows } = await heldBackBy(test.db, await job(id), { skip: 0, limit: 10 });
      assert.deepEqual([total, rows.map(({ entity_id }) => entity_id)], [2, ['a', 'b']]);
      const { total: all, rows: last } = await heldBackBy(test.db, await job(id), {
        skip: 1,
        limit: 10,
      });
      assert.deepEqual([all, last.map(({ entity_id }) => entity_id)], [2, ['b']]);
    });

    it('[JOB-44] wait until a newer full sync has started', async () => {
      const waiting = async () =>
        (await newestHeldBack(test.db, [connection.id])).map((one) => one.deletions_held_back);
      const completed = (changes: { full: boolean; deletions_held_back: number }) =>
        insertSyncJob(test.db, connection, 'COMPLETED', changes);
      assert.deepEqual(await newestHeldBack(test.db, []), []);
      await completed({ full: true, deletions_held_back: 7 });
      await completed({ full: false, deletions_held_back: 0 });
      assert.deepEqual(await waiting(), [7]);
      await completed({ full: false, deletions_held_back: 3 });
      assert.deepEqual(await waiting(), [3]);
      await insertSyncJob(test.db, connection, 'RUNNING', { full: true });
      assert.deepEqual(await waiting(), []);
    });
  });
}
