/**
 * Several processes on one PostgreSQL: what a completed job has written is found by every process at once, and a push
 * that is repeated at another process is the same job. Nobody waits between the answer of one process and the question
 * to another.
 */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createDatabase } from '../databases.ts';
import { type Server, startServer, TEST_KEY, tempDir } from '../e2e/process.ts';
import { type PostgresServer, startPostgres } from '../postgres-server.ts';
import { until } from '../until.ts';

const PUSHES = 30;
/** Each process searches with every strategy, so that each part of the index is asked. */
const STRATEGIES = ['keyword', 'neural', 'hybrid'];

describe('several processes on PostgreSQL', () => {
  let postgres: PostgresServer;
  /** Other test files may use the same server, and their workers must not take these jobs. */
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let dir: ReturnType<typeof tempDir>;
  let connection: string;
  let folder: string;
  /** Two of them serve only the API; the other two also run syncs. */
  const servers: Server[] = [];

  before(async () => {
    postgres = await startPostgres();
    database = await createDatabase(postgres.url);
    dir = tempDir();
    folder = join(dir.path, 'files');
    mkdirSync(folder);
    const start = async (name: string, roles: string) => {
      const env = {
        QUARRY_API_KEY: TEST_KEY,
        DATABASE_URL: database.url,
        QUARRY_FILES_ROOTS: folder,
        QUARRY_ENCRYPTION_KEY: 'one key for all of the processes here',
        QUARRY_ROLES: roles,
      };
      servers.push(await startServer(join(dir.path, name), { args: [], env }));
    };
    for (const [name, roles] of [
      ['one', 'api,worker'],
      ['two', 'api,worker'],
      ['three', 'api'],
      ['four', 'api'],
    ] as const)
      await start(name, roles);
    await at(0).call('POST', '/v1/collections', { name: 'Fresh', readable_id: 'fresh' });
    connection = await connect({ short_name: 'push' });
  });
  after(async () => {
    for (const server of servers) await server.kill();
    dir.remove();
    await database.drop();
    await postgres.stop();
  });

  const at = (index: number): Server => {
    const server = servers[index % servers.length];
    assert.ok(server);
    return server;
  };
  async function connect(settings: object): Promise<string> {
    const { body } = await at(0).call('POST', '/v1/source-connections', {
      name: 'Connected',
      readable_collection_id: 'fresh',
      schedule: undefined,
      ...settings,
    });
    return body.id;
  }
  async function push(server: Server, body: object, { key = '', wait = true } = {}) {
    const response = await fetch(
      `${server.address}/v1/source-connections/${connection}/entities?wait=${wait}`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${TEST_KEY}`,
          'content-type': 'application/json',
          ...(key && { 'idempotency-key': key }),
        },
        body: JSON.stringify(body),
      },
    );
    return { status: response.status, body: (await response.json()) as any };
  }
  async function find(server: Server, query: string, strategy: string): Promise<string[]> {
    const { body } = await server.call('POST', '/v1/collections/fresh/search', {
      query,
      retrieval_strategy: strategy,
      expand_query: false,
      generate_answer: false,
      rerank: false,
      limit: 100,
    });
    return body.results.map(({ entity_id }: { entity_id: string }) => entity_id);
  }
  const entity = (id: string, text: string) => ({ entity_id: id, name: id, text });

  it('[PSH-06] [PSH-14] every process finds at once what a process has answered to be completed', async () => {
    for (let i = 0; i < PUSHES; i++) {
      const [id, gone] = [`note-${i}`, `note-${i - 2}`];
      const body = { entities: [entity(id, `heron ${id}`)], delete: i < 2 ? [] : [gone] };
      const { status, body: job } = await push(at(i), body);
      assert.deepEqual([status, job.status], [200, 'COMPLETED']);
      const answers = await Promise.all(
        servers.flatMap((server) =>
          STRATEGIES.map(async (strategy) => (await find(server, 'heron', strategy)).toSorted()),
        ),
      );
      const stored = [id, ...(i < 1 ? [] : [`note-${i - 1}`])];
      const expected = stored.map((one) => `${one}__chunk_0`).toSorted();
      for (const found of answers) assert.deepEqual(found, expected, `push ${i}`);
    }
  });

  it('[PSH-15] a push that is repeated at other processes is one job', async () => {
    const body = { entities: [entity('again', 'bittern')] };
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => push(at(i), body, { key: 'one', wait: i % 2 === 0 })),
    );
    assert.equal(new Set(answers.map((answer) => answer.body.id)).size, 1);
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 202]));
    const other = { entities: [entity('again', 'grebe')] };
    for (const server of servers) {
      const refused = await push(server, other, { key: 'one' });
      assert.deepEqual([refused.status, refused.body.code], [422, 'idempotency_key_reused']);
    }
  });

  it('[CON-40] one of the processes watches a folder, another goes on when it is killed, and every process finds the change', async () => {
    writeFileSync(join(folder, 'a.md'), 'A kingfisher.');
    const id = await connect({ short_name: 'files', config: { path: folder } });
    const jobs = async () =>
      (await at(3).call('GET', `/v1/source-connections/${id}/jobs?limit=1000`)).body;
    const isFoundByAll = async (query: string, expected: readonly string[]) => {
      await until(async () => (await find(at(3), query, 'keyword')).length === expected.length);
      for (const server of servers)
        assert.deepEqual(await find(server, query, 'keyword'), expected);
    };
    await isFoundByAll('kingfisher', ['a.md__chunk_0']);
    await until(async () => (await jobs())[0].status === 'COMPLETED');
    const before = (await jobs()).length;
    writeFileSync(join(folder, 'b.md'), 'A stork.');
    await isFoundByAll('stork', ['b.md__chunk_0']);
    assert.equal((await jobs()).length, before + 1);
    await at(0).kill();
    servers.shift();
    rmSync(join(folder, 'a.md'));
    writeFileSync(join(folder, 'c.md'), 'A plover.');
    await isFoundByAll('plover', ['c.md__chunk_0']);
    await isFoundByAll('kingfisher', []);
    writeFileSync(join(folder, 'd.md'), 'A curlew.');
    await isFoundByAll('curlew', ['d.md__chunk_0']);
  });
});
