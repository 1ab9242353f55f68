import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { KyselyPlugin, Updateable } from 'kysely';
import type { SyncJobTable } from '../../db/schema.ts';
import { claim, enqueue } from '../../jobs/queue.ts';
import { insertConnection, insertOrganization, insertSyncJob } from '../../test/api/rows.ts';
import { DATABASES, type TestDatabase } from '../../test/databases.ts';
import { until } from '../../test/until.ts';
import { must, newId } from '../../util.ts';
import { follow } from './stream.ts';

/** The database takes writes, so it gives null instead of a reason for a refusal. */
const taken = async () => null;

for (const database of DATABASES) {
  describe(`the event stream of a job on ${database.name}`, () => {
    let test: TestDatabase;
    let connection: { id: string; organization_id: string };
    let stop: AbortController;
    before(async () => {
      test = await database.open();
      connection = { id: '', organization_id: await insertOrganization(test.db) };
    });
    after(() => test.close());
    beforeEach(async () => {
      stop = new AbortController();
      await test.db.deleteFrom('jobs').execute();
      const id = await insertConnection(test.db, { ...connection, id: newId() });
      connection = { ...connection, id };
    });

    const add = async () => {
      const id = await insertSyncJob(test.db, connection, 'PENDING');
      await test.db
        .transaction()
        .execute((tx) => enqueue(tx, 'sync.run', { data: { jobId: id }, lane: connection.id }));
      return id;
    };
    const change = (id: string, values: Updateable<SyncJobTable>) =>
      test.db
        .updateTable('sync_jobs')
        .set(values as object)
        .where('id', '=', id)
        .execute();
    const next = async (events: ReturnType<typeof follow>) => (await events.next()).value as any;
    /** Reads what the job waits for in the first event of the stream. */
    async function waitsFor(id: string): Promise<string | null> {
      const { waits_for } = await next(
        follow(test.db, id, { ctx: {}, signal: stop.signal, whyRefused: taken }),
      );
      return waits_for?.reason ?? null;
    }

    it('[JOB-40] sends nothing while nothing changes', async () => {
      let looks = 0;
      const counting: KyselyPlugin = {
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          looks++;
          return result;
        },
      };
      const id = await add();
      const events = follow(test.db.withPlugin(counting), id, {
        ctx: {},
        signal: stop.signal,
        whyRefused: taken,
      });
      assert.equal((await next(events)).requests, 0);
      const second = next(events);
      await until(async () => (looks >= 3 ? true : undefined));
      await change(id, { requests: 7 });
      assert.equal((await second).requests, 7);
    });

    it('[JOB-40] says whether the job waits for a worker or for another job', async () => {
      await test.db
        .transaction()
        .execute((tx) =>
          enqueue(tx, 'sync.run', { data: { jobId: newId() }, lane: 'another connection' }),
        );
      await claim(test.db, test.kind);
      const first = await add();
      const second = await add();
      assert.deepEqual([await waitsFor(first), await waitsFor(second)], ['a worker', 'a worker']);
      const claimed = must(await claim(test.db, test.kind));
      await change(first, { status: 'RUNNING' });
      assert.deepEqual(
        [await waitsFor(first), await waitsFor(second)],
        [null, 'the job before it'],
      );
      await test.db
        .updateTable('jobs')
        .set({ lease_until: 1 })
        .where('id', '=', claimed.id)
        .execute();
      assert.deepEqual(
        [await waitsFor(first), await waitsFor(second)],
        ['its worker', 'the job before it'],
      );
    });

    it('[JOB-40] says that the job waits for a job in its lane that is not a sync', async () => {
      const data = { connectionId: connection.id, collectionId: newId() };
      await test.db
        .transaction()
        .execute((tx) => enqueue(tx, 'connection.cleanup', { data, lane: connection.id }));
      const id = await add();
      await claim(test.db, test.kind);
      assert.equal(await waitsFor(id), 'the job before it');
    });

    it('[ENT-25] names records that hold secrets only to admins and keys', async () => {
      const id = await add();
      await change(id, {
        status: 'COMPLETED',
        secrets_found: 1,
        secret_examples: JSON.stringify(['hr/salaries']),
      });
      const examplesFor = async (ctx: { person?: string }) => {
        const { job } = await next(
          follow(test.db, id, { ctx, signal: stop.signal, whyRefused: taken }),
        );
        return job.warnings.map((warning: { examples: string[] }) => warning.examples);
      };
      assert.deepEqual(await examplesFor({}), [['hr/salaries']]);
      assert.deepEqual(await examplesFor({ person: 'user:ann@example.com' }), [[]]);
    });

    it('[JOB-40] ends when the job is deleted', async () => {
      const id = await add();
      const events = follow(test.db, id, { ctx: {}, signal: stop.signal, whyRefused: taken });
      await events.next();
      await test.db.deleteFrom('sync_jobs').where('id', '=', id).execute();
      await assert.rejects(events.next(), { code: 'not_found' });
    });

    it('[JOB-40] ends when its signal aborts', async () => {
      const events = follow(test.db, await add(), {
        ctx: {},
        signal: stop.signal,
        whyRefused: taken,
      });
      await events.next();
      const pending = events.next();
      stop.abort();
      await assert.rejects(pending, { name: 'AbortError' });
    });
  });
}
