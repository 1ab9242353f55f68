/** Tests that a reindex makes words and vectors again while searches go on, and goes on when its worker dies. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { MaintenanceRun } from '../../doctor/schema.ts';
import { must } from '../../util.ts';
import { stealLane } from '../claimed-job.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { isSmokeEnough } from '../tier.ts';
import { until } from '../until.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';
import { page, testWorld, type World, whole } from './source.ts';

const PAGES = 450;
const KEYWORD = { retrieval_strategy: 'keyword' };

for (const database of DATABASES) {
  describe(`reindex on ${database.name}`, () => {
    let test: TestDatabase;
    let quarry: TestQuarry;
    let world: World;
    let connection: string;

    before(async () => {
      test = await database.open();
      const { source, world: made } = testWorld();
      world = made;
      quarry = await openTestQuarry(test, { sources: new Map([['world', source]]) });
      await quarry.ok('POST', '/v1/collections', { name: 'Renewed', readable_id: 'renewed' });
      connection = (
        await quarry.ok('POST', '/v1/source-connections', {
          name: 'The world',
          short_name: 'world',
          readable_collection_id: 'renewed',
          authentication: { credentials: { password: 'right' } },
          sync_immediately: false,
          schedule: { cron: null },
        })
      ).id;
      world.items = whole(
        ...Array.from({ length: PAGES }, (_, i) =>
          page(`p${i}`, { createdAt: new Date(i * 1000), text: `common u${i}` }),
        ),
      );
      await quarry.sync(connection);
    });
    after(() => quarry.close());

    const start = (): Promise<MaintenanceRun> =>
      quarry.ok('POST', '/v1/collections/renewed/reindex');
    const look = (id: string): Promise<MaintenanceRun> =>
      quarry.ok('GET', `/v1/collections/renewed/maintenance/${id}`);
    const ended = (id: string) =>
      until(async () => {
        const run = await look(id);
        return ['COMPLETED', 'FAILED'].includes(run.status) ? run : undefined;
      });
    const entities = async () =>
      (
        await test.db
          .selectFrom('entities')
          .selectAll()
          .where('connection_id', '=', connection)
          .orderBy('id')
          .execute()
      ).map((row) => ({ ...row }));
    const chunks = () =>
      test.db
        .selectFrom('chunks as c')
        .innerJoin('chunk_bodies as b', 'b.n', 'c.n')
        .selectAll()
        .where('c.connection_id', '=', connection)
        .orderBy('c.entity')
        .execute();
    const jobs = () => test.db.selectFrom('sync_jobs').selectAll().orderBy('id').execute();
    const healthy = async () =>
      assert.deepEqual(
        (await quarry.ok('POST', '/v1/collections/renewed/doctor', {})).problems,
        [],
      );

    it('a reindex writes every chunk again and changes nothing else', async () => {
      const old = {
        extract_version: 'extract-0',
        chunk_version: 'split-0 terms-0 an-older-model',
      };
      await test.db.updateTable('entities').set(old).execute();
      await test.db.updateTable('chunk_bodies').set({ scale: 9 }).execute();
      const before = { entities: await entities(), chunks: await chunks(), jobs: await jobs() };
      const pulls = world.pulls.length;
      const { id, status, entities_total, created_by_email } = await start();
      assert.deepEqual([entities_total, created_by_email], [PAGES, 'owner@localhost']);
      // The worker may have been quicker than the answer.
      assert.ok(['PENDING', 'RUNNING'].includes(status));
      const run = await ended(id);
      assert.deepEqual(
        [run.status, run.entities_done, run.entities_rewritten, run.entities_failed, run.errors],
        ['COMPLETED', PAGES, PAGES, 0, []],
      );
      assert.ok(must(run.started_at) <= must(run.completed_at));

      const now = await entities();
      const [chunk_version] = new Set(now.map((row) => row.chunk_version));
      assert.equal(must(chunk_version), 'split-7 terms-1 title-2 quarry-static-256-v1');
      assert.deepEqual(
        now,
        before.entities.map((row) => ({ ...row, chunk_version })),
      );
      const renewed = await chunks();
      const old_ = new Set(before.chunks.map(({ n }) => n));
      assert.ok(renewed.every(({ n }) => !old_.has(n)));
      assert.deepEqual(
        renewed.map(({ n: _, scale, ...row }) => [row, scale < 1]),
        before.chunks.map(({ n: _, scale: __, ...row }) => [row, true]),
      );
      assert.deepEqual(await jobs(), before.jobs);
      assert.equal(world.pulls.length, pulls, 'the source was not asked');
      await healthy();
    });

    if (isSmokeEnough(database)) return;

    it('searches find every document while a reindex runs', async () => {
      for (let searches = 0; searches < 5; ) {
        const { id } = await start();
        for (let run = await look(id); run.status !== 'COMPLETED'; run = await look(id)) {
          for (const arm of [KEYWORD, { retrieval_strategy: 'neural' }]) {
            const found = await quarry.find('renewed', 'common', arm);
            assert.equal(new Set(found).size, PAGES);
            assert.equal(found.length, PAGES);
          }
          searches++;
        }
      }
      await healthy();
    });

    it('a reindex whose worker died goes on where it stopped, and shows its progress', async () => {
      const { id } = await start();
      const [task] = await until(async () => {
        const tasks = await test.db
          .selectFrom('maintenance_tasks')
          .selectAll()
          .where('run_id', '=', id)
          .where('done', '>', 0)
          .execute();
        return tasks.length > 0 ? tasks : undefined;
      });
      // Another worker takes the job over, as after a kill. The first worker stops at its next commit.
      await stealLane(test.db, connection);
      await until(async () => ((await queued()).length === 0 ? true : undefined));
      const { done, after_id } = await test.db
        .selectFrom('maintenance_tasks')
        .selectAll()
        .where('id', '=', must(task).id)
        .executeTakeFirstOrThrow();
      const stopped = await look(id);
      assert.deepEqual([stopped.status, stopped.entities_done], ['RUNNING', done]);
      assert.ok(done < PAGES && after_id !== null);
      const again = await quarry.call('POST', '/v1/collections/renewed/reindex');
      assert.deepEqual([again.status, again.body.code], [409, 'conflict']);

      const mark = { text_hash: 'marked' };
      const firsts = test.db
        .selectFrom('entities')
        .select('id')
        .where('connection_id', '=', connection)
        .where('entity_id', '<=', must(after_id));
      await test.db.updateTable('chunks').set(mark).where('entity', 'in', firsts).execute();
      await resume(must(task).id);
      const run = await ended(id);
      assert.deepEqual(
        [run.status, run.entities_done, run.entities_rewritten],
        ['COMPLETED', PAGES, PAGES],
      );
      const marked = (await chunks()).filter(({ text_hash }) => text_hash === 'marked');
      assert.equal(marked.length, done, 'nothing was done twice');
      await ended((await start()).id);
      await healthy();
    });

    it('a sync of the same connection may run during a reindex, and the collection is healthy afterwards', async () => {
      const { id } = await start();
      world.items = [...world.items.slice(1), page('q0', { text: 'common u-new' })];
      await quarry.ok('POST', `/v1/source-connections/${connection}/run`);
      const job = await quarry.settled(connection);
      assert.deepEqual([job.status, job.entities_deleted], ['completed', 1]);
      assert.equal((await ended(id)).status, 'COMPLETED');
      assert.equal(new Set(await quarry.find('renewed', 'common', KEYWORD)).size, PAGES);
      await healthy();
    });

    it('the list of runs begins with the newest, and an unknown run answers 404', async () => {
      const runs = await quarry.ok('GET', '/v1/collections/renewed/maintenance?limit=2');
      assert.deepEqual(
        runs.map((run: MaintenanceRun) => [run.kind, run.status]),
        [
          ['reindex', 'COMPLETED'],
          ['reindex', 'COMPLETED'],
        ],
      );
      assert.ok(runs[0].id > runs[1].id);
      const { status } = await quarry.call(
        'GET',
        '/v1/collections/renewed/maintenance/no-such-run',
      );
      assert.equal(status, 404);
    });

    it('a reindex completes at once in an empty collection, ends when its connection is deleted, and is deleted with its collection', async () => {
      await quarry.ok('POST', '/v1/collections', { name: 'Empty', readable_id: 'empty' });
      const run = await quarry.ok('POST', '/v1/collections/empty/reindex');
      assert.deepEqual([run.status, run.entities_total], ['COMPLETED', 0]);

      await start();
      await quarry.ok('DELETE', `/v1/source-connections/${connection}`);
      await until(async () => ((await queued()).length === 0 ? true : undefined));
      const tasks = await test.db.selectFrom('maintenance_tasks').select('status').execute();
      assert.ok(tasks.every(({ status }) => status === 'COMPLETED'));
      await quarry.ok('DELETE', '/v1/collections/renewed');
      await until(async () => {
        const runs = await test.db.selectFrom('maintenance_runs').select('kind').execute();
        return runs.length === 1 ? true : undefined;
      });
    });

    const queued = () => test.db.selectFrom('jobs').selectAll().execute();
    const resume = (taskId: string) =>
      test.db
        .insertInto('jobs')
        .values({
          id: `again-${taskId}`,
          name: 'maintenance.task',
          data: JSON.stringify({ taskId }),
          lane: connection,
          run_at: 0,
          attempts: 0,
        })
        .execute();
  });
}
