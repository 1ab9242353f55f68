import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Connection, ENGINES, type Library, openLibrary } from './library.ts';
import { PLAIN } from './plain.ts';

const STRATEGIES = ['hybrid', 'neural', 'keyword'] as const;

for (const engine of ENGINES) {
  describe(`search on ${engine.name}`, () => {
    let library: Library;
    let collection: string;
    let connection: Connection;

    before(async () => {
      library = await openLibrary(engine);
      collection = await library.addCollection();
      connection = await library.addConnection(collection, 'push');
      await library.put(collection, connection, [
        {
          id: 'doctor',
          name: 'Surgery',
          type: 'Page',
          text: 'A physician treats patients in the clinic.',
          url: 'https://example.org/doctor',
          breadcrumbs: [
            { id: 'root', name: 'Wiki', type: 'Space' },
            { id: 'health', name: 'Health', type: 'Page' },
          ],
          createdAt: '2024-01-01T00:00:00Z',
          updatedAt: '2024-02-01T00:00:00Z',
          fields: { author: 'Ann', name: 'not this', heading: 'nor this', page: 7 },
        },
        { id: 'boat', text: '# Sailing\n\nThe **boat** crosses the sea with its sails up.' },
        { id: 'engine', text: 'Our database holds the backups of every engine.' },
        { id: 'empty', name: 'Quarterly forecast', text: '' },
      ]);
    });
    after(() => library.close());

    const find = (query: string, body: object = {}) => library.find(collection, query, { ...body });

    it('[SRH-04] the keyword strategy finds only chunks that share a term with the query, in any form of the word', async () => {
      const keyword = { retrieval_strategy: 'keyword' };
      assert.deepEqual(await find('doctors of medicine', keyword), []);
      assert.deepEqual(await find('the of with', keyword), []);
      assert.deepEqual(await find('Treating', keyword), ['doctor__chunk_0']);
      assert.deepEqual(await find('crossed sea engines', keyword), [
        'boat__chunk_0',
        'engine__chunk_0',
      ]);
    });

    it('[SRH-05] the neural strategy finds a paraphrase that shares no term', async () => {
      const [first] = await find('doctors of medicine', { retrieval_strategy: 'neural' });
      assert.equal(first, 'doctor__chunk_0');
    });

    it('[SRH-06] the hybrid strategy finds what words or meaning find', async () => {
      const found = await find('doctors and engines');
      assert.deepEqual(found.slice(0, 2).toSorted(), ['doctor__chunk_0', 'engine__chunk_0']);
      const [first] = await find('doctors of medicine');
      assert.equal(first, 'doctor__chunk_0');
    });

    it('[ENT-22] a record without text is found by its name', async () => {
      for (const retrieval_strategy of STRATEGIES) {
        const { results } = await library.search(collection, {
          ...PLAIN,
          query: 'quarterly forecasts',
          retrieval_strategy,
        });
        assert.equal(results[0]?.entity_id, 'empty__chunk_0', retrieval_strategy);
        assert.equal(results[0]?.md_content, '');
      }
    });

    it('[SRH-13] [SRH-14] [SRH-15] [SRH-16] [ENT-26] a result shows a chunk, its record and its source', async () => {
      const { results } = await library.search(collection, { ...PLAIN, query: 'physician' });
      const [{ score, ...result }] = results as [(typeof results)[0]];
      assert.ok(score > 0 && score < 1);
      assert.deepEqual(result, {
        entity_id: 'doctor__chunk_0',
        source_name: 'push',
        md_content: 'A physician treats patients in the clinic.',
        metadata: {
          author: 'Ann',
          'source.name': 'not this',
          'source.heading': 'nor this',
          'source.page': 7,
          name: 'Surgery',
          entity_type: 'Page',
          source_connection_id: connection.id,
          created_at: '2024-01-01T00:00:00.000Z',
          updated_at: '2024-02-01T00:00:00.000Z',
          heading: null,
          page: null,
          place: null,
          line: 1,
        },
        breadcrumbs: ['Wiki', 'Health'],
        url: 'https://example.org/doctor',
        true_as_of: null,
      });
    });

    it('[FIL-07] [ENT-26] a filter names a field of the source as the source does, even if a field of Quarry has that name', async () => {
      const own = (key: string, value: unknown) =>
        find('physician', { filter: { must: [{ key, match: { value } }] } });
      assert.deepEqual(await own('metadata.page', 7), ['doctor__chunk_0']);
      assert.deepEqual(await own('metadata.name', 'not this'), ['doctor__chunk_0']);
      assert.deepEqual(await own('metadata.name', 'Surgery'), []);
    });

    it('[SRH-14] [SRH-15] [SRH-16] a result shows Markdown, and empty or null values for missing fields', async () => {
      const { results } = await library.search(collection, { ...PLAIN, query: 'boat sails' });
      const [boat] = results;
      assert.match(boat?.md_content ?? '', /The \*\*boat\*\* crosses the sea/);
      assert.deepEqual([boat?.url, boat?.breadcrumbs], ['', []]);
      assert.equal(boat?.metadata.updated_at, null);
      assert.equal(boat?.metadata.created_at, null);
      assert.equal(boat?.metadata.heading, 'Sailing');
    });

    it('[SRH-08] with expansion, a word that the query writes as two words is found too', async () => {
      const keyword = { retrieval_strategy: 'keyword' };
      assert.deepEqual(await find('data base', keyword), []);
      assert.deepEqual(await find('data base', { ...keyword, expand_query: true }), [
        'engine__chunk_0',
      ]);
      assert.deepEqual(await find('doctors of medicine', { ...keyword, expand_query: true }), []);
    });

    it('[SRH-10] reranking adds no results to the keyword strategy', async () => {
      const keyword = { retrieval_strategy: 'keyword', rerank: true };
      assert.deepEqual(await find('doctors of medicine', keyword), []);
      assert.deepEqual(await find('sea', keyword), ['boat__chunk_0']);
    });

    it('[SRH-05] a query without words finds nothing', async () => {
      for (const retrieval_strategy of STRATEGIES)
        assert.deepEqual(await find('?!', { retrieval_strategy, rerank: true }), []);
    });

    it('[SRH-24] no result has a high score when nothing matches the query well', async () => {
      for (const retrieval_strategy of STRATEGIES) {
        for (const rerank of [false, true]) {
          const { results } = await library.search(collection, {
            ...PLAIN,
            rerank,
            retrieval_strategy,
            query: 'sea lawsuits zebra quantum tariff',
          });
          assert.ok(results.every(({ score }) => score < 0.5));
        }
      }
    });

    it('[SRH-27] the threshold keeps results whose score equals it', async () => {
      const body = { ...PLAIN, query: 'physician boat database' };
      const { results } = await library.search(collection, body);
      assert.ok(results.length > 2);
      const score_threshold = results[1]?.score ?? 0;
      for (const recency_bias of [0, 0.7]) {
        const kept = await library.search(collection, { ...body, score_threshold, recency_bias });
        assert.deepEqual(
          kept.results.map(({ entity_id }) => entity_id).toSorted(),
          results
            .slice(0, 2)
            .map(({ entity_id }) => entity_id)
            .toSorted(),
        );
      }
      const none = await library.search(collection, { ...body, score_threshold: 1 });
      assert.deepEqual(none.results, []);
    });

    it('[SRH-31] [SRH-12] the answer quotes the results on the page', async () => {
      const body = { ...PLAIN, generate_answer: true, query: 'who treats patients', limit: 1 };
      const { results, completion } = await library.search(collection, body);
      assert.equal(results.length, 1);
      assert.equal(completion, 'A physician treats patients in the clinic. [doctor__chunk_0]');
      const silent = await library.search(collection, { ...body, generate_answer: false });
      assert.ok(!('completion' in silent));
      const none = await library.search(collection, { ...body, offset: 1000 });
      assert.equal(none.completion, 'Nothing in this collection answers the query.');
    });

    it('[SRH-32] [SRH-33] the response names the options that worked without a model, and no others', async () => {
      const degraded = async (body: object) =>
        (await library.search(collection, { ...PLAIN, query: 'boat', ...body })).metadata.degraded;
      assert.deepEqual(await degraded({}), []);
      const all = { expand_query: true, interpret_filters: true };
      assert.deepEqual(await degraded({ ...all, rerank: true, generate_answer: true }), [
        'expand_query',
        'interpret_filters',
        'rerank',
        'generate_answer',
      ]);
      for (const option of ['expand_query', 'interpret_filters', 'rerank', 'generate_answer'])
        assert.deepEqual(await degraded({ [option]: true }), [option]);
    });

    it('[SRH-09] a restriction in the query is applied and shown', async () => {
      const body = { ...PLAIN, query: 'physician boat in 2024' };
      const read = await library.search(collection, { ...body, interpret_filters: true });
      assert.deepEqual(
        read.results.map(({ entity_id }) => entity_id),
        ['doctor__chunk_0'],
      );
      assert.deepEqual(read.metadata.interpreted_filter, {
        must: [
          {
            key: 'updated_at',
            range: { gte: '2024-01-01T00:00:00.000Z', lt: '2025-01-01T00:00:00.000Z' },
          },
        ],
      });
      const plain = await library.search(collection, body);
      assert.ok(plain.results.length > 1);
      assert.ok(!('interpreted_filter' in plain.metadata));
      await library.db
        .insertInto('entity_counts')
        .values({ connection_id: connection.id, entity_type: 'Page', count: 1, listed: 1 })
        .execute();
      assert.deepEqual(await find('physician boat type:page', { interpret_filters: true }), [
        'doctor__chunk_0',
      ]);
      const named = await find('physician boat source:push', { interpret_filters: true });
      assert.deepEqual(named, await find('physician boat'));
    });

    it('a search in an empty collection finds nothing, and its answer says so', async () => {
      const bare = await library.addCollection();
      const body = { query: 'boat', interpret_filters: true };
      const answer = await library.search(bare, body);
      assert.deepEqual(answer.results, []);
      assert.match(answer.completion ?? '', /Nothing/);
      await library.addConnection(bare);
      assert.deepEqual((await library.search(bare, body)).results, []);
    });
  });
}
