/** Another program holds the write lock of the database file, such as a backup or a shell that was left open. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { runToEnd, type Server, startServer, tempDir, untilSynced } from '../e2e/process.ts';
import { until } from '../until.ts';

describe('a locked database file', () => {
  let dir: ReturnType<typeof tempDir>;
  let server: Server;
  let folder: string;
  let pushed: string;
  before(async () => {
    dir = tempDir();
    mkdirSync(join(dir.path, 'files'));
    server = await startServer(join(dir.path, 'data'));
    await server.call('POST', '/v1/collections', { name: 'Locked', readable_id: 'locked' });
    folder = await connect({
      short_name: 'files',
      config: { path: join(dir.path, 'files'), watch: false },
    });
    pushed = await connect({ short_name: 'push' });
    await untilSynced(server, folder);
  });
  after(async () => {
    await server.kill();
    dir.remove();
  });

  const connect = async (settings: { short_name: string; config?: object }) => {
    const { status, body } = await server.call('POST', '/v1/source-connections', {
      name: settings.short_name.padEnd(4),
      readable_collection_id: 'locked',
      ...settings,
    });
    assert.equal(status, 200, JSON.stringify(body));
    return body.id as string;
  };
  const push = (word: string) =>
    server.call('POST', `/v1/source-connections/${pushed}/entities`, {
      entities: [{ entity_id: word, name: word, text: word }],
    });
  const find = async (word: string): Promise<string[]> => {
    const body = { query: word, retrieval_strategy: 'keyword', generate_answer: false };
    const answer = await server.call('POST', '/v1/collections/locked/search', body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.results.map((result: { entity_id: string }) => result.entity_id);
  };
  const foreigner = () => {
    const database = new DatabaseSync(join(dir.path, 'data/quarry.db'), { timeout: 10_000 });
    database.exec('begin immediate');
    return () => database.close();
  };

  it('[PSH-08] answers searches, refuses what it cannot store, and goes on where it stood', async () => {
    assert.equal((await push('aardvark')).status, 202);
    await untilSynced(server, pushed);
    writeFileSync(join(dir.path, 'files/zebra.md'), 'A zebra has stripes.\n');
    // The run and the push are accepted, but not yet processed when the lock comes.
    const run = await server.call('POST', `/v1/source-connections/${folder}/run`);
    assert.equal(run.status, 200);
    assert.equal((await push('badger')).status, 202);

    const release = foreigner();
    const refused = push('camel');
    assert.deepEqual(await find('aardvark'), ['aardvark__chunk_0']);
    const { status, headers, body } = await refused;
    assert.equal(status, 503);
    assert.equal(body.detail, 'the database is busy; try again in a moment');
    assert.ok(Number(headers.get('retry-after')) > 0);
    assert.equal((await server.call('GET', '/health/ready')).status, 200);
    const waited = push('dromedary');
    release();

    assert.equal((await waited).status, 202);
    assert.equal((await untilSynced(server, folder)).status, 'COMPLETED');
    assert.equal((await untilSynced(server, pushed)).status, 'COMPLETED');
    assert.deepEqual(await find('zebra'), ['zebra.md__chunk_0']);
    assert.deepEqual(await find('badger'), ['badger__chunk_0']);
    assert.deepEqual(await find('dromedary'), ['dromedary__chunk_0']);
    assert.deepEqual(await find('camel'), []);
    const jobs = await server.call('GET', '/v1/sync/jobs');
    assert.deepEqual(
      jobs.body.filter((job: { status: string }) => job.status !== 'completed'),
      [],
    );
  });

  it('a start in vain says why, and the next one finds everything', async () => {
    assert.equal((await push('elephant')).status, 202);
    await server.kill();
    const release = foreigner();
    const exit = await runToEnd(['start', '--port', '0', '--data-dir', join(dir.path, 'data')]);
    release();
    assert.equal(exit.code, 1);
    assert.match(
      exit.stderr,
      /^quarry: the database is busy .*: try again when the database can be used\n$/,
    );
    server = await startServer(join(dir.path, 'data'));
    await until(async () => (await find('elephant')).length === 1);
  });
});
