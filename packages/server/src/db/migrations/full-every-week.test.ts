import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { insertCollection, insertConnection, insertOrganization } from '../../test/api/rows.ts';
import { DATABASES } from '../../test/databases.ts';
import { openBefore } from '../../test/older-database.ts';
import { newId } from '../../util.ts';
import { migrate } from '../migrate.ts';

for (const database of DATABASES)
  describe(`full syncs of older connections on ${database.name}`, () => {
    it('[JOB-46] come every week where the source reports deletions and nobody has set another time', async (t) => {
      const test = await openBefore(database, '0062');
      t.after(() => test.close());
      const collection = { id: newId(), organization_id: newId() };
      await insertOrganization(test.db, collection.organization_id);
      await insertCollection(test.db, collection);
      const cases = [
        ['gmail', null, 168],
        ['sharepoint_online', 48, 48],
        ['jira', 24, 24],
        ['jira', null, null],
        ['files', null, null],
      ] as const;
      const ids: string[] = [];
      for (const [short_name, full_every] of cases)
        ids.push(await insertConnection(test.db, collection, { short_name, full_every }));
      await migrate(test.db, test.kind);
      const rows = await test.db.selectFrom('connections').select(['id', 'full_every']).execute();
      const after = new Map(rows.map((row) => [row.id, row.full_every]));
      assert.deepEqual(
        ids.map((id) => after.get(id)),
        cases.map(([, , expected]) => expected),
      );
    });
  });
