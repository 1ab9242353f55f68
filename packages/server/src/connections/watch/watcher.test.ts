import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { watchRefusal } from '../../db/refused-writes.ts';
import { catalog } from '../../sources/catalog.ts';
import { createSyncs } from '../../syncs/service.ts';
import { insertCollection, insertConnection, insertOrganization } from '../../test/api/rows.ts';
import { DATABASES, type TestDatabase } from '../../test/databases.ts';
import { anywhere } from '../../test/environment.ts';
import { until } from '../../test/until.ts';
import { must, newId } from '../../util.ts';
import { renewWatches } from './watch-store.ts';
import { createWatcher, type Watcher, type WatcherDeps, watchNothing } from './watcher.ts';

for (const database of DATABASES)
  describe(`the watcher on ${database.name}`, () => {
    let test: TestDatabase;
    let folder: string;
    let id: string;
    let owner: { id: string; organization_id: string };
    const watchers: Watcher[] = [];
    /** A watcher has found this often that a sync of the connection has not ended. */
    let foundBusy: number;

    before(async () => {
      test = await database.open();
    });
    after(() => test.close());
    beforeEach(async () => {
      foundBusy = 0;
      folder = mkdtempSync(join(tmpdir(), 'quarry-watcher-'));
      owner = { id: newId(), organization_id: newId() };
      await insertOrganization(test.db, owner.organization_id);
      await insertCollection(test.db, owner);
      id = await insertConnection(test.db, owner, {
        config: JSON.stringify({ path: folder }),
        total_runs: 1,
      });
    });
    afterEach(async () => {
      for (const watcher of watchers.splice(0)) await watcher.stop();
      await test.db.deleteFrom('connections').execute();
      await test.db.deleteFrom('sync_jobs').execute();
      await test.db.deleteFrom('folder_watches').execute();
      rmSync(folder, { recursive: true });
    });

    const open = (
      more: Partial<Pick<WatcherDeps, 'mostFolders' | 'retryMs' | 'sources'>> = {},
    ): Watcher => {
      const syncs = createSyncs({ db: test.db, wake() {}, whyRefused: watchRefusal(test.db) });
      const watcher = createWatcher({
        ...{ db: test.db, kind: test.kind, sources: catalog, environment: anywhere },
        syncs: {
          start: syncs.start,
          wake: syncs.wake,
          async isBusy(tx, connectionId) {
            const isBusy = await syncs.isBusy(tx, connectionId);
            if (isBusy) foundBusy++;
            return isBusy;
          },
        },
        log: pino({ level: 'silent' }),
        ...more,
      });
      watchers.push(watcher);
      return watcher;
    };
    const jobs = () =>
      test.db.selectFrom('sync_jobs').selectAll().where('connection_id', '=', id).execute();
    const looks = (count: number) => until(async () => (await jobs()).length === count);
    const endJobs = () => test.db.updateTable('sync_jobs').set({ status: 'COMPLETED' }).execute();
    const workerOf = async () =>
      (await test.db.selectFrom('folder_watches').select('worker').executeTakeFirstOrThrow())
        .worker;
    const stateOf = async () => {
      const row = await test.db
        .selectFrom('folder_watches')
        .select(['state', 'message'])
        .where('connection_id', '=', id)
        .executeTakeFirst();
      return row && { ...row };
    };

    it('[CON-40] looks when it begins, because a change may have come before', async () => {
      const watcher = open();
      await watcher.tick();
      await looks(1);
      const [job] = await jobs();
      assert.deepEqual([job?.trigger, job?.full, job?.created_by_email], ['watch', true, null]);
      assert.deepEqual(await stateOf(), { state: 'watching', message: null });
    });

    it('[CON-40] does not look for a pull that begins after the watch', async () => {
      const watcher = open();
      await watcher.beforePull({ id, short_name: 'files', config: { path: folder } });
      await watcher.tick();
      writeFileSync(join(folder, 'a.md'), 'text');
      await looks(1);
      const takeChanged = await watcher.beforePull({
        id,
        short_name: 'files',
        config: { path: folder },
      });
      assert.deepEqual(takeChanged(), ['']);
      mkdirSync(join(folder, 'sub'));
      await until(() => takeChanged().includes(''));
    });

    it('[CON-40] begins no first sync that nobody wanted, and watches from the first one on', async () => {
      await test.db.updateTable('connections').set({ total_runs: 0 }).execute();
      const watcher = open();
      await watcher.tick();
      writeFileSync(join(folder, 'a.md'), 'text');
      // A look would have begun within this time.
      await sleep(1500);
      await watcher.tick();
      assert.deepEqual(await jobs(), []);
      await watcher.beforePull({ id, short_name: 'files', config: { path: folder } });
      writeFileSync(join(folder, 'b.md'), 'text');
      await looks(1);
    });

    it('[CON-40] looks after the clock has jumped, because the machine slept', async (t) => {
      const watcher = open();
      await watcher.beforePull({ id, short_name: 'files', config: { path: folder } });
      await watcher.tick();
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_600_000 });
      await watcher.tick();
      await looks(1);
    });

    it('[CON-40] waits for a sync that runs, and looks then', async () => {
      const watcher = open();
      await watcher.tick();
      await looks(1);
      writeFileSync(join(folder, 'a.md'), 'text');
      await until(() => foundBusy > 0);
      assert.equal((await jobs()).length, 1);
      await endJobs();
      await looks(2);
    });

    it('[CON-40] looks again after a failed pull, later each time, and not after a completed one', async () => {
      const watcher = open({ retryMs: 500 });
      const pulled = { id, short_name: 'files', config: { path: folder } };
      const pull = async (isCompleted: boolean) => {
        await watcher.beforePull(pulled);
        await endJobs();
        watcher.afterPull(id, isCompleted);
        return performance.now();
      };
      const lookAfter = async (failedAt: number, count: number) => {
        await until(async () => {
          await watcher.tick();
          return (await jobs()).length === count;
        });
        return performance.now() - failedAt;
      };
      await watcher.beforePull(pulled);
      await watcher.tick();
      assert.ok((await lookAfter(await pull(false), 1)) >= 500);
      assert.ok((await lookAfter(await pull(false), 2)) >= 1000);
      const completedAt = await pull(true);
      while (performance.now() < completedAt + 1500) {
        await watcher.tick();
        await sleep(50);
      }
      assert.equal((await jobs()).length, 2);
      // A completed pull ends the row of failures.
      const again = await lookAfter(await pull(false), 3);
      assert.ok(again >= 500 && again < 2000, `${again}`);
    });

    it('[CON-40] tells people when the folders are more than it may watch, and tries again', async () => {
      mkdirSync(join(folder, 'sub'));
      const watcher = open({ mostFolders: 1 });
      await watcher.tick();
      await looks(1);
      const { state, message } = must(await stateOf());
      assert.equal(state, 'polling');
      assert.equal(
        message,
        'The folder is read every few minutes, because Quarry already watches as many folders as one process may.',
      );
      await endJobs();
      rmSync(join(folder, 'sub'), { recursive: true });
      await watcher.beforePull({ id, short_name: 'files', config: { path: folder } });
      assert.deepEqual(await stateOf(), { state: 'watching', message: null });
    });

    it('[CON-40] asks nothing of a connection that was switched off or deleted meanwhile', async () => {
      const watcher = open();
      await watcher.beforePull({ id, short_name: 'files', config: { path: folder } });
      await test.db.updateTable('connections').set({ deleted_at: 1 }).execute();
      writeFileSync(join(folder, 'a.md'), 'text');
      // A look would follow the change within this time.
      await sleep(1500);
      await watcher.tick();
      assert.deepEqual(await jobs(), []);
    });

    it('[CON-40] a process that watches nothing leaves no watch of an earlier one', async () => {
      await open().tick();
      await looks(1);
      const nothing = watchNothing({ db: test.db, kind: test.kind });
      await nothing.tick();
      const takeChanged = await nothing.beforePull({
        id,
        short_name: 'files',
        config: { path: folder },
      });
      assert.deepEqual(takeChanged(), []);
      const state = (await stateOf())?.state;
      assert.equal(state, test.kind === 'sqlite' ? null : 'watching');
    });

    it('watches nothing when the operator has switched off all sources that can be watched', async () => {
      const without = [...catalog].filter(([, { watch }]) => !watch);
      const watcher = open({ sources: new Map(without) });
      await watcher.tick();
      assert.deepEqual(await jobs(), []);
    });

    it('stops when the database cannot be used', async () => {
      const watcher = open();
      await watcher.tick();
      const { schema } = test.db;
      await schema.alterTable('folder_watches').renameTo('away').execute();
      await watcher
        .stop()
        .finally(() => schema.alterTable('away').renameTo('folder_watches').execute());
    });

    if (database.name === 'sqlite') return;

    it('[CON-40] of several workers one watches a connection, and another goes on when it ends', async () => {
      const [first, second] = [open(), open()];
      await first.tick();
      await second.tick();
      await looks(1);
      await endJobs();
      writeFileSync(join(folder, 'a.md'), 'text');
      await looks(2);
      await endJobs();
      await second.tick();
      assert.equal((await jobs()).length, 2);
      await first.stop();
      await second.tick();
      await looks(3);
      await endJobs();
      writeFileSync(join(folder, 'b.md'), 'text');
      await looks(4);
    });

    it('[CON-40] a watch that was switched off for a while is opened again', async () => {
      const watcher = open();
      const set = (config: object) =>
        test.db
          .updateTable('connections')
          .set({ config: JSON.stringify(config) })
          .execute();
      await watcher.tick();
      await looks(1);
      await set({ path: folder, watch: false });
      await watcher.tick();
      const held = await renewWatches(test.db, test.kind, await workerOf());
      assert.deepEqual([...held], [], 'an ended watch stays ended');
      await set({ path: folder });
      await endJobs();
      await watcher.tick();
      await looks(2);
    });

    it('[CON-40] a worker that dies loses its watches when their lease runs out', async () => {
      const [dead, heir] = [open(), open()];
      await dead.tick();
      await looks(1);
      await endJobs();
      await heir.tick();
      const died = await workerOf();
      await test.db.updateTable('folder_watches').set({ lease_until: 1 }).execute();
      await heir.tick();
      await looks(2);
      assert.notEqual(await workerOf(), died);
      if (test.kind === 'sqlite') return;
      // The clock of the database was set back by an hour after the heir had died, too.
      await endJobs();
      const ahead = Date.now() + 3_600_000;
      await test.db.updateTable('folder_watches').set({ lease_until: ahead }).execute();
      const second = await workerOf();
      await open().tick();
      await looks(3);
      assert.notEqual(await workerOf(), second);
    });
  });
