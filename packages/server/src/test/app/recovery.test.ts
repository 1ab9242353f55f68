/** Tests what happens to a running job when it is cancelled, the process drains, or the database fails. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Source } from '../../sources/define.ts';
import { checkpoint, listed, skip } from '../../sources/items.ts';
import { insertSyncJob } from '../api/rows.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { until } from '../until.ts';
import { diskFull } from './disk-full.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';
import { page, testWorld, type World } from './source.ts';

for (const database of DATABASES) {
  describe(`recovery on ${database.name}`, () => {
    let test: TestDatabase;
    let quarry: TestQuarry;
    let world: World;
    let connection: string;
    let waitingConnection: string;
    let made = 0;
    /** This is aborted when the waiting source receives the signal to stop. */
    let sourceStop: AbortController;
    /** This is resolved when the waiting source begins to wait. */
    let waitBegins: PromiseWithResolvers<void>;

    const full = diskFull(database.name);

    before(async () => {
      test = await database.open();
      const { source, world: made } = testWorld();
      world = made;
      const waiting: Source = {
        ...source,
        shortName: 'waiting',
        async *pull({ signal }) {
          yield page('a');
          yield checkpoint(1);
          await new Promise<never>((_, reject) => {
            waitBegins.resolve();
            signal.addEventListener('abort', () => {
              sourceStop.abort();
              reject(signal.reason);
            });
          });
        },
      };
      quarry = await openTestQuarry(
        { ...test, db: test.db.withPlugin(full.plugin), close: async () => {} },
        {
          sources: new Map([
            ['world', source],
            ['waiting', waiting],
          ]),
        },
      );
    });
    after(async () => {
      await test.close();
    });
    beforeEach(async () => {
      sourceStop = new AbortController();
      waitBegins = Promise.withResolvers();
      Object.assign(world, { items: [], members: [], pulls: [], password: 'right' });
      const collection = `recovery-${made++}`;
      await quarry.ok('POST', '/v1/collections', { name: 'Recovery', readable_id: collection });
      const connect = async (short_name: string) =>
        (
          await quarry.ok('POST', '/v1/source-connections', {
            name: 'The world',
            short_name,
            readable_collection_id: collection,
            authentication: { credentials: { password: 'right' } },
            sync_immediately: false,
            schedule: { cron: null },
          })
        ).id;
      connection = await connect('world');
      waitingConnection = await connect('waiting');
    });

    const jobRow = (id: string) =>
      test.db.selectFrom('sync_jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const queued = (lane: string) =>
      test.db.selectFrom('jobs').selectAll().where('lane', '=', lane).execute();

    it('[JOB-14] [JOB-17] a cancel reaches a source that is waiting', async () => {
      const { id } = await quarry.ok('POST', `/v1/source-connections/${waitingConnection}/run`);
      await waitBegins.promise;
      assert.equal(sourceStop.signal.aborted, false);
      await quarry.ok('POST', `/v1/source-connections/${waitingConnection}/jobs/${id}/cancel`);
      const job = await quarry.settled(waitingConnection);
      assert.deepEqual(
        [job.status, job.error, sourceStop.signal.aborted],
        ['cancelled', null, true],
      );
    });

    it('[JOB-17] a job ends as cancelled even when its source fails after the cancel', async () => {
      world.items = [
        async () => {
          await test.db
            .updateTable('sync_jobs')
            .set({ status: 'CANCELLING' })
            .where('connection_id', '=', connection)
            .execute();
          throw new SourceError('transient', 'the world went away');
        },
      ];
      const job = await quarry.sync(connection);
      assert.deepEqual([job.status, job.error], ['cancelled', null]);
    });

    it('[JOB-15] a job that was cancelled while no worker had it ends without a pull', async () => {
      const { organization_id } = await quarry.ok('GET', `/v1/source-connections/${connection}`);
      const id = await insertSyncJob(test.db, { id: connection, organization_id }, 'CANCELLING');
      await test.db
        .transaction()
        .execute((tx) => enqueue(tx, 'sync.run', { data: { jobId: id }, lane: connection }));
      const job = await quarry.settled(connection);
      assert.deepEqual([job.id, job.status, world.pulls], [id, 'cancelled', []]);
      await until(async () => ((await queued(connection)).length === 0 ? true : undefined));
    });

    it('[JOB-23] [JOB-43] a sync goes on when the database can be used again, and counts nothing twice', async () => {
      let first = true;
      world.items = [
        page('a'),
        page('b'),
        skip('c', 'Page', { reason: 'too large' }),
        checkpoint(1),
        () => {
          if (first) full.tables.add('entities');
        },
        page('d'),
        listed(''),
      ];
      const { id } = await quarry.ok('POST', `/v1/source-connections/${connection}/run`);
      const [row] = await until(async () => {
        const rows = await queued(connection);
        return rows[0]?.attempts === 1 && rows[0].lease_token === null ? rows : undefined;
      });
      const between = await jobRow(id);
      assert.ok(row && row.run_at > between.created_at);
      assert.deepEqual(
        [between.status, between.error, between.entities_inserted, between.entities_skipped],
        ['RUNNING', null, 2, 1],
      );
      first = false;
      full.tables.clear();
      const job = await quarry.settled(connection, { hurry: true });
      assert.deepEqual(
        [
          job.status,
          job.entities_inserted,
          job.entities_kept,
          job.entities_skipped,
          job.entities_deleted,
          job.entities_encountered,
        ],
        ['completed', 3, 0, 1, 0, { Page: 4 }],
      );
      const { attempt, chunks_written, requests } = job.sync_metadata;
      assert.deepEqual([attempt, chunks_written, requests], [2, 3, 2]);
    });

    it('[JOB-15] [JOB-20] an error that is not a SourceError ends the job, even when it looks like a broken connection', async () => {
      world.items = [
        page('a'),
        () => {
          throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
        },
      ];
      const job = await quarry.sync(connection);
      assert.deepEqual([job.status, job.error_details?.code], ['failed', undefined]);
      const [shown] = await quarry.ok('GET', `/v1/source-connections/${connection}/jobs`);
      assert.deepEqual([shown.status, shown.error_details.code], ['FAILED', 'internal']);
    });

    it('[CON-33] a sync with credentials that another key has sealed fails with an error that says so', async () => {
      await test.db
        .updateTable('connections')
        .set({ credentials_key: 'another' })
        .where('id', '=', connection)
        .execute();
      const job = await quarry.sync(connection);
      assert.deepEqual(
        [job.status, job.error],
        ['failed', 'the credentials were sealed with another encryption key'],
      );
    });

    it('[GEN-33] [JOB-23] a process that drains leaves its job to the next worker', async () => {
      const { id } = await quarry.ok('POST', `/v1/source-connections/${waitingConnection}/run`);
      await waitBegins.promise;
      await quarry.close();
      assert.equal(sourceStop.signal.aborted, true);
      const row = await jobRow(id);
      assert.deepEqual([row.status, row.completed_at, row.entities_inserted], ['RUNNING', null, 1]);
      const [job] = await queued(waitingConnection);
      assert.deepEqual([job?.lease_token, job?.lease_until, job?.run_at], [null, null, 0]);
    });
  });
}
