/** Tests filters as large as the contract of a search allows, on real databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DATABASES } from '../databases.ts';
import { isSmokeEnough } from '../tier.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';

for (const database of DATABASES) {
  describe(`sizes of filters on ${database.name}`, () => {
    let quarry: TestQuarry;
    before(async () => {
      quarry = await openTestQuarry(await database.open());
      await quarry.ok('POST', '/v1/collections', { name: 'Filters', readable_id: 'filters' });
      const { id } = await quarry.ok('POST', '/v1/source-connections', {
        name: 'Pushed',
        short_name: 'push',
        readable_collection_id: 'filters',
      });
      const deep = Array.from({ length: 19 }).reduce<object>((inner) => ({ a: inner }), { a: 1 });
      const entity = {
        entity_id: 'e',
        name: 'Bird',
        text: 'A heron.',
        metadata: { n: 7, a: deep, l: [deep] },
      };
      await quarry.ok('POST', `/v1/source-connections/${id}/entities`, { entities: [entity] });
      await quarry.settled(id);
    });
    after(() => quarry.close());

    const search = (filter: unknown) =>
      quarry.call('POST', '/v1/collections/filters/search', { query: 'heron', filter });
    const found = async (filter: unknown) => {
      const { status, body } = await search(filter);
      assert.equal(status, 200, JSON.stringify(body));
      return body.results.length;
    };
    const condition = { key: 'name', match: { value: 'Bird' } };

    it('[FIL-01] every kind of group accepts a thousand conditions', async () => {
      const many = Array.from({ length: 1000 }, () => condition);
      assert.equal(await found({ must: many }), 1);
      assert.equal(await found({ should: many }), 1);
      assert.equal(await found({ min_should: { conditions: many, min_count: 1000 } }), 1);
      assert.equal(await found({ must_not: many }), 0);
    });

    it('[FIL-02] a condition accepts a list of a thousand values', async () => {
      const any = Array.from({ length: 1000 }, (_, i) => i);
      assert.equal(await found({ must: [{ key: 'metadata.n', match: { any } }] }), 1);
    });

    it('[FIL-07] [FIL-08] a path of 20 parts is accepted, and a longer path is refused', async () => {
      const path = (parts: number) => `metadata.${Array(parts).fill('a').join('.')}`;
      assert.equal(await found({ must: [{ key: path(20), match: { any: [1] } }] }), 0);
      assert.equal((await search({ must: [{ is_null: { key: path(21) } }] })).status, 422);
    });

    it('[FIL-04] [FIL-08] the limit of 20 parts holds for the paths of `nested` too', async () => {
      const nested = (parts: number, key = Array(parts).fill('a').join('.')) => ({
        nested: { key: 'metadata.l', filter: { must: { key, match: { value: 1 } } } },
      });
      const inner = (parts: number, key = Array(parts).fill('a').join('.')) => ({
        nested: {
          key: 'metadata.l',
          filter: { must: { nested: { key, filter: { must: { is_null: { key: 'x' } } } } } },
        },
      });
      assert.equal(await found({ must: nested(20) }), 1);
      assert.equal(await found({ must_not: inner(20) }), 1);
      for (const filter of [nested(21), nested(40), inner(21), inner(40)])
        assert.equal((await search({ must: filter })).status, 422);
    });

    if (isSmokeEnough(database)) return;

    it('at most 50 keys of a filter may have more than 10 parts', async () => {
      const of = (count: number, parts: number) =>
        Array.from({ length: count }, (_, i) => ({
          nested: {
            key: `metadata.${Array(parts - 1)
              .fill('a')
              .join('.')}`,
            filter: { must_not: { key: 'b', match: { value: i } } },
          },
        }));
      assert.equal(await found({ must_not: [...of(50, 11), ...of(100, 10)] }), 1);
      const { status, body } = await search({ must: { should: of(51, 11) } });
      assert.deepEqual([status, body.detail[0].loc], [422, ['body', 'filter']]);
      assert.match(body.detail[0].msg, /^at most 50 keys .* more than 10 parts$/);
    });

    it('[FIL-08] a filter with too many conditions for the size of its collection is refused', async () => {
      const conditions = (count: number) => ({
        must: Array.from({ length: count }, () => condition),
      });
      const groups = (count: number) => [
        {
          conditions: Array.from({ length: count }, () => ({
            field: 'name',
            operator: 'equals',
            value: 'Bird',
          })),
        },
      ];
      const agentic = (filter: unknown, path = '') =>
        quarry.call('POST', `/v1/collections/filters/agentic-search${path}`, {
          query: 'heron',
          mode: 'fast',
          filter,
        });
      const { id } = await quarry.ok('GET', '/v1/collections/filters');
      const pretend = (chunks: number) =>
        quarry.db.updateTable('indexes').set({ chunks }).where('collection_id', '=', id).execute();
      // A filter of more than 10 conditions is refused when conditions times chunks exceed
      // 2,000,000. The number of chunks is rounded up to a power of two before.
      for (const [chunks, most] of [
        [1 << 15, 61],
        [(1 << 15) + 1, 30],
        [1 << 21, 10],
      ] as const) {
        await pretend(chunks);
        assert.equal((await search(conditions(most))).status, 200);
        assert.equal((await agentic(groups(most))).status, 200);
        for (const answer of [
          await search(conditions(most + 1)),
          await agentic(groups(most + 1)),
          await agentic(groups(most + 1), '/stream'),
        ]) {
          assert.equal(answer.status, 422, JSON.stringify(answer.body));
          assert.deepEqual(answer.body.detail[0].loc, ['body', 'filter']);
          assert.match(answer.body.detail[0].msg, /has \d+ conditions.*use fewer/);
          assert.ok(!answer.body.detail[0].msg.includes(`${chunks}`));
        }
        const any = Array.from({ length: 1000 }, (_, i) => `Bird${i || ''}`);
        assert.equal(await found({ must: [{ key: 'name', match: { any } }] }), 1);
      }
      await pretend(1);
    });

    it('[FIL-08] conditions count wherever they stand in the filter', async () => {
      const { id } = await quarry.ok('GET', '/v1/collections/filters');
      const pretend = (chunks: number) =>
        quarry.db.updateTable('indexes').set({ chunks }).where('collection_id', '=', id).execute();
      const many = (count: number) => Array.from({ length: count }, () => condition);
      const key = 'metadata.l';
      const inner = { key: 'a', match: { value: 1 } };
      await pretend(1 << 15);
      for (const filterOf of [
        (count: number) => ({ should: many(count) }),
        (count: number) => ({ must_not: many(count) }),
        (count: number) => ({ must_not: { should: many(count) } }),
        (count: number) => ({ must_not: { must: many(count - 1), must_not: condition } }),
        (count: number) => ({ min_should: { conditions: many(count), min_count: 1 } }),
        // The `nested` itself counts as one more condition.
        (count: number) => ({
          must: { nested: { key, filter: { should: Array(count - 1).fill(inner) } } },
        }),
      ]) {
        const shape = JSON.stringify(filterOf(2));
        assert.equal((await search(filterOf(61))).status, 200, shape);
        const { status, body } = await search(filterOf(62));
        assert.equal(status, 422, shape);
        assert.match(body.detail[0].msg, /has 62 conditions/);
      }
      await pretend(1);
    });

    it('[FIL-08] a filter of more than 50,000 characters is refused', async () => {
      const value = 'x'.repeat(50_000);
      const { status, body } = await search({ must: [{ key: 'name', match: { value } }] });
      assert.equal(status, 422);
      assert.deepEqual(body.detail[0].loc, ['body', 'filter']);
      assert.match(body.detail[0].msg, /50000 characters/);
    });
  });
}
