import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DATABASES } from '../databases.ts';
import { openTestApi, type TestApi } from './harness.ts';

for (const database of DATABASES) {
  describe(`lists of collections on ${database.name}`, () => {
    let api: TestApi;
    const ids = ['red-apple', 'green-apple', 'dark-wood', 'x50-off', 'y50-off'];
    const newestFirst = ids.toReversed();
    before(async () => {
      api = await openTestApi(await database.open());
      const names = ['Rote Äpfel', 'APPLE green', 'wood_work', '50% off', '50x off'];
      for (const [at, readable_id] of ids.entries())
        await api.call('POST', '/v1/collections', { body: { name: names[at], readable_id } });
      const { key } = await api.stranger();
      await api.call('POST', '/v1/collections', { key, body: { name: 'Apple of others' } });
      await api.call('POST', '/v1/collections', { body: { name: 'Apple gone', readable_id: 'z' } });
      await api.call('DELETE', '/v1/collections/z');
      for (const [at, readable_id] of ids.entries())
        await api.db
          .updateTable('collections')
          .set({ created_at: 1_700_000_000_000 + at })
          .where('readable_id', '=', readable_id)
          .execute();
    });
    after(() => api.close());

    const list = async (query: string) => {
      const { status, body, headers } = await api.call('GET', `/v1/collections${query}`);
      assert.equal(status, 200);
      return {
        ids: body.map(({ readable_id }: { readable_id: string }) => readable_id),
        total: Number(headers['x-total-count']),
      };
    };

    it('[GEN-03] [KEY-13] the list has only collections of the organization, newest first, with the total', async () => {
      assert.deepEqual(await list(''), { ids: newestFirst, total: 5 });
    });

    it('[COL-25] [GEN-03] `skip` and `limit` select a page, and the total stays the same', async () => {
      assert.deepEqual(await list('?limit=2'), { ids: newestFirst.slice(0, 2), total: 5 });
      assert.deepEqual(await list('?skip=2&limit=2'), { ids: newestFirst.slice(2, 4), total: 5 });
      assert.deepEqual(await list('?skip=5'), { ids: [], total: 5 });
    });

    for (const [query, accepted] of [
      ['limit=1', true],
      ['limit=1000', true],
      ['limit=0', false],
      ['limit=1001', false],
      ['limit=-1', false],
      ['limit=1.5', false],
      ['limit=abc', false],
      ['limit=1e2', false],
      ['limit=', false],
      ['limit=1&limit=2', false],
      ['skip=0', true],
      ['skip=9007199254740991', true],
      ['skip=-1', false],
      ['skip=1.0', false],
      ['skip=99999999999999999999', false],
      ['search=a%00b', false],
    ] as const) {
      it(`[COL-25] [GEN-39] ${query} is ${accepted ? 'accepted' : 'refused'}`, async () => {
        const { status, body } = await api.call('GET', `/v1/collections?${query}`);
        assert.equal(status, accepted ? 200 : 422);
        if (!accepted) assert.deepEqual(body.detail[0].loc, ['query', query.split('=')[0]]);
      });
    }

    for (const [search, found] of [
      ['apple', ['green-apple', 'red-apple']],
      ['APPLE', ['green-apple', 'red-apple']],
      ['Green', ['green-apple']],
      ['äpfel', ['red-apple']],
      ['ÄPFEL', ['red-apple']],
      ['d_w', ['dark-wood']],
      ['0%', ['x50-off']],
      ['\\', []],
      ['k-w', ['dark-wood']],
      ['nothing like it', []],
      ['', newestFirst],
    ] as const) {
      it(`[COL-26] [COL-30] search=${search} finds ${found.length}`, async () => {
        const query = `?search=${encodeURIComponent(search)}`;
        assert.deepEqual(await list(query), { ids: found, total: found.length });
      });
    }

    it('[COL-26] a renamed collection is found by its new name, in any case, and not by the old one', async () => {
      const rename = (name: string) =>
        api.call('PATCH', '/v1/collections/dark-wood', { body: { name } });
      await rename('Ölberg');
      const found = await list(`?search=${encodeURIComponent('öLBERG')}`);
      assert.deepEqual(found, { ids: ['dark-wood'], total: 1 });
      assert.deepEqual(await list('?search=d_w'), { ids: [], total: 0 });
      await rename('wood_work');
    });

    it('[GEN-39] a list without a limit has at most a hundred collections', async () => {
      const { key } = await api.stranger();
      const make = (body: object) => api.call('POST', '/v1/collections', { key, body });
      await Promise.all(Array.from({ length: 101 }, (_, i) => make({ name: `Number ${i}` })));
      const { body, headers } = await api.call('GET', '/v1/collections', { key });
      assert.deepEqual([body.length, headers['x-total-count']], [100, '101']);
    });

    it('[GEN-03] collections with the same time of creation keep their order over pages', async () => {
      await api.db.updateTable('collections').set({ created_at: 1_700_000_000_000 }).execute();
      const { ids: whole } = await list('');
      const pages = await Promise.all([0, 1, 2, 3, 4].map((skip) => list(`?limit=1&skip=${skip}`)));
      assert.deepEqual(
        pages.flatMap((page) => page.ids),
        whole,
      );
      const rows = await api.db.selectFrom('collections').select(['id', 'readable_id']).execute();
      const idOf = new Map(rows.map((row) => [row.readable_id, row.id]));
      const inOrder = whole.map((readableId: string) => idOf.get(readableId));
      assert.deepEqual(inOrder, inOrder.toSorted().toReversed());
    });

    it('[COL-27] [COL-30] the count is answered as a plain number', async () => {
      const { status, body } = await api.call('GET', '/v1/collections/count');
      assert.deepEqual([status, body], [200, 5]);
    });
  });
}
