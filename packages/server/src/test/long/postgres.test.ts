/** Runs real processes on a real PostgreSQL: one that does everything, and two that share the work. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { createDatabase } from '../databases.ts';
import {
  launch,
  runToEnd,
  type Server,
  startServer,
  TEST_KEY,
  tempDir,
  untilSynced,
} from '../e2e/process.ts';
import { type PostgresServer, startPostgres } from '../postgres-server.ts';
import { until } from '../until.ts';

describe('on PostgreSQL', () => {
  let postgres: PostgresServer;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let dir: ReturnType<typeof tempDir>;
  let servers: { kill(): Promise<unknown> }[] = [];
  before(async () => {
    postgres = await startPostgres();
    database = await createDatabase(postgres.url);
    dir = tempDir();
    mkdirSync(join(dir.path, 'files'));
    writeFileSync(join(dir.path, 'files/zebra.md'), 'A zebra has stripes.\n');
  });
  afterEach(async () => {
    for (const server of servers) await server.kill();
    servers = [];
  });
  after(async () => {
    dir.remove();
    await database.drop();
    await postgres.stop();
  });

  const env = (more: Record<string, string> = {}) => ({
    QUARRY_API_KEY: TEST_KEY,
    DATABASE_URL: database.url,
    QUARRY_FILES_ROOTS: join(dir.path, 'files'),
    QUARRY_ENCRYPTION_KEY: 'one key for all of the processes here',
    ...more,
  });
  const start = async (name: string, more: Record<string, string> = {}): Promise<Server> => {
    const server = await startServer(join(dir.path, name), { args: [], env: env(more) });
    servers.push(server);
    return server;
  };
  const search = async (server: Server) => {
    const body = { query: 'zebra', generate_answer: false };
    const answer = await server.call('POST', '/v1/collections/animals/search', body);
    return answer.body.results.map((result: { entity_id: string }) => result.entity_id);
  };

  it('[GEN-31] [GEN-37] keeps everything there, and finds it', async () => {
    const server = await start('one');
    await server.call('POST', '/v1/collections', { name: 'Animals', readable_id: 'animals' });
    const connection = (path: string) =>
      server.call('POST', '/v1/source-connections', {
        name: 'Folder',
        short_name: 'files',
        readable_collection_id: 'animals',
        config: { path },
        schedule: { cron: null },
      });
    const refused = await connection(dir.path);
    assert.equal(refused.status, 422);
    assert.match(refused.body.detail[0].msg, /QUARRY_FILES_ROOTS/);
    const { body } = await connection(join(dir.path, 'files'));
    assert.equal((await untilSynced(server, body.id)).status, 'COMPLETED');
    assert.deepEqual(await search(server), ['zebra.md__chunk_0']);
    assert.deepEqual(readdirSync(join(dir.path, 'one')), []);
    assert.equal((await server.stop()).code, 0);
  });

  it('[GEN-32] one process serves, another one works', async () => {
    const api = await start('api', { QUARRY_ROLES: 'api' });
    const [connection] = (await api.call('GET', '/v1/source-connections')).body;
    writeFileSync(join(dir.path, 'files/zebra.md'), 'A zebra is no horse.\n');
    await api.call('POST', `/v1/source-connections/${connection.id}/run`);
    const worker = launch(
      ['start', '--data-dir', join(dir.path, 'worker')],
      env({ QUARRY_ROLES: 'worker' }),
    );
    servers.push({
      kill: () => {
        worker.child.kill('SIGKILL');
        return worker.exited;
      },
    });
    const job = await untilSynced(api, connection.id);
    assert.deepEqual([job.status, job.entities_updated], ['COMPLETED', 1]);
    await until(async () => {
      const body = { query: 'horse', retrieval_strategy: 'keyword', generate_answer: false };
      const answer = await api.call('POST', '/v1/collections/animals/search', body);
      return answer.body.results.length === 1;
    });
    worker.child.kill('SIGTERM');
    assert.equal((await worker.exited).code, 0);
  });

  it('[GEN-18] a database that does not answer stops the start with a sentence', async () => {
    const exit = await runToEnd(
      ['start', '--port', '0', '--data-dir', join(dir.path, 'none')],
      env({ DATABASE_URL: 'postgres://nobody:secret-word@127.0.0.1:1/none' }),
    );
    assert.equal(exit.code, 1);
    assert.match(exit.stderr, /^quarry: .*database/);
    assert.ok(!exit.stderr.includes('secret-word'));
  });
});
