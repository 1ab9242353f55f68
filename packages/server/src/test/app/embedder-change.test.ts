/** Starts the service again with another embedder, and tests what a search finds then. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { vector } from '@electric-sql/pglite-pgvector';
import { sql } from 'kysely';
import pino from 'pino';
import { openProcess, type QuarryProcess } from '../../app.ts';
import { readConfig } from '../../config.ts';
import { must } from '../../util.ts';
import { DATABASES, openPglite, type TestDatabase } from '../databases.ts';
import { caller } from '../inject.ts';
import { KEY, type ModelServer, type Reaction, startModelServer } from '../models/server.ts';
import { PLAIN } from '../search/plain.ts';
import { isSmokeEnough } from '../tier.ts';
import { until } from '../until.ts';
import { hurryJobs } from './quarry.ts';
import { page, testWorld, type World, whole } from './source.ts';

const SETTLED = ['COMPLETED', 'FAILED', 'CANCELLED'];
const KINDS = [
  ...DATABASES,
  { name: 'postgres with pgvector', open: () => openPglite({ vector }) },
];

for (const kind of KINDS) {
  describe(`another embedder on ${kind.name}`, () => {
    let dir: string;
    let database: TestDatabase;
    let models: ModelServer;
    let reactions: Reaction[] = [];
    let world: World;
    let sources: ReadonlyMap<string, ReturnType<typeof testWorld>['source']>;
    let quarry: QuarryProcess | undefined;
    let key: string;
    let connection: string;
    let warnings: string[] = [];

    before(async () => {
      models = await startModelServer(() => reactions.shift());
    });
    after(() => models.close());

    /** Each test has a database of its own, with a collection that the built-in embedder has filled. */
    beforeEach(async () => {
      dir = mkdtempSync(join(tmpdir(), 'quarry-app-'));
      database = await kind.open();
      reactions = [];
      const made = testWorld();
      world = made.world;
      sources = new Map([['world', made.source]]);
      world.items = whole(
        page('heron', { text: 'The heron waits at the weir.' }),
        page('otter', { text: 'The otter sleeps in the reeds.' }),
      );
      await start({});
      await ok('POST', '/v1/collections', { name: 'Birds', readable_id: 'birds' });
      connection = (
        await ok('POST', '/v1/source-connections', {
          name: 'The world',
          short_name: 'world',
          readable_collection_id: 'birds',
          authentication: { credentials: { password: 'right' } },
          sync_immediately: false,
          schedule: { cron: null },
        })
      ).id;
      assert.equal((await synced()).status, 'COMPLETED');
      assert.equal((await find('heron weir', 'neural'))[0], 'heron');
    });
    afterEach(async () => {
      await quarry?.close();
      quarry = undefined;
      await database.close();
      rmSync(dir, { recursive: true });
    });

    /** Starts the service again with these settings. */
    async function start(env: Record<string, string>): Promise<void> {
      await quarry?.close();
      warnings = [];
      quarry = await openProcess(readConfig({ QUARRY_DATA_DIR: dir, ...env }), {
        log: pino({ level: 'warn' }, { write: (line) => warnings.push(line) }),
        threads: false,
        database,
        sources,
        onFatal: (error) => assert.fail(error),
      });
      key = quarry.key ?? key;
    }
    async function ok(method: 'GET' | 'POST', path: string, body?: unknown) {
      const answer = await caller(must(quarry).api, key)(method, path, { body });
      assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    }
    async function find(query: string, retrieval_strategy: string): Promise<string[]> {
      const body = { ...PLAIN, query, retrieval_strategy };
      const { results } = await ok('POST', '/v1/collections/birds/search', body);
      return results.map((result: { entity_id: string }) => result.entity_id.split('__')[0]);
    }
    const reindexed = async () => {
      const { id } = await ok('POST', '/v1/collections/birds/reindex');
      return until(async () => {
        const run = await ok('GET', `/v1/collections/birds/maintenance/${id}`);
        return SETTLED.includes(run.status) ? run : undefined;
      });
    };
    /** Waits until `is` accepts the newest job, and returns that job. */
    const jobThat = (is: (job: any) => boolean) =>
      until(async () => {
        const [job] = await ok('GET', `/v1/source-connections/${connection}/jobs`);
        return is(job) ? job : undefined;
      });
    const synced = async (query = '') => {
      await ok('POST', `/v1/source-connections/${connection}/run${query}`);
      return jobThat(({ status }) => SETTLED.includes(status));
    };
    const healthy = async () =>
      assert.deepEqual((await ok('POST', '/v1/collections/birds/doctor', {})).problems, []);
    const remote = (dimensions: number) => ({
      QUARRY_EMBEDDER: models.named('openai', 'm'),
      QUARRY_EMBEDDER_DIMENSIONS: String(dimensions),
      OPENAI_API_KEY: KEY,
    });

    it('after a change of the embedder, searches find only by words until a reindex has made all vectors, in any number of dimensions', async () => {
      for (const dimensions of isSmokeEnough(kind) ? [768] : [768, 1024, 1536]) {
        await start(remote(dimensions));
        assert.match(warnings.join(), /"collections":\["birds"\].*run quarry reindex/);
        const collection = await ok('GET', '/v1/collections/birds');
        assert.equal(collection.vector_size, dimensions);
        assert.equal(collection.embedding_model_name, `openai/m:${dimensions}`);
        assert.deepEqual(await find('heron weir', 'keyword'), ['heron']);
        assert.deepEqual(await find('heron weir', 'hybrid'), ['heron']);
        assert.deepEqual(await find('heron weir', 'neural'), []);
        const { index, models } = await ok('GET', '/v1/system');
        assert.deepEqual(index.without_vectors, [{ collection_readable_id: 'birds', records: 2 }]);
        assert.deepEqual(models.embedder, { model: 'openai/m', is_built_in: false, dimensions });
        await healthy();

        const pulls = world.pulls.length;
        const run = await reindexed();
        assert.deepEqual([run.status, run.entities_rewritten], ['COMPLETED', 2]);
        assert.equal(world.pulls.length, pulls, 'the source was asked');
        assert.deepEqual((await ok('GET', '/v1/system')).index.without_vectors, []);
        assert.equal((await find('heron weir', 'neural'))[0], 'heron');
        await healthy();
        await start(remote(dimensions));
        assert.deepEqual(warnings, []);
        assert.equal((await find('heron weir', 'neural'))[0], 'heron');
      }
    });

    if (isSmokeEnough(kind)) return;

    it('a full sync also makes all vectors again, even after a change back to an earlier embedder', async () => {
      await start(remote(768));
      await reindexed();
      await start({});
      assert.deepEqual(await find('heron weir', 'neural'), []);
      await start(remote(64));
      await start({});
      assert.equal((await synced('?force_full_sync=true')).status, 'COMPLETED');
      assert.equal((await find('heron weir', 'neural'))[0], 'heron');
      await healthy();
    });

    it('a start completes a change of the embedder that was interrupted', async () => {
      await reindexed();
      await database.db.updateTable('collections').set({ vector_size: 0 }).execute();
      world.items = [page('coot', { text: 'A coot swims.' }), ...world.items];
      assert.equal(
        (await synced()).status,
        'FAILED',
        'no job writes before the change of the embedder is complete',
      );
      await start({});
      assert.match(warnings.join(), /run quarry reindex/);
      assert.equal((await ok('GET', '/v1/collections/birds')).vector_size, 256);
      assert.deepEqual(await find('heron weir', 'neural'), []);
      assert.equal((await synced('?force_full_sync=true')).status, 'COMPLETED');
      assert.equal((await find('heron weir', 'neural'))[0], 'heron');
    });

    it('a process does not add its vectors to a collection that another process has changed to another embedder', async () => {
      await start(remote(64));
      await reindexed();
      const mine = quarry;
      quarry = undefined;
      await start({});
      await must(quarry as QuarryProcess | undefined).close();
      quarry = mine;
      world.items = whole(page('egret', { text: 'An egret is white.' }));
      const job = await synced();
      assert.equal(job.status, 'FAILED');
      assert.match(job.error, /made by quarry-static-256-v1 and not by openai\/m:64: QUARRY_EMB/);
      assert.equal(job.error_details.stage, 'commit');
      const { rows } = await sql<{ bytes: number }>`
        select distinct octet_length(vector) as bytes from chunk_bodies`.execute(database.db);
      assert.deepEqual(
        rows.map(({ bytes }) => bytes),
        [256],
      );
    });

    it('[JOB-20] when the embedder refuses a text, the job fails and names the stage `embed`', async () => {
      await start(remote(64));
      await reindexed();
      reactions = [{ status: 401 }];
      world.items = whole(page('stork', { text: 'A stork is tall.' }));
      const job = await synced();
      assert.equal(job.status, 'FAILED');
      assert.deepEqual([job.error_details.code, job.error_details.stage], ['config', 'embed']);
    });

    it('a reindex and a sync wait while the embedder is busy, and then go on', async () => {
      await start(remote(64));
      const busy = (ms: number) => ({ status: 429, headers: { 'retry-after-ms': String(ms) } });
      reactions = [busy(10), busy(10), busy(10)];
      assert.equal((await reindexed()).status, 'COMPLETED');
      // This pause is longer than a worker waits within an attempt, so the job waits without a
      // worker.
      reactions = [busy(3100)];
      world.items = whole(page('ibis', { text: 'An ibis is white.' }));
      await ok('POST', `/v1/source-connections/${connection}/run`);
      const reason = await until(async () => {
        const jobs = database.db.selectFrom('sync_jobs').select('waits_for');
        return (await jobs.where('waits_for', 'is not', null).executeTakeFirst())?.waits_for;
      });
      assert.match(must(reason), /^the embedder openai\/m asks to wait: 429/);
      await hurryJobs(database.db, connection);
      const { status } = await jobThat((job) => SETTLED.includes(job.status));
      assert.equal(status, 'COMPLETED');
      assert.equal((await find('ibis white', 'neural'))[0], 'ibis');
    });
  });
}
