import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DATABASES, type TestDatabase } from '../test/databases.ts';
import { newId } from '../util.ts';
import * as store from './admission-store.ts';
import * as removal from './removal-store.ts';

for (const database of DATABASES)
  describe(`removal of windows on ${database.name}`, () => {
    let test: TestDatabase;
    before(async () => {
      test = await database.open();
    });
    after(() => test.close());

    /** Makes a window with this many admissions, at the times 1, 2, 3 and so on. */
    async function windowWith(count: number, key: Partial<store.WindowKey> = {}): Promise<number> {
      const full = { organizationId: newId(), shortName: 'cloud', connectionId: '', ...key };
      const id = await store.windowId(test.db, full);
      for (let from = 1; from <= count; from += 500)
        await test.db
          .insertInto('source_admissions')
          .values(
            Array.from({ length: Math.min(500, count - from + 1) }, (_, i) => ({
              window_id: id,
              seq: from + i,
              at: from + i,
              skew: 0,
              connection_id: 'one',
            })),
          )
          .execute();
      return id;
    }
    const seqs = async (id: number) => {
      const rows = await test.db
        .selectFrom('source_admissions')
        .select('seq')
        .where('window_id', '=', id)
        .orderBy('seq')
        .execute();
      return rows.map(({ seq }) => seq);
    };
    const steps = async (remove: () => Promise<boolean>) => {
      let count = 0;
      while (await remove()) count++;
      return count;
    };

    it('deletes the windows of one connection in steps of 500 rows, and no other window', async () => {
      const [organizationId, connectionId] = [newId(), newId()];
      const own = await windowWith(1001, { organizationId, connectionId });
      const shared = await windowWith(2, { organizationId });
      const turn = { since: 1, until: 2 };
      for (const windowId of [own, shared])
        await store.keepTurn(test.db, { windowId, connectionId }, turn);
      assert.equal(
        await steps(() => removal.removeSomeOfConnection(test.db, connectionId)),
        4,
        'three steps for the rows and one for the window',
      );
      await removal.endTurnsOf(test.db, connectionId);
      assert.deepEqual([await seqs(own), await seqs(shared)], [[], [1, 2]]);
      const windows = async () => {
        const rows = test.db.selectFrom('source_windows').select('id');
        const own = await rows.where('organization_id', '=', organizationId).execute();
        return own.map(({ id }) => id);
      };
      assert.deepEqual(await windows(), [shared]);
      assert.deepEqual(await test.db.selectFrom('source_waits').selectAll().execute(), []);
      await steps(() => removal.removeSomeOfOrganization(test.db, organizationId));
      assert.deepEqual([await seqs(shared), await windows()], [[], []]);
    });

    it('deletes old admissions, but not the newest one of an existing window', async () => {
      const idle = await windowWith(1200);
      const used = await windowWith(3);
      const removed = await windowWith(3);
      await test.db.deleteFrom('source_windows').where('id', '=', removed).execute();
      for await (const _ of removal.forgetAdmissions(test.db, 3));
      assert.deepEqual(
        [(await seqs(idle)).length, await seqs(used), await seqs(removed)],
        [1198, [3], [3]],
      );
      for await (const _ of removal.forgetAdmissions(test.db, 5000));
      assert.deepEqual(
        [await seqs(idle), await seqs(used), await seqs(removed)],
        [[1200], [3], []],
      );
    });
  });
