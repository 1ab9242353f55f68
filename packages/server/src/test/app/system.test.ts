/** Tests what an admin learns about the state of the service, and that the rest is the organization's own. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../util.ts';
import { insertSyncJob } from '../api/rows.ts';
import { DATABASES } from '../databases.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';
import { page, testWorld, whole } from './source.ts';

for (const database of DATABASES) {
  describe(`the state of the service on ${database.name}`, () => {
    const { source, world } = testWorld();
    let quarry: TestQuarry;
    before(async () => {
      quarry = await openTestQuarry(await database.open(), {
        sources: new Map([['world', source]]),
        env: { QUARRY_INDEX_MEMORY_MB: '64', QUARRY_SEARCH_THREADS: '3' },
      });
    });
    after(() => quarry.close());

    const state = () => quarry.ok('GET', '/v1/system');
    async function connect(readable_id: string) {
      const collection = await quarry.ok('POST', '/v1/collections', {
        name: readable_id,
        readable_id,
      });
      const connection = await quarry.ok('POST', '/v1/source-connections', {
        ...{ name: 'The world', short_name: 'world', readable_collection_id: readable_id },
        authentication: { credentials: { password: 'right' } },
        sync_immediately: false,
        schedule: { cron: null },
      });
      return { collection: collection.id as string, connection: connection.id as string };
    }

    it('names the version, the database, the index, the models and the memory in use', async () => {
      const { version, uptime_seconds, roles, not_ready, database: db, ...rest } = await state();
      assert.match(version, /^\d+\.\d+\.\d+/);
      // A command would have to be told the folder of this test.
      assert.equal(rest.command_line, null);
      assert.ok(Number.isInteger(uptime_seconds));
      assert.deepEqual([roles, not_ready], [['api', 'worker'], []]);
      assert.equal(db.kind, database.name === 'sqlite' ? 'sqlite' : 'postgresql');
      assert.match(db.version, /^\d+\.\d+/);
      assert.match(db.newest_migration, /^\d{4}-/);
      assert.ok(db.size_bytes > 100_000);
      assert.deepEqual([rest.index.words, rest.index.vectors], ['memory', 'scan']);
      assert.deepEqual(rest.models, {
        embedder: { model: 'quarry-static-256-v1', is_built_in: true, dimensions: 256 },
        reranker: { model: 'builtin', is_built_in: true },
        language_models: [],
        degraded: ['expand_query', 'interpret_filters', 'rerank', 'generate_answer'],
      });
      const { rss_bytes, limit_bytes, ...limits } = rest.memory;
      assert.ok(rss_bytes > 1_000_000 && limit_bytes > rss_bytes);
      assert.deepEqual(limits, { index_budget_bytes: 64 * 2 ** 20, max_search_threads: 3 });
    });

    it('counts the records and passages of live connections, and those that searches find by words only', async () => {
      world.items = whole(page('heron'), page('otter'));
      const first = await connect('kept-birds');
      const second = await connect('gone-birds');
      for (const { connection } of [first, second]) await quarry.sync(connection);
      const full = (await state()).index;
      assert.deepEqual([full.records, full.passages], [4, 4]);
      await quarry.db
        .updateTable('entities')
        .set({ chunk_version: '' })
        .where('entity_id', '=', 'heron')
        .execute();
      const lacking = (readable_id: string) => ({
        collection_readable_id: readable_id,
        records: 1,
      });
      assert.deepEqual((await state()).index.without_vectors, [
        lacking('gone-birds'),
        lacking('kept-birds'),
      ]);
      await quarry.ok('DELETE', '/v1/collections/gone-birds');
      const left = (await state()).index;
      assert.deepEqual([left.records, left.passages], [2, 2]);
      assert.deepEqual(left.without_vectors, [lacking('kept-birds')]);
    });

    it('counts unfinished jobs: those that work, and those that wait for a worker or their source', async () => {
      const { collection, connection } = await connect('busy-birds');
      const other = await connect('other-birds');
      const { organization_id } = await quarry.db
        .selectFrom('connections')
        .select('organization_id')
        .where('id', '=', connection)
        .executeTakeFirstOrThrow();
      const owner = (id: string) => ({ id, organization_id });
      await insertSyncJob(quarry.db, owner(connection), 'RUNNING');
      await insertSyncJob(quarry.db, owner(other.connection), 'RUNNING', {
        waits_for: 'the source',
      });
      await insertSyncJob(quarry.db, owner(other.connection), 'PENDING');
      await insertSyncJob(quarry.db, owner(other.connection), 'COMPLETED');
      const addRun = async (statuses: readonly ('PENDING' | 'RUNNING' | 'COMPLETED')[]) => {
        const run_id = newId();
        const by = { created_at: 0, created_by_email: 'a@b.c' };
        await quarry.db
          .insertInto('maintenance_runs')
          .values({ id: run_id, collection_id: collection, kind: 'reindex', ...by })
          .execute();
        const work = {
          total: 10,
          done: 4,
          rewritten: 0,
          failed: 0,
          suspects: '[]',
          findings: '[]',
        };
        for (const status of statuses)
          await quarry.db
            .insertInto('maintenance_tasks')
            .values({ id: newId(), run_id, connection_id: null, kind: 'index', status, ...work })
            .execute();
        return run_id;
      };
      const [begun, waiting] = [await addRun(['COMPLETED', 'PENDING']), await addRun(['PENDING'])];
      await addRun(['COMPLETED']);
      const of = { kind: 'reindex', collection_readable_id: 'busy-birds' };
      assert.deepEqual((await state()).jobs, {
        syncs_running: 1,
        syncs_waiting: 2,
        maintenance: [
          { ...of, id: begun, status: 'RUNNING', entities_total: 20, entities_done: 8 },
          { ...of, id: waiting, status: 'PENDING', entities_total: 10, entities_done: 4 },
        ],
      });
    });

    it('shows no records and jobs of another organization', async () => {
      const { id } = await quarry.ok('POST', '/v1/organizations', { name: 'Another' });
      const other = await quarry.ok('GET', '/v1/system', undefined, { 'x-organization-id': id });
      const { records, passages, without_vectors } = other.index;
      assert.deepEqual([records, passages, without_vectors], [0, 0, []]);
      const { syncs_running, syncs_waiting, maintenance } = other.jobs;
      assert.deepEqual([syncs_running, syncs_waiting, maintenance], [0, 0, []]);
    });
  });
}
