/** Tests which starts make a link that signs the owner in. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import pino from 'pino';
import { openProcess } from '../../app.ts';
import { readConfig } from '../../config.ts';
import { must } from '../../util.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { caller } from '../inject.ts';

const startWith = (database: TestDatabase, env: Record<string, string>) =>
  openProcess(readConfig(env), {
    log: pino({ level: 'silent' }),
    threads: false,
    database,
    onFatal: (error) => assert.fail(error),
  });

for (const { name, open } of DATABASES)
  describe(`the link of a start on ${name}`, () => {
    const isEmbedded = name === 'sqlite';
    const title = isEmbedded
      ? '[MEM-10] every start makes one'
      : '[MEM-10] only the first start makes one, and further processes keep it';
    it(title, async () => {
      const database = await open();
      const dir = mkdtempSync(join(tmpdir(), 'quarry-link-'));
      const start = () => startWith(database, { QUARRY_DATA_DIR: dir });
      const first = await start();
      const link = must(await first.startLink());
      await first.close();
      const second = await start();
      assert.equal((await second.startLink()) !== null, isEmbedded);
      const token = must(/#token=(.*)$/.exec(link.url)?.[1]);
      const call = caller(second.api, '');
      const { status } = await call('POST', '/v1/auth/start', { body: { token }, key: null });
      assert.equal(status, isEmbedded ? 401 : 200);
      await second.close();
      await database.close();
      rmSync(dir, { recursive: true, force: true });
    });

    it('[MEM-10] a start that others can reach makes none when the owner has a password', async () => {
      const database = await open();
      const dir = mkdtempSync(join(tmpdir(), 'quarry-link-'));
      const shared = { QUARRY_PUBLIC_URL: 'https://quarry.example.com' };
      const makesLink = async (env: Record<string, string>) => {
        const started = await startWith(database, { QUARRY_DATA_DIR: dir, ...env });
        const link = await started.startLink();
        await started.close();
        return link !== null;
      };
      assert.equal(await makesLink(shared), true, 'the first start');
      assert.equal(await makesLink(shared), isEmbedded, 'the owner has no password yet');
      await database.db.updateTable('users').set({ password_hash: 'a hash' }).execute();
      assert.equal(await makesLink(shared), false);
      assert.equal(await makesLink({}), isEmbedded, 'nobody else reaches this one');
      await database.close();
      rmSync(dir, { recursive: true, force: true });
    });

    it('a process without the API leaves the first organization to one that prints the link', async (t) => {
      if (isEmbedded) return t.skip('an embedded database has one process');
      const database = await open();
      t.after(() => database.close());
      if (database.url === null) return t.skip('needs a server that other processes reach');
      const dir = mkdtempSync(join(tmpdir(), 'quarry-link-'));
      const shared = { DATABASE_URL: database.url, QUARRY_ENCRYPTION_KEY: 'k'.repeat(40) };
      const start = (roles: string) =>
        startWith(database, { ...shared, QUARRY_DATA_DIR: dir, QUARRY_ROLES: roles });
      const worker = await start('worker');
      assert.equal(worker.created, false);
      const api = await start('api');
      assert.equal(api.created, true);
      assert.notEqual(await api.startLink(), null);
      await worker.close();
      await api.close();
      rmSync(dir, { recursive: true, force: true });
    });
  });
