/** Brings a database up to date by a command of its own, before processes start that may not do so themselves. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { must } from '../../util.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { runToEnd, type Server, startServer, TEST_KEY, tempDir } from './process.ts';

for (const database of DATABASES)
  describe(`quarry migrate on ${database.name}`, () => {
    let test: TestDatabase;
    let dir: ReturnType<typeof tempDir>;
    let dataDir: string;
    let env: Record<string, string>;
    before(async () => {
      test = await database.open();
      dir = tempDir();
      dataDir = join(dir.path, 'data');
      mkdirSync(dir.path, { recursive: true });
      const secret = (name: string, text: string): string => {
        writeFileSync(join(dir.path, name), `${text}\n`);
        return join(dir.path, name);
      };
      env = {
        QUARRY_DATA_DIR: dataDir,
        QUARRY_MIGRATE: 'false',
        QUARRY_API_KEY_FILE: secret('api-key', TEST_KEY),
        ...(test.kind === 'postgres' && {
          DATABASE_URL_FILE: secret('url', must(test.url)),
          QUARRY_ENCRYPTION_KEY_FILE: secret('encryption-key', 'k'.repeat(40)),
        }),
      };
      // The database of a test is up to date.
      if (test.kind === 'postgres') {
        await sql`drop schema public cascade`.execute(test.db);
        await sql`create schema public`.execute(test.db);
      }
    });
    after(async () => {
      await test.close();
      dir.remove();
    });

    it('lets a process start that leaves the database as it is', async (t) => {
      if (test.url === null) return t.skip('needs a server that other processes reach');
      const start = () => runToEnd(['start', '--port', '0', '--no-sample'], env);
      const early = await start();
      assert.equal(early.code, 1);
      assert.match(
        early.stderr,
        /^quarry: the database is empty or of an older version: run quarry migrate/m,
      );
      const check = await runToEnd(['migrate', '--check'], env);
      assert.equal(check.code, 1);
      const [, count] = /^Migrations that would run: (\d+)\.$/m.exec(check.stdout) ?? [];
      assert.ok(Number(count) > 50, check.stdout);

      const [one, other] = await Promise.all([
        runToEnd(['migrate'], env),
        test.kind === 'postgres' ? runToEnd(['migrate'], env) : undefined,
      ]);
      const ran = [one, other].filter((exit) => exit !== undefined);
      for (const exit of ran) assert.equal(exit.code, 0, exit.stderr);
      const lines = ran.flatMap(({ stdout }) => stdout.match(/^\d{4}-\S+$/gm) ?? []);
      assert.equal(lines.length, Number(count), 'two at the same time run each migration once');
      assert.deepEqual(await runToEnd(['migrate', '--check'], env), {
        ...{ code: 0, signal: null, stderr: '' },
        stdout: 'The database is up to date.\n',
      });

      const servers: Server[] = [];
      try {
        servers.push(await startServer(dataDir, { env }));
        const [api] = servers;
        const made = await api?.call('POST', '/v1/collections', { name: 'Birds' });
        assert.equal(made?.status, 200, JSON.stringify(made?.body));
        const check = await runToEnd(['migrate', '--check'], env);
        assert.deepEqual([check.code, check.stderr], [0, ''], 'a check runs beside the service');
        if (test.kind !== 'sqlite') return;
        // The process that serves would not notice that its schema changes.
        const beside = await runToEnd(['migrate'], env);
        assert.match(beside.stderr, /is in use by another Quarry: stop it/);
      } finally {
        for (const server of servers) await server.stop();
      }
    });

    it('with --check makes no database', async () => {
      const { QUARRY_API_KEY_FILE: key } = env;
      const empty = join(dir.path, 'empty');
      mkdirSync(empty);
      const settings = { QUARRY_DATA_DIR: empty, QUARRY_API_KEY_FILE: must(key) };
      const { code, stderr } = await runToEnd(['migrate', '--check'], settings);
      assert.equal(code, 1);
      assert.match(stderr, /holds no database: run quarry migrate, which makes it/);
      assert.deepEqual(readdirSync(empty), []);
    });
  });
