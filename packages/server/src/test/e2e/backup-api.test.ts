/** Makes backups by the API of a real service: under load, with a process that is killed, and on a disk that is full. */
import assert from 'node:assert/strict';
import { closeSync, mkdirSync, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { sql } from 'kysely';
import { checkBackup } from '../../backup/read-file.ts';
import type { Backup } from '../../backups/schema.ts';
import { connect } from '../../db/connect.ts';
import { must } from '../../util.ts';
import { createDatabase } from '../databases.ts';
import { PLAIN } from '../search/plain.ts';
import { until } from '../until.ts';
import { runToEnd, type Server, startServer, TEST_KEY, tempDir } from './process.ts';
import { FILE_SYSTEM, type SmallDisk, smallDisks } from './small-disk.ts';

const POSTGRES = process.env.TEST_POSTGRES_URL;
const OPERATOR_KEY = `operator-${'o'.repeat(40)}`;

for (const kind of ['sqlite', 'postgres'] as const) {
  const skip = kind === 'postgres' && POSTGRES === undefined && 'needs a PostgreSQL server';
  describe(`backups by the API of a service on ${kind}`, { skip }, () => {
    const dir = tempDir();
    const folder = join(dir.path, 'backups');
    const running: Server[] = [];
    let drop = async () => {};
    let url = join(dir.path, 'data', 'quarry.db');
    after(async () => {
      for (const server of running) await server.kill();
      await drop();
      dir.remove();
    });

    async function environment(): Promise<Record<string, string>> {
      const env = {
        ...{ QUARRY_API_KEY: TEST_KEY, QUARRY_OPERATOR_KEY: OPERATOR_KEY },
        QUARRY_BACKUP_DIR: folder,
      };
      if (kind === 'sqlite') return env;
      const created = await createDatabase(must(POSTGRES));
      drop = created.drop;
      url = created.url;
      return { ...env, DATABASE_URL: created.url };
    }
    async function start(env: Record<string, string>): Promise<Server> {
      const server = await startServer(join(dir.path, 'data'), { env });
      running.push(server);
      return server;
    }
    const asOperator = async (server: Server, method: string, path: string) => {
      const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
      const response = await fetch(`${server.address}${path}`, { method, headers });
      return { status: response.status, body: (await response.json()) as Backup };
    };
    const completed = (server: Server, name: string) =>
      until(async () => {
        const { body } = await asOperator(server, 'GET', `/v1/backups/${name}`);
        assert.notEqual(body.status, 'FAILED', String(body.error));
        return body.status === 'COMPLETED' && body;
      }, 120_000);

    /** Returns a function that pushes more records to a service. */
    async function fill(server: Server, pages: number): Promise<(to: Server) => Promise<unknown>> {
      await server.call('POST', '/v1/collections', { name: 'Birds', readable_id: 'birds' });
      const { body } = await server.call('POST', '/v1/source-connections', {
        ...{ name: 'Pushes', short_name: 'push', readable_collection_id: 'birds' },
      });
      let pushed = 0;
      const push = async (to: Server) => {
        const entities = Array.from({ length: 100 }, () => {
          const n = pushed++;
          const text = Array.from({ length: 200 }, (_, i) => `bird${(n * 7919 + i) % 5003}`);
          return { entity_id: `r${n}`, name: `Bird ${n}`, text: text.join(' ') };
        });
        const { status } = await to.call('POST', `/v1/source-connections/${body.id}/entities`, {
          entities,
        });
        assert.ok([200, 202, 429, 503].includes(status), String(status));
      };
      for (let page = 0; page < pages; page++) await push(server);
      await until(async () => (await countIn(url, 'entities')) >= pages * 100, 120_000);
      return push;
    }
    it('is killed in the middle: no half file has the name, and the next start makes the whole backup', async () => {
      const env = await environment();
      const first = await start(env);
      const push = await fill(first, 8);
      const { status, body } = await asOperator(first, 'POST', '/v1/backups');
      assert.equal(status, 202, JSON.stringify(body));
      await until(() => filesIn(folder).some((name) => name.endsWith('.partial')));
      await first.kill();
      assert.deepEqual(
        filesIn(folder).filter((name) => !name.endsWith('.partial')),
        [],
      );
      const server = await start(env);
      const writing = (async () => {
        for (let n = 0; n < 5; n++) {
          await push(server);
          await server.call('POST', '/v1/collections/birds/search', { ...PLAIN, query: 'bird7' });
        }
      })();
      const made = await completed(server, body.name);
      await writing;
      assert.deepEqual(filesIn(folder), [body.name]);
      const file = join(folder, body.name);
      assert.equal((await checkBackup(file)).end.digest, made.digest);
      const target = join(dir.path, `restored-${kind}`);
      mkdirSync(target);
      const restored = await runToEnd(['restore', file], { QUARRY_DATA_DIR: target });
      assert.equal(restored.code, 0, restored.stderr);
      assert.match(restored.stdout, new RegExp(`digest ${made.digest}`));
      assert.ok((await countIn(join(target, 'quarry.db'), 'entities')) >= 800);

      // A restored service has the entry of the queue, which must not make the backup again.
      const { DATABASE_URL: _, ...embedded } = env;
      const copy = await startServer(target, { env: embedded });
      running.push(copy);
      await until(async () => (await countIn(join(target, 'quarry.db'), 'jobs')) === 0, 120_000);
      assert.deepEqual((await asOperator(copy, 'GET', '/v1/backups')).body, []);
      assert.deepEqual(filesIn(folder), [body.name]);
    });
  });
}

describe('a backup by the API on a full disk', () => {
  const dir = tempDir();
  const make = smallDisks(join(dir.path, 'probe')).get(FILE_SYSTEM);
  let disk: SmallDisk | undefined;
  let server: Server | undefined;
  after(async () => {
    await server?.kill();
    disk?.remove();
    dir.remove();
  });
  it('fails with what to do, and leaves no file', { skip: !make && 'needs root' }, async () => {
    disk = must(make)(join(dir.path, 'disk'), 64);
    const folder = join(dir.path, 'disk', 'backups');
    const env = { QUARRY_API_KEY: TEST_KEY, QUARRY_BACKUP_DIR: folder };
    server = await startServer(join(dir.path, 'data'), { env });
    const { call } = server;
    // The folder is made before the disk is full.
    mkdirSync(folder, { recursive: true });
    fillUp(join(dir.path, 'disk', 'filler'));
    const { body } = await call('POST', '/v1/backups');
    const failed = await until(async () => {
      const { body: backup } = await call('GET', `/v1/backups/${body.name}`);
      return backup.ended_at !== null && backup;
    });
    assert.equal(failed.status, 'FAILED');
    assert.match(failed.error, /ENOSPC.*; free room on the disk of QUARRY_BACKUP_DIR$/);
    assert.deepEqual(filesIn(folder), []);
  });
});

function fillUp(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (;;) writeSync(file, Buffer.alloc(1024));
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
  } finally {
    closeSync(file);
  }
}

async function countIn(url: string, table: string): Promise<number> {
  const db = connect(url);
  try {
    const { rows } = await sql<{
      n: number;
    }>`select count(*) as n from ${sql.table(table)}`.execute(db);
    return Number(rows[0]?.n);
  } finally {
    await db.destroy();
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
