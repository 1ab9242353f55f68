import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { BackupTable } from '../db/schema.ts';
import { DATABASES, type TestDatabase } from '../test/databases.ts';
import { newId } from '../util.ts';
import { orderDue, removeOld } from './schedule.ts';

const HOUR_MS = 3_600_000;
const EVERY_DAY = { everyMs: 24 * HOUR_MS };
const START = Date.UTC(2026, 0, 1);

for (const database of DATABASES)
  describe(`scheduled backups on ${database.name}`, () => {
    let test: TestDatabase;
    before(async () => {
      test = await database.open();
    });
    after(() => test.close());
    beforeEach(async () => {
      await test.db.deleteFrom('backups').execute();
      await test.db.deleteFrom('jobs').execute();
    });

    const at = (hours: number) => START + hours * HOUR_MS;
    const end = (status: BackupTable['status']) =>
      test.db.updateTable('backups').set({ status, active: null }).execute();
    const add = async (row: Pick<BackupTable, 'name' | 'trigger' | 'status' | 'created_at'>) => {
      await test.db
        .insertInto('backups')
        .values({ id: newId(), ...row })
        .execute();
    };

    it('begin at once, and again when the time has passed since the last one, with one entry each', async () => {
      assert.equal(await orderDue(test.db, { everyMs: null }, at(0)), false);
      assert.equal(await orderDue(test.db, EVERY_DAY, at(0)), true);
      // The last one has not ended.
      assert.equal(await orderDue(test.db, EVERY_DAY, at(25)), false);
      await end('COMPLETED');
      assert.equal(await orderDue(test.db, EVERY_DAY, at(23)), false);
      assert.equal(await orderDue(test.db, EVERY_DAY, at(24)), true);
      const jobs = await test.db.selectFrom('jobs').select(['name', 'lane']).execute();
      assert.deepEqual(
        jobs.map(({ name, lane }) => [name, lane]),
        [
          ['backup.run', 'backups'],
          ['backup.run', 'backups'],
        ],
      );
    });

    it('are tried again an hour after one that failed, and do not wait for a clock that was ahead', async () => {
      await orderDue(test.db, EVERY_DAY, at(0));
      await end('FAILED');
      assert.equal(await orderDue(test.db, EVERY_DAY, at(0.9)), false);
      assert.equal(await orderDue(test.db, EVERY_DAY, at(1)), true);
      await end('COMPLETED');
      await test.db
        .updateTable('backups')
        .set({ created_at: at(1000) })
        .execute();
      assert.equal(await orderDue(test.db, EVERY_DAY, at(2)), true);
    });

    it('wait for a backup by a request, which does not count as one of them', async () => {
      await add({ name: 'asked', trigger: 'request', status: 'COMPLETED', created_at: at(0) });
      assert.equal(await orderDue(test.db, EVERY_DAY, at(1)), true);
    });

    it('keep the newest files, and those that somebody has asked for', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'quarry-backups-'));
      const made = async (
        name: string,
        trigger: BackupTable['trigger'],
        created_at: number,
      ): Promise<void> => {
        writeFileSync(join(folder, name), name);
        await add({ name, trigger, status: 'COMPLETED', created_at });
      };
      for (const hour of [1, 2, 3, 4]) await made(`${hour}.quarry`, 'schedule', at(hour));
      await made('asked.quarry', 'request', at(0));
      writeFileSync(join(folder, 'of-others.txt'), 'others');
      for (let n = 0; n < 12; n++)
        await add({ name: `f${n}`, trigger: 'schedule', status: 'FAILED', created_at: at(n) });
      await removeOld(test.db, { folder, keep: 2 });
      assert.deepEqual(readdirSync(folder).toSorted(), [
        '3.quarry',
        '4.quarry',
        'asked.quarry',
        'of-others.txt',
      ]);
      const rows = await test.db
        .selectFrom('backups')
        .select(['name', 'status'])
        .orderBy('created_at', 'desc')
        .execute();
      const names = (status: string) =>
        rows.filter((row) => row.status === status).map(({ name }) => name);
      assert.deepEqual(names('COMPLETED'), ['4.quarry', '3.quarry', 'asked.quarry']);
      assert.equal(names('FAILED').length, 10);
      assert.equal(names('FAILED').includes('f0'), false);
      assert.equal(existsSync(join(folder, '1.quarry')), false);
      rmSync(folder, { recursive: true });
    });
  });
