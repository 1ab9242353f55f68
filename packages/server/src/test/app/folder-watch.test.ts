/** Tests through the whole service that a watched folder is read when something in it changes, and what people are told. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { DATABASES } from '../databases.ts';
import { isSmokeEnough } from '../tier.ts';
import { until } from '../until.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';

for (const database of DATABASES)
  describe(`watched folders on ${database.name}`, () => {
    let quarry: TestQuarry;
    let top: string;
    let folder: string;
    let collection: string;
    let made = 0;

    before(async () => {
      top = mkdtempSync(join(tmpdir(), 'quarry-watched-'));
      quarry = await openTestQuarry(await database.open(), { env: { QUARRY_WATCH: 'true' } });
    });
    after(async () => {
      await quarry.close();
      rmSync(top, { recursive: true });
    });
    beforeEach(async () => {
      collection = `watched-${made++}`;
      folder = join(top, collection);
      mkdirSync(folder);
      await quarry.ok('POST', '/v1/collections', { name: 'Watched', readable_id: collection });
    });

    async function connect(config: object = {}): Promise<string> {
      const { id } = await quarry.ok('POST', '/v1/source-connections', {
        name: 'Folder',
        short_name: 'files',
        readable_collection_id: collection,
        config: { path: folder, ...config },
        schedule: { cron: null },
      });
      await quarry.settled(id);
      return id;
    }
    const write = (path: string, text: string) => {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    const shown = (id: string) => quarry.ok('GET', `/v1/source-connections/${id}`);
    const jobs = (id: string) => quarry.ok('GET', `/v1/source-connections/${id}/jobs`);
    const find = (query: string) =>
      quarry.find(collection, query, { retrieval_strategy: 'keyword' });
    const isFound = (query: string, ...ids: string[]) =>
      until(async () => {
        const found = (await find(query)).toSorted();
        return JSON.stringify(found) === JSON.stringify(ids.map((id) => `${id}__chunk_0`));
      });
    /** Waits until the watch has nothing left to do. */
    const quiet = async (id: string) => {
      await sleep(600);
      await quarry.settled(id);
    };

    it('[CON-40] a saved, changed, renamed and deleted file is found without a schedule', async () => {
      write('a.md', 'heron');
      const id = await connect();
      assert.deepEqual((await shown(id)).watch, { state: 'watching', message: null });
      write('b.md', 'kingfisher');
      await isFound('kingfisher', 'b.md');
      write('b.md', 'bittern');
      await isFound('bittern', 'b.md');
      assert.deepEqual(await find('kingfisher'), []);
      renameSync(join(folder, 'b.md'), join(folder, 'c.md'));
      await isFound('bittern', 'c.md');
      rmSync(join(folder, 'c.md'));
      await isFound('bittern');
      await isFound('heron', 'a.md');
      const [{ id: newest }] = await jobs(id);
      const job = await quarry.ok('GET', `/v1/sync/jobs/${newest}`);
      assert.deepEqual([job.scheduled, job.sync_metadata.trigger], [false, 'watch']);
    });

    it('a new connection has one sync, and not a second one for its watch', async () => {
      write('a.md', 'heron');
      const id = await connect();
      await quiet(id);
      await sleep(1500);
      assert.equal((await jobs(id)).length, 1);
    });

    if (isSmokeEnough(database)) return;

    it('[CON-40] folders that are made, filled, moved in, within and out are followed', async () => {
      const id = await connect();
      write('one/two/three/a.md', 'heron');
      await isFound('heron', 'one/two/three/a.md');
      write('one/two/three/b.md', 'bittern');
      await isFound('bittern', 'one/two/three/b.md');
      renameSync(join(folder, 'one/two'), join(folder, 'moved'));
      await isFound('heron', 'moved/three/a.md');
      write('moved/three/c.md', 'grebe');
      await isFound('grebe', 'moved/three/c.md');
      const outside = join(top, `outside-${collection}`);
      renameSync(join(folder, 'moved'), outside);
      await isFound('heron');
      await quiet(id);
      const before = (await jobs(id)).length;
      writeFileSync(join(outside, 'three/d.md'), 'stork');
      await quiet(id);
      assert.equal((await jobs(id)).length, before);
      renameSync(outside, join(folder, 'back'));
      await isFound('stork', 'back/three/d.md');
      write('back/three/e.md', 'egret');
      await isFound('egret', 'back/three/e.md');
      // A folder of the same name in the place of the old one is another folder.
      rmSync(join(folder, 'back'), { recursive: true });
      write('back/f.md', 'curlew');
      await isFound('curlew', 'back/f.md');
      write('back/g.md', 'plover');
      await isFound('plover', 'back/g.md');
    });

    it('[CON-40] a change while a sync runs is found by a later one', async () => {
      for (let i = 0; i < 300; i++) write(`many/${i}.md`, `heron ${i}`);
      const { id } = await quarry.ok('POST', '/v1/source-connections', {
        name: 'Folder',
        short_name: 'files',
        readable_collection_id: collection,
        config: { path: folder },
        schedule: { cron: null },
      });
      await until(async () => (await jobs(id))[0].entities_inserted > 0);
      for (let i = 0; i < 10; i++) {
        write('many/0.md', `bittern${i}`);
        await sleep(20);
      }
      await isFound('bittern9', 'many/0.md');
      await quiet(id);
      assert.ok((await jobs(id)).length <= 4);
    });

    it('[CON-40] a burst of 10,000 changes is one sync, and at most one more', async () => {
      const id = await connect();
      // Pictures are counted and not read, so that the sync is short.
      for (let i = 0; i < 10_000; i++)
        write(`f${i % 50}/${i}.${i === 9999 ? 'md' : 'png'}`, 'bittern');
      // A search would take the thread from the sync, so the database is asked.
      await until(async () => {
        const { rows } = await sql`select id from sync_jobs where connection_id = ${id}`.execute(
          quarry.db,
        );
        return rows.length > 1;
      });
      await quiet(id);
      const [, ...after] = (await jobs(id)).toReversed();
      assert.ok(after.length <= 2, JSON.stringify(after));
      const last = await quarry.ok('GET', `/v1/sync/jobs/${after.at(-1).id}`);
      assert.deepEqual([last.entities_skipped, last.status], [9999, 'completed']);
      await isFound('bittern', 'f49/9999.md');
      // So many events overflow the queue of the system, and yet every folder is watched.
      for (let i = 0; i < 50; i++) write(`f${i}/last.md`, `grebe${i}`);
      for (const i of [0, 25, 49]) await isFound(`grebe${i}`, `f${i}/last.md`);
    });

    it('[CON-40] changes of files that are left out start no sync', async () => {
      write('.gitignore', '*.log\n');
      write('a.md', 'heron');
      write('noise.log', '1');
      write('node_modules/x/index.js', '1');
      const id = await connect({ exclude: ['drafts/'] });
      await quiet(id);
      const before = (await jobs(id)).length;
      write('noise.log', '2');
      write('node_modules/x/index.js', '2');
      write('node_modules/y/index.js', '1');
      await quiet(id);
      assert.equal((await jobs(id)).length, before);
      write('.gitignore', '*.txt\n');
      await isFound('2', 'noise.log');
      write('noise.log', 'bittern');
      await isFound('bittern', 'noise.log');
    });

    it('[CON-40] the target of a link is watched when it lies in the folder', async () => {
      write('texts/a.md', 'heron');
      symlinkSync('texts/a.md', join(folder, 'link.md'));
      await connect();
      write('texts/a.md', 'bittern');
      await isFound('bittern', 'link.md', 'texts/a.md');
    });

    it('[CON-40] a folder that vanishes keeps its records, and is read and watched again when it is back', async () => {
      write('a.md', 'heron');
      const id = await connect();
      const aside = join(top, `aside-${collection}`);
      renameSync(folder, aside);
      const { watch } = await until(async () => {
        const connection = await shown(id);
        return connection.watch.state === 'away' && connection;
      });
      assert.match(watch.message, /does not exist\. What was read stays\./);
      assert.equal((await shown(id)).status, 'ACTIVE');
      await isFound('heron', 'a.md');
      writeFileSync(join(aside, 'b.md'), 'bittern');
      renameSync(aside, folder);
      await isFound('bittern', 'b.md');
      assert.deepEqual((await shown(id)).watch, { state: 'watching', message: null });
      write('c.md', 'grebe');
      await isFound('grebe', 'c.md');
    });

    it('[CON-40] a folder that may be read again is watched', async (t) => {
      if (process.getuid?.() === 0) return t.skip('root may read every folder');
      write('sub/a.md', 'heron');
      chmodSync(join(folder, 'sub'), 0);
      await connect();
      chmodSync(join(folder, 'sub'), 0o755);
      await isFound('heron', 'sub/a.md');
    });

    it('[CON-40] `watch` switches the watch off and on, and no such change lets a sync delete more', async () => {
      write('a.md', 'heron');
      const id = await connect({ watch: false });
      assert.equal((await shown(id)).watch, null);
      write('b.md', 'bittern');
      await quiet(id);
      assert.equal((await jobs(id)).length, 1);
      const configured = async () => {
        const { configured_at } = await quarry.db
          .selectFrom('connections')
          .select('configured_at')
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        return configured_at;
      };
      const before = await configured();
      const set = (watch: boolean) =>
        quarry.ok('PATCH', `/v1/source-connections/${id}`, { config: { path: folder, watch } });
      await set(true);
      await isFound('bittern', 'b.md');
      assert.equal(await configured(), before);
      await set(false);
      await until(async () => (await shown(id)).watch === null);
      write('c.md', 'grebe');
      await quiet(id);
      assert.deepEqual(await find('grebe'), []);
    });

    it('[CON-40] a deleted connection is not watched any more', async () => {
      write('a.md', 'heron');
      const id = await connect();
      await quarry.ok('DELETE', `/v1/source-connections/${id}`);
      write('b.md', 'bittern');
      await until(async () => {
        const rows = await quarry.db
          .selectFrom('folder_watches')
          .select('connection_id')
          .where('connection_id', '=', id)
          .execute();
        const left = await quarry.db
          .selectFrom('connections')
          .select('id')
          .where('id', '=', id)
          .execute();
        return rows.length + left.length === 0;
      });
      await sleep(1500);
      const { rows } = await sql`select * from folder_watches where connection_id = ${id}`.execute(
        quarry.db,
      );
      assert.deepEqual(rows, []);
    });
  });
