import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  insertCollection,
  insertConnection,
  insertEntity,
  insertOrganization,
} from '../../test/api/rows.ts';
import { DATABASES } from '../../test/databases.ts';
import { openBefore } from '../../test/older-database.ts';
import { newId } from '../../util.ts';
import { migrate } from '../migrate.ts';

const MESSAGE = { entity_type: 'OutlookMessage' };
const FILE = { entity_type: 'OutlookAttachment' };

for (const database of DATABASES)
  describe(`the files of messages of Outlook on ${database.name}`, () => {
    it('get their messages as parents, and no other row gets one', async (t) => {
      const test = await openBefore(database, '0036');
      t.after(() => test.close());
      const organization_id = newId();
      const collection = { id: newId(), organization_id };
      await insertOrganization(test.db, organization_id);
      await insertCollection(test.db, collection);
      for (const short_name of ['outlook_mail', 'files']) {
        const connection_id = await insertConnection(test.db, collection);
        await test.db
          .updateTable('connections')
          .set({ short_name })
          .where('id', '=', connection_id)
          .execute();
        const owner = { collection_id: collection.id, organization_id, connection_id };
        for (const [entity_id, more] of [
          ['7/AA=7', MESSAGE],
          ['7/AA=7/1', FILE],
          ['7/AA=7/12', { entity_type: 'Made' }],
          ['made', { entity_type: 'Made', origin: '7/AA=7/12' }],
          ['7/99', MESSAGE],
          ['7/gone/1', FILE],
        ] as const)
          await insertEntity(test.db, owner, { entity_id, ...more });
      }
      await migrate(test.db, test.kind);
      const rows = await test.db
        .selectFrom('entities')
        .innerJoin('connections', 'connections.id', 'entities.connection_id')
        .select(['short_name', 'entity_id', 'parent'])
        .where('parent', 'is not', null)
        .orderBy('entity_id')
        .execute();
      assert.deepEqual(
        rows.map(({ short_name, entity_id, parent }) => [short_name, entity_id, parent]).toSorted(),
        [
          ['outlook_mail', '7/AA=7/1', '7/AA=7'],
          ['outlook_mail', '7/AA=7/12', '7/AA=7'],
          ['outlook_mail', '7/gone/1', '7/gone'],
          ['outlook_mail', 'made', '7/AA=7'],
        ],
      );
    });
  });
