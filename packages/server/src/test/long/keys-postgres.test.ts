/** Tests the same as keys.test.ts, with the data in a PostgreSQL of its own. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createDatabase } from '../databases.ts';
import { runToEnd, type Server, startServer, TEST_KEY, tempDir } from '../e2e/process.ts';
import { type PostgresServer, startPostgres } from '../postgres-server.ts';

const OTHER_KEY = `quarry_${'o'.repeat(43)}`;

describe('keys of the operator on PostgreSQL', () => {
  let postgres: PostgresServer;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let dir: ReturnType<typeof tempDir>;
  let server: Server | undefined;
  before(async () => {
    postgres = await startPostgres();
    database = await createDatabase(postgres.url);
    dir = tempDir();
  });
  after(async () => {
    await server?.kill();
    dir.remove();
    await database.drop();
    await postgres.stop();
  });

  it('[KEY-35] [KEY-36] the database is the one that DATABASE_URL names', async () => {
    const settings = { DATABASE_URL: database.url };
    const empty = await runToEnd(['keys', 'create'], settings);
    assert.equal(empty.code, 1);
    assert.match(empty.stderr, /^quarry: the database is empty or of an older version/);
    const first = await startServer(dir.path, { env: { ...settings, QUARRY_API_KEY: TEST_KEY } });
    await first.stop();
    server = await startServer(dir.path, { env: { ...settings, QUARRY_API_KEY: OTHER_KEY } });
    assert.match(server.stdout(), /QUARRY_API_KEY is not a valid key/);
    const made = await runToEnd(['keys', 'create', '--data-dir', join(dir.path, 'none')], settings);
    assert.equal(made.code, 0, made.stderr);
    const ask = async (key: string) => {
      const headers = { 'x-api-key': key };
      return (await fetch(`${server?.address}/v1/api-keys`, { headers })).status;
    };
    assert.deepEqual(
      [await ask(OTHER_KEY), await ask(TEST_KEY), await ask(made.stdout.trim())],
      [401, 200, 200],
    );
    assert.ok(!existsSync(join(dir.path, 'none')));
    const gone = await runToEnd(['keys', 'create'], {
      DATABASE_URL: 'postgres://nobody:secret-word@127.0.0.1:1/none',
    });
    assert.equal(gone.code, 1);
    assert.match(gone.stderr, /^quarry: the database cannot be reached/);
    assert.ok(!gone.stderr.includes('secret-word'));
  });
});
