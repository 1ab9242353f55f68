import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { page, whole } from '../app/source.ts';
import { DATABASES } from '../databases.ts';
import { isLeftToSqlite } from '../tier.ts';
import { openShop, type Shop } from './shop.ts';

const [ANN, BEN] = [{ 'x-principals': 'user:ann' }, { 'x-principals': 'user:ben' }];
const OF_ANN = { viewers: ['user:ann'], isPublic: false };

for (const database of DATABASES) {
  describe(`the access of what transformers return on ${database.name}`, () => {
    if (isLeftToSqlite(database)) return;
    let shop: Shop;
    let collection: string;
    before(async () => {
      shop = await openShop(await database.open());
    });
    after(() => shop.close());
    beforeEach(async () => {
      collection = await shop.collection();
      shop.world.items = whole(page('a', { text: 'one\ntwo', access: OF_ANN }));
    });

    const found = async (method: string, config: object) => {
      const transformer = { transformer_id: await shop.transformer(method), config };
      await shop.sync(await shop.connect(collection, [transformer]));
      const as = async (who: Record<string, string>) =>
        (await shop.find(collection, 'one', {}, who)).toSorted();
      return { ann: await as(ANN), ben: await as(BEN) };
    };

    it('is that of their input for entities that are made of a restricted one', async () => {
      assert.deepEqual(await found('lines', {}), {
        ann: ['a#0__chunk_0', 'a#1__chunk_0', 'a__chunk_0'],
        ben: [],
      });
    });

    it('is not that of an earlier form once somebody may no longer see the record, and transformers fail', async () => {
      const config = { word: 'x', splits: true, drops: false, fails: true };
      const id = await shop.transformer('model', { module_name: 'model.js' });
      const connection = await shop.connect(collection, [{ transformer_id: id, config }]);
      const sync = async (text: string, viewers: string[]) => {
        shop.world.items = whole(page('a', { text, access: { viewers, isPublic: false } }));
        await shop.sync(connection);
        const as = async (who: Record<string, string>) =>
          (await shop.find(collection, 'word', {}, who)).toSorted();
        return { ann: await as(ANN), ben: await as(BEN) };
      };
      const both = ['user:ann', 'user:ben'];
      const form = ['a/0__chunk_0', 'a__chunk_0'];
      assert.deepEqual(await sync('word split1', both), { ann: form, ben: form });
      assert.deepEqual(await sync('fail', both), { ann: form, ben: form });
      assert.deepEqual(await sync('fail', [...both, 'user:cem']), { ann: form, ben: form });
      assert.deepEqual(await sync('fail', ['user:ann']), { ann: [], ben: [] });
      assert.deepEqual(await sync('word', ['user:ann']), { ann: ['a__chunk_0'], ben: [] });
    });

    it('is that of their input for an entity that comes back without any', async () => {
      const rewritten = await found('bare', { suffix: '' });
      assert.deepEqual(rewritten, { ann: ['a__chunk_0'], ben: [] });
    });

    it('is what they say where they say one', async () => {
      const access = { viewers: ['user:ben'], is_public: false };
      const made = await found('bare', { suffix: '#copy', access });
      assert.deepEqual(made, { ann: [], ben: ['a#copy__chunk_0'] });
    });
  });
}
