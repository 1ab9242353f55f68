/** Tests keys that are set from outside of the service, and those that the command line makes beside it. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { runToEnd, type Server, startServer, TEST_KEY, tempDir } from '../e2e/process.ts';

const ANY_KEY = /quarry_[A-Za-z0-9_-]{43}/;
const OTHER_KEY = `quarry_${'o'.repeat(43)}`;

describe('keys of the operator', () => {
  let dir: ReturnType<typeof tempDir>;
  let servers: Server[];
  beforeEach(() => {
    dir = tempDir();
    servers = [];
  });
  afterEach(async () => {
    for (const server of servers) await server.kill();
    dir.remove();
  });
  const data = () => join(dir.path, 'data');
  const start = async (presetKey = TEST_KEY, folder = data()): Promise<Server> => {
    const server = await startServer(folder, { env: { QUARRY_API_KEY: presetKey } });
    servers.push(server);
    return server;
  };
  const create = (...args: string[]) => runToEnd(['keys', 'create', '--data-dir', data(), ...args]);
  /** Returns the status with which a route for admins answers the key. */
  const statusOf = async (server: Server, key: string) =>
    (await fetch(`${server.address}/v1/api-keys`, { headers: { 'x-api-key': key } })).status;
  const keysOf = async (server: Server, key: string) => {
    const response = await fetch(`${server.address}/v1/api-keys`, {
      headers: { 'x-api-key': key },
    });
    return ((await response.json()) as { name: string; role: string }[]).map(({ name }) => name);
  };
  /** The sentence is on the console and in the log, and never contains the key. */
  const assertSaid = (server: Server, key: string) => {
    const sentence = /QUARRY_API_KEY is not a valid key: .* quarry keys create/;
    assert.match(server.stdout(), sentence);
    assert.match(server.stderr(), sentence);
    assert.ok(!(server.stdout() + server.stderr()).includes(key), 'the key was printed');
  };

  it('[KEY-35] a preset key that was rotated opens nothing after a restart, which says so', async () => {
    const first = await start();
    assert.doesNotMatch(first.stdout() + first.stderr(), /QUARRY_API_KEY/);
    const [{ id }] = (await first.call('GET', '/v1/api-keys')).body;
    const { key } = (await first.call('POST', `/v1/api-keys/${id}/rotate`)).body;
    await first.stop();
    const second = await start();
    assertSaid(second, TEST_KEY);
    assert.deepEqual([await statusOf(second, TEST_KEY), await statusOf(second, key)], [401, 200]);
    assert.deepEqual(await keysOf(second, key), ['First key']);
    await second.stop();
    const third = await start(key);
    assert.doesNotMatch(third.stdout() + third.stderr(), /QUARRY_API_KEY/);
  });

  it('[KEY-35] a preset key that was revoked, or never was one, opens nothing after a restart', async () => {
    const first = await start();
    const body = { name: 'successor', role: 'admin' };
    const { key } = (await first.call('POST', '/v1/api-keys', body)).body;
    const old = (await first.call('GET', '/v1/api-keys')).body.at(-1);
    assert.equal((await first.call('DELETE', `/v1/api-keys/${old.id}`)).status, 200);
    await first.stop();
    for (const preset of [TEST_KEY, OTHER_KEY]) {
      const server = await start(preset);
      assertSaid(server, preset);
      assert.equal(await statusOf(server, preset), 401);
      assert.deepEqual(await keysOf(server, key), ['successor']);
      await server.stop();
    }
  });

  it('[KEY-36] a key is made beside a running service, and works at once', async () => {
    const server = await start();
    const made = await create('--name', 'rescue');
    assert.equal(made.code, 0, made.stderr);
    const key = made.stdout.trim();
    assert.match(made.stdout, /^quarry_[A-Za-z0-9_-]{43}\n$/);
    assert.match(made.stderr, /role admin of the organization 'My organization'/);
    assert.doesNotMatch(made.stderr, ANY_KEY);
    assert.equal(await statusOf(server, key), 200);
    assert.deepEqual(await keysOf(server, key), ['rescue', 'First key']);
    const reader = (await create('--role', 'read')).stdout.trim();
    assert.equal(await statusOf(server, reader), 403);
    await server.stop();
    for (const name of readdirSync(data()))
      assert.ok(!readFileSync(join(data(), name)).includes(key), name);
  });

  it('[KEY-36] whoever has lost all keys comes in again: a key is made without the service', async () => {
    const first = await start();
    const [{ id }] = (await first.call('GET', '/v1/api-keys')).body;
    // The value in the answer is the new key, and it is lost here on purpose.
    await first.call('POST', `/v1/api-keys/${id}/rotate`);
    const { id: organization } = await (async () => {
      const key = (await create()).stdout.trim();
      const headers = { 'x-api-key': key };
      const response = await fetch(`${first.address}/v1/organizations`, { headers });
      return ((await response.json()) as { id: string }[])[0] ?? { id: '' };
    })();
    await first.stop();
    const made = await create('--organization', organization);
    assert.equal(made.code, 0, made.stderr);
    const second = await start(made.stdout.trim());
    assert.equal(await statusOf(second, made.stdout.trim()), 200);
    assert.doesNotMatch(second.stdout() + second.stderr(), /QUARRY_API_KEY/);
  });

  it('[KEY-36] where there is nothing yet, nothing is made, and a sentence says what to do', async () => {
    const nowhere = await create();
    assert.equal(nowhere.code, 1);
    assert.equal(
      nowhere.stderr,
      `quarry: ${data()} holds no database: start Quarry once, which makes it, or name the data directory with --data-dir\n`,
    );
    assert.deepEqual([nowhere.stdout, existsSync(data())], ['', false]);
    const server = await start();
    const [{ id }] = (await server.call('GET', '/v1/organizations')).body;
    const unknown = await create('--organization', 'nope');
    assert.equal(unknown.code, 1);
    assert.ok(unknown.stderr.includes(`has the id 'nope'`) && unknown.stderr.includes(id));
    const owner = await create('--role', 'owner');
    assert.deepEqual([owner.code, owner.stdout], [1, '']);
    const nameless = await create('--name', '');
    assert.equal(nameless.code, 1);
    assert.match(nameless.stderr, /^quarry: --name/);
    assert.deepEqual(await keysOf(server, TEST_KEY), ['First key']);
    await server.stop();
    const file = new DatabaseSync(join(data(), 'quarry.db'));
    file.exec(`delete from kysely_migration where name > '0012'`);
    file.close();
    const old = await create();
    assert.equal(old.code, 1);
    assert.match(
      old.stderr,
      /^quarry: the database is empty or of an older version: run quarry migrate/,
    );
  });
});
