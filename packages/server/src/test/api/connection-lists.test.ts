import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DATABASES } from '../databases.ts';
import { openTestApi, type TestApi } from './harness.ts';

for (const database of DATABASES)
  describe(`lists of connections on ${database.name}`, () => {
    let api: TestApi;
    const ids = new Map<string, string>();
    const names = [
      'Rote Äpfel',
      'Pineapples of Ann',
      'APPLE tree',
      'wood_work',
      '50% off',
      '50x off',
    ];
    const newestFirst = names.toReversed();
    const connect = async (name: string, collection: string, key?: string) => {
      const body = { name, short_name: 'push', readable_collection_id: collection };
      const made = await api.call('POST', '/v1/source-connections', {
        body,
        ...(key !== undefined && { key }),
      });
      assert.equal(made.status, 200, JSON.stringify(made.body));
      return made.body.id as string;
    };
    before(async () => {
      api = await openTestApi(await database.open());
      const collect = (readable_id: string, key?: string) =>
        api.call('POST', '/v1/collections', {
          body: { name: readable_id, readable_id },
          ...(key !== undefined && { key }),
        });
      for (const readable_id of ['orchard', 'tool-shed']) await collect(readable_id);
      for (const [at, name] of names.entries()) {
        const id = await connect(name, at < 3 ? 'orchard' : 'tool-shed');
        ids.set(name, id);
        await api.db
          .updateTable('connections')
          .set({ created_at: 1_700_000_000_000 + at })
          .where('id', '=', id)
          .execute();
      }
      const { key } = await api.stranger();
      await collect('foreign', key);
      await connect('Apples of others', 'foreign', key);
      const gone = await connect('Apples of yesterday', 'orchard');
      await api.call('DELETE', `/v1/source-connections/${gone}`);
    });
    after(() => api.close());

    const list = async (query: string) => {
      const { status, body, headers } = await api.call('GET', `/v1/source-connections${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      return {
        names: body.map(({ name }: { name: string }) => name),
        total: Number(headers['x-total-count']),
      };
    };

    for (const [search, found] of [
      ['apple', ['APPLE tree', 'Pineapples of Ann']],
      ['APPLE', ['APPLE tree', 'Pineapples of Ann']],
      ['ann pine', ['Pineapples of Ann']],
      ['pine tree', []],
      ['äpfel', ['Rote Äpfel']],
      ['ÄPFEL', ['Rote Äpfel']],
      ['apfel', ['Rote Äpfel']],
      ['d_w', ['wood_work']],
      ['0%', ['50% off']],
      ['\\', []],
      ['orchard', ['APPLE tree', 'Pineapples of Ann', 'Rote Äpfel']],
      ['shed 50', ['50x off', '50% off']],
      ['push 50x', ['50x off']],
      ['k', ['wood_work']],
      ['p', ['Pineapples of Ann', '50x off', '50% off', 'wood_work', 'APPLE tree', 'Rote Äpfel']],
      ['nothing like it', []],
      ['', newestFirst],
      [' \u0301 ', newestFirst],
    ] as const)
      it(`[CON-17] search=${search} finds ${found.length}`, async () => {
        const query = `?search=${encodeURIComponent(search)}`;
        assert.deepEqual(await list(query), { names: found, total: found.length });
      });

    it('[CON-17] a search is one of a collection, too, and comes in pages', async () => {
      assert.deepEqual(await list('?search=apple&collection=tool-shed'), { names: [], total: 0 });
      assert.deepEqual(await list('?search=p&skip=1&limit=2'), {
        names: ['50x off', '50% off'],
        total: 6,
      });
    });

    it('[CON-17] a renamed connection is found by its new name, in any case, and not by the old one', async () => {
      const rename = (name: string) =>
        api.call('PATCH', `/v1/source-connections/${ids.get('wood_work')}`, { body: { name } });
      await rename('Ölberg');
      assert.deepEqual((await list(`?search=${encodeURIComponent('öLBERG')}`)).names, ['Ölberg']);
      assert.deepEqual((await list('?search=d_w')).names, []);
      await rename('wood_work');
    });

    it('[CON-17] [KEY-13] a key of one collection finds only what is in it', async () => {
      const key = await api.keyOf('read', { collections: ['tool-shed'] });
      const { body } = await api.call('GET', '/v1/source-connections?search=a', { key });
      assert.deepEqual(body, []);
    });

    for (const search of ['x'.repeat(201), 'a\0b'])
      it(`[CON-17] refuses a search of ${search.length} characters that no name has`, async () => {
        const query = `?search=${encodeURIComponent(search)}`;
        const { status, body } = await api.call('GET', `/v1/source-connections${query}`);
        assert.equal(status, 422);
        assert.deepEqual(body.detail[0].loc, ['query', 'search']);
      });
  });
