import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Insertable } from 'kysely';
import {
  insertCollection,
  insertConnection,
  insertOrganization,
  insertSyncJob,
} from '../../test/api/rows.ts';
import { DATABASES } from '../../test/databases.ts';
import { openBefore } from '../../test/older-database.ts';
import { newId } from '../../util.ts';
import { migrate } from '../migrate.ts';
import type { SyncJobTable } from '../schema.ts';

type Job = readonly [
  status: SyncJobTable['status'],
  trigger: SyncJobTable['trigger'],
  times: Partial<Insertable<SyncJobTable>>,
];
const CASES: readonly (readonly [string, readonly Job[], number | null])[] = [
  ['no job', [], null],
  ['a failed job', [['FAILED', 'manual', { started_at: 1 }]], null],
  [
    'completed, failed and reprocessing jobs',
    [
      ['COMPLETED', 'manual', { started_at: 1 }],
      ['COMPLETED', 'schedule', { started_at: 2 }],
      ['FAILED', 'schedule', { started_at: 3 }],
      ['COMPLETED', 'reprocess', { started_at: 4 }],
    ],
    2,
  ],
  ['a push', [['COMPLETED', 'push', { created_at: 5, started_at: 6 }]], 5],
];

for (const database of DATABASES)
  describe(`the time as of which older connections are true, on ${database.name}`, () => {
    it('is the start of the last completed sync, or the arrival of the last push', async (t) => {
      const test = await openBefore(database, '0039');
      t.after(() => test.close());
      const organization_id = newId();
      const collection = { id: newId(), organization_id };
      await insertOrganization(test.db, organization_id);
      await insertCollection(test.db, collection);
      for (const [name, jobs] of CASES) {
        const id = await insertConnection(test.db, collection, { name });
        for (const [status, trigger, times] of jobs)
          await insertSyncJob(test.db, { id, organization_id }, status, { trigger, ...times });
      }
      await migrate(test.db, test.kind);
      const rows = await test.db.selectFrom('connections').select(['name', 'true_as_of']).execute();
      assert.deepEqual(
        new Map(rows.map(({ name, true_as_of }) => [name, true_as_of])),
        new Map(CASES.map(([name, , time]) => [name, time])),
      );
    });
  });
