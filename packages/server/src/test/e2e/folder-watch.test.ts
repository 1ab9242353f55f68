/** Watched folders of real processes: one is killed, and one may watch only a few folders. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { until } from '../until.ts';
import { type Server, startServer, TEST_KEY, tempDir, untilSynced } from './process.ts';

/** The numbers of the kernel for the user of a new namespace, which a process in it may lower. */
const LIMITED = [
  'unshare',
  '--user',
  '--map-root-user',
  'sh',
  '-c',
  'echo 8 > /proc/sys/user/max_inotify_watches && exec "$@"',
  'sh',
];

describe('watched folders of a process', () => {
  let dir: ReturnType<typeof tempDir>;
  let server: Server;
  let folder: string;

  beforeEach(() => {
    dir = tempDir();
    folder = join(dir.path, 'notes');
    mkdirSync(folder);
  });
  afterEach(async () => {
    await server.kill();
    dir.remove();
  });

  const start = async (through: readonly string[] = []) => {
    server = await startServer(join(dir.path, 'data'), {
      env: { QUARRY_API_KEY: TEST_KEY },
      through,
    });
  };
  const save = (name: string, text: string) => writeFileSync(join(folder, name), text);
  async function connect() {
    await server.call('POST', '/v1/collections', { name: 'Notes', readable_id: 'notes' });
    const { body } = await server.call('POST', '/v1/source-connections', {
      name: 'Folder',
      short_name: 'files',
      readable_collection_id: 'notes',
      config: { path: folder },
      schedule: { cron: null },
    });
    await untilSynced(server, body.id);
    return body.id;
  }
  const isFound = (query: string, id: string) =>
    until(async () => {
      const { body } = await server.call('POST', '/v1/collections/notes/search', {
        query,
        retrieval_strategy: 'keyword',
        generate_answer: false,
        expand_query: false,
        rerank: false,
      });
      return body.results.some(
        ({ entity_id }: { entity_id: string }) => entity_id === `${id}__chunk_0`,
      );
    });
  const watchOf = async (id: string) =>
    (await server.call('GET', `/v1/source-connections/${id}`)).body.watch;

  it('[CON-40] a change is found although the process was killed before it could look, or was not running', async () => {
    await start();
    await connect();
    save('a.md', 'A heron.');
    await isFound('heron', 'a.md');
    save('b.md', 'A bittern.');
    await server.kill();
    save('c.md', 'A grebe.');
    rmSync(join(folder, 'a.md'));
    await start();
    await isFound('bittern', 'b.md');
    await isFound('grebe', 'c.md');
    await until(async () => {
      const { body } = await server.call('GET', '/v1/entities?limit=100');
      return body.length === 2;
    });
    save('d.md', 'A stork.');
    await isFound('stork', 'd.md');
  });

  it('[CON-40] a folder for which the system has no watches left is read every few minutes, and people are told why', async (t) => {
    try {
      execFileSync(LIMITED[0] ?? '', [...LIMITED.slice(1), 'true'], { stdio: 'ignore' });
    } catch {
      return t.skip('this machine allows no namespace of a user');
    }
    for (let i = 0; i < 10; i++) mkdirSync(join(folder, `f${i}`));
    await start(LIMITED);
    const id = await connect();
    const watch = await until(() => watchOf(id));
    assert.deepEqual(watch, {
      state: 'polling',
      message:
        'The folder is read every few minutes, because the system watches no more folders: raise fs.inotify.max_user_watches.',
    });
    for (let i = 0; i < 5; i++) rmSync(join(folder, `f${i}`), { recursive: true });
    save('a.md', 'A heron.');
    await server.call('POST', `/v1/source-connections/${id}/run`);
    await isFound('heron', 'a.md');
    assert.deepEqual(await watchOf(id), { state: 'watching', message: null });
    save('f9/b.md', 'A bittern.');
    await isFound('bittern', 'f9/b.md');
  });
});
