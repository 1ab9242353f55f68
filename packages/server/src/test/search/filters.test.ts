import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FilterGroups } from '../../search/groups.ts';
import { type Connection, ENGINES, type Library, openLibrary } from './library.ts';
import { PLAIN } from './plain.ts';

const STRATEGIES = ['hybrid', 'neural', 'keyword'] as const;

for (const engine of ENGINES) {
  describe(`filters on ${engine.name}`, () => {
    let library: Library;
    let collection: string;
    let pushed: Connection;
    let filed: Connection;

    before(async () => {
      library = await openLibrary(engine);
      collection = await library.addCollection();
      pushed = await library.addConnection(collection, 'push');
      filed = await library.addConnection(collection, 'files');
      const text = 'harbour report';
      await library.put(collection, pushed, [
        {
          id: 'a',
          name: 'Alpha',
          type: 'Note',
          text,
          createdAt: '2024-01-01T00:00:00Z',
          updatedAt: '2024-03-01T12:00:00Z',
          breadcrumbs: [{ id: 'r', name: 'Root', type: 'Space' }],
          access: { viewers: null, isPublic: true },
          fields: { price: 5, tags: ['x', 'y'], deep: { er: true }, due: '2024-05-01T00:00:00Z' },
        },
        {
          id: 'b',
          name: 'Beta',
          type: 'Page',
          text,
          updatedAt: '2024-06-01T00:00:00Z',
          breadcrumbs: [
            { id: 'r', name: 'Root', type: 'Space' },
            { id: 's', name: 'Leaf', type: 'Page' },
          ],
          fields: {
            price: 12.5,
            tags: [],
            deep: null,
            day: '2024-05-02',
            at: '2024-05-02T01:00:00+02:00',
          },
        },
      ]);
      await library.put(collection, filed, [
        { id: 'c', name: 'alpha two', type: 'Page', text: `${text}. ${'word '.repeat(1500)}` },
      ]);
    });
    after(() => library.close());

    /** Returns the source ids that the filter lets through, which every strategy must agree on. */
    async function through(filter: unknown): Promise<string> {
      const found = await Promise.all(
        STRATEGIES.map(async (retrieval_strategy) => {
          const query = 'harbour report word';
          const ids = await library.find(collection, query, { retrieval_strategy, filter });
          return [...new Set(ids.map((id) => id.replace(/__chunk_.*/, '')))].toSorted().join('');
        }),
      );
      assert.equal(new Set(found).size, 1, `the strategies differ: ${found}`);
      return found[0] ?? '';
    }
    const where = (key: string, says: object) => through({ must: [{ key, ...says }] });
    const equals = (key: string, value: unknown) => where(key, { match: { value } });

    it('[FIL-05] [FIL-06] a filter can match every key', async () => {
      assert.equal(await through(null), 'abc');
      assert.equal(await equals('entity_id', 'a__chunk_0'), 'a');
      assert.equal(await equals('entity_id', 'a'), '');
      assert.equal(await equals('original_entity_id', 'b'), 'b');
      assert.equal(await equals('name', 'Alpha'), 'a');
      assert.equal(await equals('source_name', 'files'), 'c');
      assert.equal(await equals('entity_type', 'Page'), 'bc');
      assert.equal(await equals('sync_id', pushed.syncId), 'ab');
      assert.equal(await equals('sync_job_id', filed.jobId), 'c');
      assert.equal(await where('chunk_index', { range: { gte: 1 } }), 'c');
      assert.equal(await equals('chunk_index', 0), 'abc');
      assert.equal(await equals('created_at', '2024-01-01'), 'a');
      assert.equal(await equals('updated_at', '2024-03-01T14:00:00+02:00'), 'a');
      assert.equal(await equals('breadcrumbs.entity_id', 's'), 'b');
      assert.equal(await equals('breadcrumbs.name', 'Root'), 'ab');
      assert.equal(await equals('breadcrumbs.entity_type', 'Page'), 'b');
      assert.equal(await equals('access.is_public', true), 'a');
      // The other records have no access data, and therefore no such field.
      assert.equal(await equals('access.is_public', false), '');
    });

    it("[FIL-07] a filter can match the source's own fields", async () => {
      assert.equal(await equals('metadata.price', 5), 'a');
      assert.equal(await equals('metadata.tags', 'y'), 'a');
      assert.equal(await equals('metadata.deep.er', true), 'a');
      assert.equal(await where('metadata.price', { range: { gt: 5, lte: 12.5 } }), 'b');
      assert.equal(await where('metadata.due', { range: { lt: '2024-05-02' } }), 'a');
      assert.equal(await equals('metadata.nothing', 'x'), '');
    });

    it('[FIL-02] [FIL-03] `text` matches a part of a value, `any` one of several values, `except` none of them, and `range` compares times', async () => {
      assert.equal(await where('name', { match: { text: 'lpha' } }), 'ac');
      assert.equal(await where('name', { match: { text: 'Alp' } }), 'a');
      assert.equal(await where('name', { match: { any: ['Alpha', 'Beta'] } }), 'ab');
      assert.equal(await where('name', { match: { except: ['Alpha', 'Beta'] } }), 'c');
      for (const bound of ['2024-05-02', '2024-05-02T00:00:00Z', '2024-05-02T02:00:00+02:00']) {
        assert.equal(await where('metadata.day', { range: { gte: bound, lte: bound } }), 'b');
        assert.equal(await where('metadata.day', { range: { gt: bound } }), '');
        assert.equal(await where('metadata.at', { range: { lt: bound } }), 'b');
      }
      assert.equal(await where('metadata.at', { range: { gte: '2024-05-01T23:00:00Z' } }), 'b');
      assert.equal(await where('metadata.due', { range: { lte: '2024-05-01T00:00:00Z' } }), 'a');
      assert.equal(await where('updated_at', { range: { lt: '9999-12-31T23:59:59-05:00' } }), 'ab');
      assert.equal(await where('updated_at', { range: { gt: '0001-01-01T00:00:00+05:00' } }), 'ab');
      assert.equal(await where('updated_at', { range: { gt: '2024-03-01T12:00:00Z' } }), 'b');
      assert.equal(await where('updated_at', { range: { gte: '2024-03-01T12:00:00Z' } }), 'ab');
    });

    it('[FIL-04] [FIL-18] a condition on a missing field is false, so `must_not` accepts the record', async () => {
      const late = { key: 'updated_at', range: { gte: '2024-06-01' } };
      assert.equal(await through({ must: [late] }), 'b');
      assert.equal(await through({ must_not: [late] }), 'ac');
      assert.equal(await where('metadata.price', { match: { except: [5] } }), 'b');
      assert.equal(await through({ must: { is_null: { key: 'updated_at' } } }), 'c');
      assert.equal(await through({ must: { is_empty: { key: 'metadata.tags' } } }), 'bc');
      assert.equal(await through({ must_not: { is_null: { key: 'metadata.deep' } } }), 'a');
    });

    it('[FIL-04] `nested` looks at one element at a time', async () => {
      const crumb = (name: string, type: string) => ({
        nested: {
          key: 'breadcrumbs',
          filter: {
            must: [
              { key: 'name', match: { value: name } },
              { key: 'entity_type', match: { value: type } },
            ],
          },
        },
      });
      assert.equal(await through({ must: [crumb('Leaf', 'Page')] }), 'b');
      assert.equal(await through({ must: [crumb('Leaf', 'Space')] }), '');
    });

    it('[FIL-01] `should` needs one condition, and `min_should` needs as many as `min_count` says', async () => {
      const conditions = [
        { key: 'name', match: { text: 'lpha' } },
        { key: 'entity_type', match: { value: 'Page' } },
        { key: 'source_name', match: { value: 'files' } },
      ];
      assert.equal(await through({ should: conditions }), 'abc');
      assert.equal(await through({ min_should: { conditions, min_count: 2 } }), 'c');
      assert.equal(await through({ min_should: { conditions, min_count: 3 } }), 'c');
      assert.equal(await through({ min_should: { conditions, min_count: 4 } }), '');
    });

    it('[FIL-19] `has_id` accepts ids of chunks and ids of the source', async () => {
      assert.equal(await through({ must: { has_id: ['a', 'b__chunk_0', 'c__chunk_999'] } }), 'ab');
      assert.equal(await through({ must_not: { has_id: ['a'] } }), 'bc');
    });

    it('[FIL-10] a filter of groups finds the records that at least one group accepts', async () => {
      const groups = FilterGroups.parse([
        [
          { field: 'entity_type', operator: 'equals', value: 'Page' },
          { field: 'metadata.price', operator: 'greater_than', value: 5 },
        ],
        { conditions: [{ field: 'source_name', operator: 'in', value: ['files'] }] },
      ]);
      assert.equal(await through(groups), 'bc');
      assert.equal(await through(FilterGroups.parse([])), 'abc');
    });

    it('[SRH-29] a filter applies with every option, and to the answer', async () => {
      for (const retrieval_strategy of STRATEGIES) {
        const answer = await library.search(collection, {
          ...PLAIN,
          retrieval_strategy,
          query: 'harbour report in 2024',
          filter: { must: [{ key: 'name', match: { value: 'Beta' } }] },
          expand_query: true,
          interpret_filters: true,
          rerank: true,
          generate_answer: true,
        });
        assert.deepEqual(
          answer.results.map(({ entity_id }) => entity_id),
          ['b__chunk_0'],
        );
        assert.equal(answer.completion, 'harbour report [b__chunk_0]');
      }
    });
  });
}
