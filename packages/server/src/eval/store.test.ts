import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestQuarry, type TestQuarry } from '../test/app/quarry.ts';
import { DATABASES } from '../test/databases.ts';
import { collectionsNamed } from './store.ts';

for (const database of DATABASES) {
  describe(`collections to evaluate on ${database.name}`, () => {
    let quarry: TestQuarry;
    before(async () => {
      quarry = await openTestQuarry(await database.open());
    });
    after(() => quarry.close());

    it('are found by their readable_id until they are deleted', async () => {
      const { id } = await quarry.ok('POST', '/v1/collections', {
        name: 'Notes',
        readable_id: 'notes',
      });
      const found = await collectionsNamed(quarry.db, 'notes');
      assert.deepEqual(
        found.map(({ collectionId }) => collectionId),
        [id],
      );
      assert.deepEqual(await collectionsNamed(quarry.db, 'other'), []);
      // The row of a deleted collection stays for a while, until its data is removed.
      const row = quarry.db.updateTable('collections').set({ deleted_at: Date.now() });
      await row.where('id', '=', id).execute();
      assert.deepEqual(await collectionsNamed(quarry.db, 'notes'), []);
    });
  });
}
