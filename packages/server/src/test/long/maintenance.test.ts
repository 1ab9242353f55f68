/** Runs `quarry doctor` and `quarry reindex` against a service that is killed in between. */
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import {
  type Exit,
  runToEnd,
  type Server,
  startServer,
  TEST_KEY,
  tempDir,
  untilSynced,
} from '../e2e/process.ts';
import { PLAIN } from '../search/plain.ts';
import { until } from '../until.ts';

const FILES = 600;

describe('quarry doctor and quarry reindex', () => {
  let dir: ReturnType<typeof tempDir>;
  let server: Server;
  let connection: string;
  const data = () => join(dir.path, 'data');

  before(async () => {
    dir = tempDir();
    const folder = join(dir.path, 'files');
    mkdirSync(folder);
    for (let i = 0; i < FILES; i++)
      writeFileSync(join(folder, `f${i}.md`), `# File ${i}\n\ncommon words and word${i}\n`);
    server = await startServer(data());
    await server.call('POST', '/v1/collections', { name: 'Oldest', readable_id: 'oldest' });
    await server.call('POST', '/v1/collections', { name: 'Files', readable_id: 'files' });
    const { body } = await server.call('POST', '/v1/source-connections', {
      name: 'Folder',
      short_name: 'files',
      readable_collection_id: 'files',
      config: { path: folder, watch: false },
      schedule: { cron: null },
    });
    connection = body.id;
    assert.equal((await untilSynced(server, connection)).status, 'COMPLETED');
  });
  after(async () => {
    await server.kill();
    dir.remove();
  });

  const quarry = (...args: string[]): Promise<Exit> =>
    runToEnd([...args, '--port', new URL(server.address).port], { QUARRY_API_KEY: TEST_KEY });
  const find = async (query: string): Promise<string[]> => {
    const { body } = await server.call('POST', '/v1/collections/files/search', {
      query,
      retrieval_strategy: 'keyword',
      ...PLAIN,
    });
    return body.results.map((result: { entity_id: string }) => result.entity_id);
  };
  /** Changes the file with a connection of our own, beside the running service. */
  const tamper = (...statements: string[]) => {
    const database = new DatabaseSync(join(data(), 'quarry.db'), { timeout: 5000 });
    for (const statement of statements) database.exec(statement);
    database.close();
  };

  it('finds nothing wrong, in the file, in memory and at the source', async () => {
    assert.equal((await find('common')).length, FILES);
    const { code, stdout, stderr } = await quarry('doctor', 'files', '--connection', connection);
    assert.equal(
      stdout,
      `files: checked ${FILES} entities, ${FILES} chunks, words of ${FILES}, ${FILES} vectors, ${FILES} in the memory of the process that answered\n  nothing is wrong\n`,
    );
    assert.match(stderr, /files: completed, 600 of 600 entities\n$/);
    assert.equal(code, 0);
  });

  it('names what a hand in the file has broken, with status 1, and repairs it', async () => {
    tamper(
      `update chunk_bodies set terms = null where n in (select n from chunks limit 3)`,
      `update entity_counts set count = 1`,
    );
    const sick = await quarry('doctor');
    assert.equal(sick.code, 1);
    assert.match(
      sick.stdout,
      /\n {2}3 chunks that no word finds \(chunk_without_words\): .+--repair/,
    );
    assert.match(sick.stdout, /\n {2}1 counters that differ .+\n {4}\S+ File\n/);
    const healed = await quarry('doctor', 'files', '--repair');
    assert.match(healed.stdout, /files after the repair: .+\n {2}nothing is wrong\n$/);
    assert.equal(healed.code, 0);
    assert.equal((await find('common')).length, FILES);
  });

  it('judges by all collections, wherever the one is in which something is wrong', async () => {
    // The list begins with the newest collection: a whole page comes before this one, and another one comes after
    // it.
    const { body: older } = await server.call('GET', '/v1/collections');
    assert.deepEqual(
      older.map((one: { readable_id: string }) => one.readable_id),
      ['files', 'oldest'],
    );
    const newer = Array.from({ length: 100 }, (_, i) => `newer-${i}`);
    for (const readable_id of newer)
      await server.call('POST', '/v1/collections', { name: 'Empty', readable_id });
    tamper(`update entity_counts set count = 1`);
    const sick = await quarry('doctor');
    assert.equal(sick.code, 1);
    const examined = sick.stdout.match(/^[\w-]+(?=: checked)/gm);
    assert.deepEqual(examined, [...newer.toReversed(), 'files', 'oldest']);
    assert.equal((await quarry('doctor', '--repair')).code, 0);
    assert.equal((await quarry('doctor')).code, 0);
    for (const readable_id of newer) await server.call('DELETE', `/v1/collections/${readable_id}`);
  });

  it('is killed while it makes everything anew, and goes on afterwards', async () => {
    const { body: run } = await server.call('POST', '/v1/collections/files/reindex');
    const path = `/v1/collections/files/maintenance/${run.id}`;
    await until(async () => {
      const { body } = await server.call('GET', path);
      return body.entities_done > 0;
    });
    await server.kill();
    server = await startServer(data());
    assert.equal((await find('common')).length, FILES);
    const done = await until(async () => {
      const { body } = await server.call('GET', path);
      return body.status === 'COMPLETED' && body;
    });
    assert.deepEqual(
      [done.entities_done, done.entities_rewritten, done.errors],
      [FILES, FILES, []],
    );
    assert.equal((await quarry('doctor', 'files')).code, 0);
  });

  it('makes everything anew and says so', async () => {
    const { code, stdout, stderr } = await quarry('reindex', 'files');
    assert.deepEqual([code, stdout], [0, `files: ${FILES} entities indexed again\n`]);
    assert.match(stderr, /files: completed, 600 of 600 entities\n$/);
  });

  it('ends with status 1 when a repair leaves something, and for what is wrong at the source', async () => {
    tamper(
      `update entities set raw = x'010203' where entity_id = 'f0.md'`,
      `update entity_counts set count = 1`,
    );
    const left = await quarry('doctor', 'files', '--repair');
    assert.match(left.stdout, /files after the repair: .+\n {2}1 .+\(unreadable_record\)/);
    assert.equal(left.code, 1);
    await server.call('POST', `/v1/source-connections/${connection}/run?force_full_sync=true`);
    assert.equal((await untilSynced(server, connection)).status, 'COMPLETED');
    assert.equal((await quarry('doctor', 'files')).code, 0);

    const folder = join(dir.path, 'files');
    rmSync(join(folder, 'f0.md'));
    const gone = await quarry('doctor', 'files', '--connection', connection);
    assert.match(gone.stdout, /\n {2}1 .+ \(gone_at_source\): .+\n {4}f0\.md\n/);
    assert.equal(gone.code, 1);
    renameSync(folder, `${folder}-moved`);
    const lost = await quarry('doctor', 'files', '--connection', connection);
    assert.match(lost.stdout, /\n {2}it failed: .+ does not exist/);
    assert.equal(lost.code, 1);
  });

  it('says what is missing when it cannot ask', async () => {
    const unknown = await quarry('reindex', 'nothing');
    assert.deepEqual(
      [unknown.code, unknown.stderr],
      [1, "quarry: collection 'nothing' does not exist: GET /v1/collections lists them\n"],
    );
    const nobody = await runToEnd(['doctor', '--port', '1'], { QUARRY_API_KEY: TEST_KEY });
    assert.match(nobody.stderr, /no Quarry answers at http:\/\/127\.0\.0\.1:1: start it/);
    const alone = await quarry('doctor', '--connection', connection);
    assert.match(alone.stderr, /--connection needs the collection/);
    const help = await runToEnd(['doctor', '--help']);
    assert.equal(help.code, 0);
    assert.match(help.stdout, /--repair +write broken parts again/);
  });
});
