/** Tests that commands find the service on their machine, and that nobody else gets their key. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { until } from '../until.ts';
import { runToEnd, type Server, startServer, TEST_KEY, tempDir, untilSynced } from './process.ts';

describe('commands on the machine of a service', () => {
  let dir: ReturnType<typeof tempDir>;
  let server: Server | undefined;
  before(() => {
    dir = tempDir();
  });
  afterEach(() => server?.kill());
  after(() => dir.remove());

  const own = () => ({ QUARRY_DATA_DIR: dir.path });
  const keyOf = () => readFileSync(join(dir.path, 'command.key'), 'utf8').trim();
  const call = (path: string, key: string, method = 'GET') =>
    fetch(`${server?.address}${path}`, { method, headers: { 'x-api-key': key } });

  it('find it at any port without a key of the user, and use one key over all starts', async () => {
    server = await startServer(dir.path, { env: {} });
    const doctor = await runToEnd(['doctor'], own());
    assert.deepEqual([doctor.code, doctor.stderr], [0, '']);
    for (const file of ['command.key', 'service.json'])
      assert.equal(statSync(join(dir.path, file)).mode & 0o777, 0o600);
    const first = keyOf();
    const answer = await call('/v1/api-keys', first);
    const keys = (await answer.json()) as { id: string; name: string }[];
    const [named, ...others] = keys.filter(({ name }) => /^Commands on/.test(name));
    assert.deepEqual(others, []);

    await server.stop();
    assert.ok(!existsSync(join(dir.path, 'service.json')));
    const none = await runToEnd(['doctor'], own());
    assert.equal(none.code, 1);
    assert.match(
      none.stderr,
      /^quarry: no Quarry runs with the data in .*quarry start.*--data-dir/,
    );

    server = await startServer(dir.path, { env: {} });
    assert.equal(keyOf(), first);
    // A key that was revoked gives nobody anything any more, and the next start makes another.
    assert.equal((await call(`/v1/api-keys/${named?.id}`, first, 'DELETE')).status, 200);
    const refused = await runToEnd(['doctor'], own());
    assert.equal(refused.code, 1);
    await server.stop();
    server = await startServer(dir.path, { env: {} });
    assert.notEqual(keyOf(), first);
    assert.equal((await runToEnd(['doctor'], own())).code, 0);
  });

  it('say what is connected, how fresh it is, and what failed with its remedy', async () => {
    const folder = join(dir.path, 'status');
    const here = { QUARRY_DATA_DIR: folder };
    server = await startServer(folder, { env: { QUARRY_API_KEY: TEST_KEY } });
    const status = (...args: string[]) =>
      runToEnd(['status', ...args], { ...here, QUARRY_API_KEY: TEST_KEY });
    const none = await status();
    assert.deepEqual(
      [none.code, none.stdout],
      [0, 'Nothing is connected yet: quarry add ~/notes\n'],
    );

    const notes = join(dir.path, 'notes');
    mkdirSync(notes);
    writeFileSync(join(notes, 'a.md'), 'A note.\n');
    await server.call('POST', '/v1/collections', { name: 'Home', readable_id: 'home' });
    const { body } = await server.call('POST', '/v1/source-connections', {
      name: 'My notes',
      short_name: 'files',
      readable_collection_id: 'home',
      config: { path: notes },
    });
    await untilSynced(server, body.id);
    const good = await status();
    assert.equal(good.code, 0);
    const well = await status('--problems');
    assert.deepEqual([well.code, well.stdout], [0, 'Nothing is wrong.\n']);
    assert.match(
      good.stdout,
      /^home\n {2}My notes {2}files {2}up to date {2}read (just now|\d+ s ago) {2}1 record {2}watched\n/,
    );

    rmSync(notes, { recursive: true });
    await server.call('POST', `/v1/source-connections/${body.id}/run`);
    assert.equal((await untilSynced(server, body.id)).status, 'FAILED');
    const bad = await status();
    assert.equal(bad.code, 1);
    assert.match(
      bad.stdout,
      /My notes {2}files {2}failed {2}read (just now|\d+ s ago) {2}1 record( {2}watched)?\n {4}.*notes.*\n {4}\S/,
    );
    const problems = await status('--problems');
    assert.equal(problems.code, 1);
    assert.match(problems.stdout, /^home\/My notes: .*notes.*\n {2}\S/);
    const [line] = JSON.parse((await status('--json')).stdout);
    assert.deepEqual([line.connection.id, line.connection.status], [body.id, 'ERROR']);
    assert.match(line.failure.message, /notes/);
    assert.equal(line.failure.message, line.connection.sync.last_job.error_details.message);
    const away = await until(async () => {
      const { stdout } = await status();
      return stdout.includes('What was read stays') && stdout;
    });
    assert.match(away, /\n {4}\S.*notes does not exist\. What was read stays\./);
  });

  it('stop it, and say so when none runs', async () => {
    server = await startServer(dir.path, { env: {} });
    const stopped = await runToEnd(['stop'], own());
    assert.deepEqual([stopped.code, stopped.stderr], [0, '']);
    assert.equal(stopped.stdout, `Quarry at ${server.address} has stopped.\n`);
    assert.equal((await server.exited).code, 0);

    server = await startServer(dir.path, { env: {} });
    await server.kill();
    for (const folder of [dir.path, join(dir.path, 'elsewhere')]) {
      const none = await runToEnd(['stop', '--data-dir', folder]);
      assert.equal(none.code, 1);
      assert.match(none.stderr, /^quarry: no Quarry runs with the data in .*--data-dir\n$/);
    }
  });

  it('end no other program when the service was killed and its number was given away', async () => {
    const folder = join(dir.path, 'killed');
    const killed = await startServer(folder, { env: {} });
    await killed.kill();
    server = await startServer(join(dir.path, 'other'), { env: {} });
    const innocent = spawn('sleep', ['100']);
    try {
      const left = JSON.stringify({ address: server.address, pid: innocent.pid });
      writeFileSync(join(folder, 'service.json'), left);
      const none = await runToEnd(['stop', '--data-dir', folder]);
      assert.deepEqual([none.code, innocent.exitCode, innocent.signalCode], [1, null, null]);
      assert.match(none.stderr, /^quarry: no Quarry runs with the data in /);
    } finally {
      innocent.kill('SIGKILL');
    }
  });

  it('send their key to no other address, also when the service was killed', async () => {
    const folder = join(dir.path, 'leak');
    const heard: unknown[] = [];
    const stranger = createServer((request, response) => {
      heard.push(request.headers.authorization);
      response.end('{}');
    });
    await once(stranger.listen(0, '127.0.0.1'), 'listening');
    const { port } = stranger.address() as AddressInfo;
    try {
      server = await startServer(folder, { env: {} });
      const where = { QUARRY_DATA_DIR: folder };
      const named = await runToEnd(['doctor', '--port', String(port)], where);
      const own = new URL(server.address).port;
      assert.equal((await runToEnd(['doctor', '--port', own], where)).code, 0);
      await server.kill();
      const left = JSON.stringify({ address: `http://127.0.0.1:${port}`, pid: 1 });
      writeFileSync(join(folder, 'service.json'), left);
      const killed = await runToEnd(['doctor'], where);
      assert.deepEqual([named.code, killed.code, heard], [1, 1, []]);
      assert.match(named.stderr, /^quarry: no key for http:/);
    } finally {
      stranger.close();
    }
  });

  it('[KEY-04] use the key of the operator where one is set, and no other is stored', async () => {
    const folder = join(dir.path, 'preset');
    server = await startServer(folder);
    assert.ok(!existsSync(join(folder, 'command.key')));
    const keyless = await runToEnd(['doctor'], { QUARRY_DATA_DIR: folder });
    assert.equal(keyless.code, 1);
    assert.match(keyless.stderr, /^quarry: no key for http:.*: set QUARRY_API_KEY/);
    const env = { QUARRY_DATA_DIR: folder, QUARRY_API_KEY: TEST_KEY };
    assert.equal((await runToEnd(['doctor'], env)).code, 0);
  });
});
