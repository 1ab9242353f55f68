import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { KyselyPlugin } from 'kysely';
import pino from 'pino';
import { DATABASES, hasOwnClock, type TestDatabase } from '../test/databases.ts';
import { must } from '../util.ts';
import { order } from './order.ts';
import { type BackupRun, runBackup } from './run.ts';
import * as store from './store.ts';

for (const database of DATABASES)
  describe(`the job of a backup on ${database.name}`, () => {
    let test: TestDatabase;
    let folder: string;
    before(async () => {
      test = await database.open();
      folder = mkdtempSync(join(tmpdir(), 'quarry-backups-'));
    });
    after(async () => {
      await test.close();
      rmSync(folder, { recursive: true });
    });

    const ordered = () =>
      test.db
        .transaction()
        .execute(async (tx) => must(await order(tx, { trigger: 'request', now: Date.now() })));
    const run = (id: string, leaseToken: string, more: Partial<BackupRun> = {}) =>
      runBackup(
        {
          ...{ db: test.db, kind: test.kind, log: pino({ level: 'silent' }) },
          ...{ plan: { folder, everyMs: null, keep: 7 }, signal: AbortSignal.timeout(2 ** 30) },
          ...more,
        },
        {
          ...{ id: 'entry', name: 'backup.run', data: { backupId: id } },
          ...{ leaseToken, attempt: 1 },
        },
      );
    /** Calls the function once, while the state of the database is read. */
    const whileReading = (act: () => Promise<void>) => {
      let isDone = false;
      const plugin: KyselyPlugin = {
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          if (!isDone && result.rows.some((row) => 'copied_bytes' in row)) {
            isDone = true;
            await act();
          }
          return result;
        },
      };
      return test.db.withPlugin(plugin);
    };

    it('removes what earlier attempts have left of its own file, and no others', async () => {
      const { id, name } = await ordered();
      writeFileSync(join(folder, `${name}.killed.partial`), 'half');
      writeFileSync(join(folder, 'other.quarry.x.partial'), 'of another');
      writeFileSync(join(folder, name), 'complete, but its worker was killed then');
      await run(id, 'a');
      const row = must(await store.byId(test.db, id));
      assert.deepEqual([row.status, row.active, row.error], ['COMPLETED', null, null]);
      assert.deepEqual(readdirSync(folder).toSorted(), [name, 'other.quarry.x.partial'].toSorted());
      // The entry of a backup that has ended does nothing.
      await run(id, 'b');
      assert.equal(must(await store.byId(test.db, id)).ended_at, row.ended_at);
    });

    it('ends without a file when the worker stops, and can be run again', async () => {
      const { id, name } = await ordered();
      const stopping = new AbortController();
      const db = whileReading(async () => stopping.abort());
      await assert.rejects(run(id, 'a', { db, signal: stopping.signal }), { name: 'AbortError' });
      assert.equal(must(await store.byId(test.db, id)).status, 'RUNNING');
      assert.deepEqual(
        readdirSync(folder).filter((file) => file.startsWith(name)),
        [],
      );
      await run(id, 'b');
      assert.equal(must(await store.byId(test.db, id)).status, 'COMPLETED');
    });

    it('gives its file no name after another worker has taken it', async (t) => {
      // PGlite has one connection, which the reading holds.
      if (test.kind === 'postgres' && !hasOwnClock(test)) return t.skip('needs two connections');
      const { id, name } = await ordered();
      const db = whileReading(() => store.begin(test.db, { id, leaseToken: 'b' }, Date.now()));
      await run(id, 'a', { db });
      assert.equal(readdirSync(folder).includes(name), false);
      assert.equal(must(await store.byId(test.db, id)).status, 'RUNNING');
      await run(id, 'b');
      assert.equal(must(await store.byId(test.db, id)).status, 'COMPLETED');
    });
  });
