/** Tests runs of maintenance: one at a time in a collection, and how many are kept. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pino from 'pino';
import { createDoctor } from '../../doctor/service.ts';
import { runTask, type WorkDeps } from '../../doctor/work.ts';
import { createBuiltinEmbedder } from '../../engines/embedder/builtin.ts';
import { SourceError } from '../../errors.ts';
import { enqueue, finish } from '../../jobs/queue.ts';
import { push } from '../../sources/catalog/push.ts';
import { lockConnection } from '../../syncs/jobs/connection-store.ts';
import { must, newId } from '../../util.ts';
import { claimTask, stealJob } from '../claimed-job.ts';
import { DATABASES, somebodyWaits, type TestDatabase } from '../databases.ts';
import { contextOf } from '../identity.ts';
import { isSmokeEnough } from '../tier.ts';
import { until } from '../until.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';
import { testWorld } from './source.ts';

for (const database of DATABASES) {
  describe(`runs of maintenance on ${database.name}`, () => {
    let test: TestDatabase;
    let quarry: TestQuarry;
    before(async () => {
      test = await database.open();
      quarry = await openTestQuarry(test, { sources: new Map([['push', push]]) });
    });
    after(() => quarry.close());

    async function open(readable_id: string) {
      const { id } = await quarry.ok('POST', '/v1/collections', { name: readable_id, readable_id });
      const connection = await quarry.ok('POST', '/v1/source-connections', {
        name: 'What is pushed',
        short_name: 'push',
        readable_collection_id: readable_id,
      });
      return { id, connection: connection.id, url: `/v1/collections/${readable_id}` };
    }
    /** Adds the task of a reindex without putting it into a lane. */
    async function addTask(collection_id: string, connection_id: string): Promise<string> {
      const [run_id, id] = [newId(), newId()];
      const by = { created_at: 0, created_by_email: 'a@b.c' };
      await test.db
        .insertInto('maintenance_runs')
        .values({ id: run_id, collection_id, kind: 'reindex', ...by })
        .execute();
      const nothing = {
        total: 1,
        done: 0,
        rewritten: 0,
        failed: 0,
        suspects: '[]',
        findings: '[]',
      };
      await test.db
        .insertInto('maintenance_tasks')
        .values({ id, run_id, connection_id, kind: 'reindex', status: 'PENDING', ...nothing })
        .execute();
      return id;
    }
    const taskOf = (id: string) =>
      test.db
        .selectFrom('maintenance_tasks')
        .select(['status', 'done', 'error', 'started_at'])
        .where('id', '=', id)
        .executeTakeFirst();
    const ended = (url: string, id: string) =>
      until(async () =>
        (await quarry.ok('GET', `${url}/maintenance/${id}`)).status === 'COMPLETED'
          ? true
          : undefined,
      );

    it('a waiting run refuses another run of its collection, but not of other collections', async () => {
      const [busy, free] = [await open('busy-one'), await open('free-one')];
      // One transaction does both, because the worker must not find the job before it is put off.
      await test.db.transaction().execute(async (tx) => {
        await enqueue(tx, 'sync.push', { data: { jobId: newId() }, lane: busy.connection });
        await tx
          .updateTable('jobs')
          .set({ run_at: Date.now() + 3_600_000 })
          .where('lane', '=', busy.connection)
          .execute();
      });
      const waiting = await quarry.ok('POST', `${busy.url}/reindex`);
      assert.equal(waiting.status, 'PENDING');
      const refused = await quarry.call('POST', `${busy.url}/reindex`);
      assert.equal(refused.status, 409);
      assert.match(refused.body.detail, new RegExp(waiting.id));
      await ended(free.url, (await quarry.ok('POST', `${free.url}/reindex`)).id);
      await test.db.updateTable('jobs').set({ run_at: 0 }).execute();
      await ended(busy.url, waiting.id);
      await ended(busy.url, (await quarry.ok('POST', `${busy.url}/reindex`)).id);
    });

    it('the doctor compares no connection of another collection, and none that is deleted', async () => {
      const [here, there] = [await open('this-one'), await open('that-one')];
      const asked = async (source_connection_id: string) =>
        (await quarry.call('POST', `${here.url}/doctor`, { source_connection_id })).status;
      assert.equal(await asked(here.connection), 422, 'what is pushed lists nothing');
      assert.equal(await asked(there.connection), 404);
      await test.db
        .updateTable('connections')
        .set({ deleted_at: 1 })
        .where('id', '=', here.connection)
        .execute();
      assert.equal(await asked(here.connection), 404);
    });

    if (database.name === 'postgres')
      it('a run enters the lane of a connection behind a push whose transaction has begun', async (t) => {
        if (!test.url) return t.skip('one connection has one transaction at a time');
        const { connection, url } = await open('crowded');
        let run: { id: string } | undefined;
        let reindex: Promise<void> | undefined;
        await test.db.transaction().execute(async (tx) => {
          await lockConnection(tx, connection);
          reindex = quarry.ok('POST', `${url}/reindex`).then((begun) => {
            run = begun;
          });
          await until(async () => (run || (await somebodyWaits(test.db)) ? true : undefined));
          await enqueue(tx, 'sync.push', { data: { jobId: newId() }, lane: connection });
          await tx
            .updateTable('jobs')
            .set({ run_at: Date.now() + 3_600_000 })
            .where('lane', '=', connection)
            .execute();
        });
        await reindex;
        const lane = () =>
          test.db
            .selectFrom('jobs')
            .select('name')
            .where('lane', '=', connection)
            .orderBy('seq')
            .execute();
        assert.deepEqual(
          (await lane()).map(({ name }) => name),
          ['sync.push', 'maintenance.task'],
        );
        await test.db.updateTable('jobs').set({ run_at: 0 }).execute();
        await ended(url, must(run).id);
      });

    if (database.name === 'postgres')
      it('[PSH-09] a task that lets others run enters the lane again behind a push whose transaction has begun', async (t) => {
        if (!test.url) return t.skip('one connection has one transaction at a time');
        const { id, connection } = await open('giving-way');
        const lane = () =>
          test.db.selectFrom('jobs').select('name').where('lane', '=', connection).execute();
        const isFree = async () => ((await lane()).length === 0 ? true : undefined);
        await quarry.ok('POST', `/v1/source-connections/${connection}/entities`, {
          entities: [{ entity_id: 'a', name: 'A', text: 'What is pushed first.' }],
        });
        await until(isFree);
        const taskId = await addTask(id, connection);
        const now = performance.now.bind(performance);
        let late = 0;
        t.mock.method(performance, 'now', () => now() + late);
        let hasEnded = false;
        let pushing = Promise.resolve(false);
        const committed = async () => {
          late = 60_000;
          const held = Promise.withResolvers<void>();
          pushing = test.db.transaction().execute(async (tx) => {
            await lockConnection(tx, connection);
            await enqueue(tx, 'sync.push', { data: { jobId: newId() }, lane: connection });
            held.resolve();
            await until(async () =>
              hasEnded || (await somebodyWaits(test.db)) ? true : undefined,
            );
            return hasEnded;
          });
          await held.promise;
        };
        const deps = {
          db: test.db,
          kind: test.kind,
          index: { write: async () => {} },
          embedder: createBuiltinEmbedder(),
          upkeep: { committed },
        };
        const { signal } = new AbortController();
        const claimed = await claimTask(test.db, test.kind, taskId);
        await runTask(deps as unknown as WorkDeps, claimed, signal).finally(() => {
          hasEnded = true;
        });
        await finish(test.db, claimed);
        assert.equal(await pushing, false, 'the task entered the lane before the push');
        await until(isFree);
      });

    if (isSmokeEnough(database)) return;

    it('a worker that lost its lease before it began does not run the task', async () => {
      const { id, connection } = await open('slept');
      const taskId = await addTask(id, connection);
      const before = await taskOf(taskId);
      const slept = await claimTask(test.db, test.kind, taskId);
      const taken = await stealJob(test.db, slept);
      const { signal } = new AbortController();
      await runTask({ db: test.db, kind: test.kind } as WorkDeps, slept, signal);
      assert.deepEqual(await taskOf(taskId), before);
      await finish(test.db, taken);
    });

    it('a worker that loses its lease during a task neither writes nor ends the task', async () => {
      const { id, connection } = await open('taken-over');
      await quarry.ok('POST', `/v1/source-connections/${connection}/entities`, {
        entities: [{ entity_id: 'a', name: 'A', text: 'What is to be made again.' }],
      });
      await quarry.settled(connection);
      const builtin = createBuiltinEmbedder();
      /** Returns the number of commits, and the state of a task that its worker lost here. */
      async function lost(at: 'before its commit' | 'after its commit', error?: Error) {
        const taskId = await addTask(id, connection);
        const claimed = await claimTask(test.db, test.kind, taskId);
        let taken = claimed;
        const lose = async () => {
          taken = await stealJob(test.db, claimed);
          if (error) throw error;
        };
        let commits = 0;
        const deps = {
          db: test.db,
          kind: test.kind,
          index: { write: async () => commits++ },
          embedder: {
            ...builtin,
            async embed(...args: Parameters<typeof builtin.embed>) {
              if (at === 'before its commit') await lose();
              return builtin.embed(...args);
            },
          },
          upkeep: { committed: lose },
          log: pino({ level: 'silent' }),
        };
        const { signal } = new AbortController();
        await runTask(deps as unknown as WorkDeps, claimed, signal);
        await finish(test.db, taken);
        const task = must(await taskOf(taskId));
        return [commits, task.status, task.done, task.error];
      }
      const broken = new Error('it broke');
      for (const error of [undefined, broken])
        assert.deepEqual(await lost('before its commit', error), [0, 'RUNNING', 0, null]);
      for (const error of [undefined, broken])
        assert.deepEqual(await lost('after its commit', error), [1, 'RUNNING', 1, null]);
    });

    it('a task writes nothing after the deletion of its connection, and later runs can begin', async () => {
      const builtin = createBuiltinEmbedder();
      for (const then of ['it-commits', 'it-breaks', 'it-ends']) {
        const { id, connection, url } = await open(`deleted-before-${then}`);
        await quarry.ok('POST', `/v1/source-connections/${connection}/entities`, {
          entities: [{ entity_id: 'a', name: 'A', text: 'What is to be made again.' }],
        });
        await quarry.settled(connection);
        const taskId = await addTask(id, connection);
        const claimed = await claimTask(test.db, test.kind, taskId);
        const vanish = async () => {
          const connections = test.db.updateTable('connections').where('id', '=', connection);
          await connections.set({ deleted_at: 1 }).execute();
        };
        let commits = 0;
        const deps = {
          db: test.db,
          kind: test.kind,
          index: { write: async () => commits++ },
          embedder: {
            ...builtin,
            async embed(...args: Parameters<typeof builtin.embed>) {
              if (then !== 'it-ends') await vanish();
              if (then === 'it-breaks') throw new Error('it broke');
              return builtin.embed(...args);
            },
          },
          upkeep: { committed: vanish },
          log: pino({ level: 'silent' }),
        };
        const { signal } = new AbortController();
        await runTask(deps as unknown as WorkDeps, claimed, signal);
        await finish(test.db, claimed);
        assert.equal(commits, then === 'it-ends' ? 1 : 0);
        assert.notEqual((await taskOf(taskId))?.status, 'RUNNING', 'nobody goes on with it');
        await quarry.ok('POST', `${url}/reindex`);
      }
    });

    it('an error ends a task with a message, but a drain or a failure of the database does not end it', async () => {
      const { id, connection } = await open('breaking');
      await quarry.ok('POST', `/v1/source-connections/${connection}/entities`, {
        entities: [{ entity_id: 'a', name: 'A', text: 'What is to be made anew.' }],
      });
      await quarry.settled(connection);
      /** Returns the state of a task that this error has broken. */
      async function after(error: Error, draining: AbortController) {
        const taskId = await addTask(id, connection);
        const claimed = await claimTask(test.db, test.kind, taskId);
        const write = async () => {
          if (error.message === 'drained') draining.abort();
          throw error;
        };
        const deps = {
          db: test.db,
          kind: test.kind,
          index: { write },
          embedder: createBuiltinEmbedder(),
          log: pino({ level: 'silent' }),
        };
        const thrown = await runTask(deps as unknown as WorkDeps, claimed, draining.signal).catch(
          (thrown) => thrown,
        );
        await finish(test.db, claimed);
        const task = await test.db
          .selectFrom('maintenance_tasks')
          .select(['status', 'error'])
          .where('id', '=', taskId)
          .executeTakeFirstOrThrow();
        return [thrown, task.status, task.error];
      }
      assert.deepEqual(await after(new Error('the insides'), new AbortController()), [
        undefined,
        'FAILED',
        'it stopped because of an error in Quarry; see its log',
      ]);
      const said = new SourceError('config', 'the embedder refuses its key');
      assert.deepEqual(await after(said, new AbortController()), [
        undefined,
        'FAILED',
        'the embedder refuses its key',
      ]);
      const away = Object.assign(new Error('gone'), { code: 'ECONNRESET' });
      for (const error of [new Error('drained'), away])
        assert.deepEqual(await after(error, new AbortController()), [error, 'RUNNING', null]);
    });

    const ctx = contextOf('the organization of these tests');
    const collectionRow = (id: string) =>
      test.db.selectFrom('collections').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

    it('while a run goes on, a repair and a comparison are refused before the examination', async () => {
      const { id, connection, url } = await open('occupied');
      await addTask(id, connection);
      const { source } = testWorld();
      const service = createDoctor({
        db: test.db,
        collections: { resolve: () => collectionRow(id) },
        sources: new Map([['push', source]]),
        examine: () => assert.fail('it examined'),
        wake: () => {},
      });
      for (const body of [{ repair: true }, { repair: false, source_connection_id: connection }])
        await assert.rejects(service.doctor(ctx, 'occupied', body), { status: 409 });
      assert.deepEqual((await quarry.ok('POST', `${url}/doctor`, {})).problems, []);
    });

    it('repairs all entities when the damaged ones are too many to name, and counts each once', async () => {
      const { id, connection, url } = await open('all-damaged');
      const entities = ['a', 'b', 'c'].map((name) => ({ entity_id: name, name, text: name }));
      await quarry.ok('POST', `/v1/source-connections/${connection}/entities`, { entities });
      await quarry.settled(connection);
      const service = createDoctor({
        db: test.db,
        collections: { resolve: () => collectionRow(id) },
        sources: new Map([['push', push]]),
        examine: async () => ({
          checked: { entities: 3, chunks: 3, words: 3, vectors: 3, in_memory: 3 },
          pending: { connections: 0, entities: 0 },
          problems: [{ kind: 'wrong_words', count: 10_001, examples: [] }],
          suspects: null,
        }),
        wake: () => {},
      });
      const { run } = await service.doctor(ctx, 'all-damaged', { repair: true });
      await ended(url, must(run).id);
      const done = await quarry.ok('GET', `${url}/maintenance/${must(run).id}`);
      assert.deepEqual(
        [done.entities_total, done.entities_done, done.entities_rewritten],
        [3, 3, 3],
      );
    });

    it('begins nothing in a collection that has been deleted meanwhile', async () => {
      const { id, connection } = await open('vanishing');
      const service = createDoctor({
        db: test.db,
        collections: {
          async resolve() {
            const row = await collectionRow(id);
            await quarry.ok('DELETE', '/v1/collections/vanishing');
            return row;
          },
        },
        sources: new Map(),
        examine: () => assert.fail('nobody asked'),
        wake: () => {},
      });
      await assert.rejects(service.reindex(ctx, 'vanishing'), { status: 404 });
      assert.ok(connection);
    });

    it('the newest fifty of a collection are kept, and listed a page at a time', async () => {
      const [many, few] = [await open('many-runs'), await open('few-runs')];
      const older = (of: { id: string }) =>
        test.db
          .insertInto('maintenance_runs')
          .values(
            Array.from({ length: 55 }, (_, i) => ({
              id: newId(),
              collection_id: of.id,
              kind: 'reindex' as const,
              created_at: i,
              created_by_email: 'a@b.c',
            })),
          )
          .execute();
      await older(many);
      await older(few);
      const newest = await quarry.ok('POST', `${many.url}/reindex`);
      const listed = (url: string, skip: number, limit: number) =>
        quarry.call('GET', `${url}/maintenance?skip=${skip}&limit=${limit}`);
      const { body } = await listed(many.url, 0, 100);
      assert.equal(body.length, 50);
      assert.equal(body[0].id, newest.id);
      assert.equal(body[49].created_at, '1970-01-01T00:00:00.006Z');
      const page = await listed(many.url, 10, 3);
      assert.deepEqual(
        page.body.map(({ id }: { id: string }) => id),
        body.slice(10, 13).map(({ id }: { id: string }) => id),
      );
      assert.equal((await listed(few.url, 0, 100)).body.length, 55);
      await ended(many.url, newest.id);
    });
  });
}
