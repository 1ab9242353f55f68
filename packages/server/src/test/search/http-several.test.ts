/** Tests POST /v1/search: who finds what in which collections, and what is refused. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestApi, type TestApi } from '../api/harness.ts';
import { DATABASES } from '../databases.ts';
import { libraryOn } from './library.ts';

interface Result {
  readonly entity_id: string;
  readonly score: number;
  readonly collection: { readonly readable_id: string; readonly name: string };
  readonly explanation?: { readonly access: { readonly reason: string } };
}

for (const database of DATABASES) {
  describe(`POST /v1/search on ${database.name}`, () => {
    let api: TestApi;

    before(async () => {
      const opened = await database.open();
      api = await openTestApi(opened);
      const { organizationId } = await api.owner();
      const library = libraryOn(opened, 'exact', organizationId);
      const shared = { viewers: ['group:crew'], isPublic: false };
      for (const [readable_id, name, docs] of [
        ['harbour', 'The harbour', ['harbour log', 'harbour rules']],
        ['boats', 'Boats', ['harbour of boats']],
        ['empty', 'Nothing yet', []],
      ] as const) {
        const { body } = await api.call('POST', '/v1/collections', { body: { name, readable_id } });
        const connection = await library.addConnection(body.id);
        const texts = docs.map((text, i) => ({ id: `${readable_id}-${i}`, text }));
        const secret = { id: `${readable_id}-secret`, text: 'harbour secret', access: shared };
        await library.put(body.id, connection, docs.length > 0 ? [...texts, secret] : []);
      }
    });
    after(() => api.close());

    const post = (
      body: object,
      options: { key?: string | null; headers?: Record<string, string> } = {},
    ) => api.call('POST', '/v1/search', { body: { query: 'harbour', ...body }, ...options });
    const found = async (...asked: Parameters<typeof post>) => {
      const { status, body } = await post(...asked);
      assert.equal(status, 200, JSON.stringify(body));
      return body.results.map(({ entity_id }: Result) => entity_id.split('__')[0]).toSorted();
    };
    const ALL = ['boats-0', 'boats-secret', 'harbour-0', 'harbour-1', 'harbour-secret'];

    it('searches all collections that the key may read, and names the collection of each result', async () => {
      const { status, body } = await post({});
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(body).toSorted(), ['completion', 'metadata', 'results']);
      assert.match(body.completion, /^harbour .* \[.*__chunk_0\]$/);
      const results: Result[] = body.results;
      assert.deepEqual(results.map(({ entity_id }) => entity_id.split('__')[0]).toSorted(), ALL);
      const names = { harbour: 'The harbour', boats: 'Boats' };
      for (const { entity_id, collection } of results) {
        const readable_id = entity_id.split('-')[0] as keyof typeof names;
        assert.deepEqual(collection, { readable_id, name: names[readable_id] });
      }
      const scores = results.map(({ score }) => score);
      assert.deepEqual(
        scores,
        scores.toSorted((a, b) => b - a),
      );
      assert.ok(!('collections_left_out' in body.metadata));
    });

    it('takes the options of the search of one collection, and says what no model has served', async () => {
      const page = await post({ offset: 1, limit: 2, explain: true, generate_answer: false });
      const all: Result[] = (await post({ explain: true })).body.results;
      assert.deepEqual(page.body.results, all.slice(1, 3));
      assert.equal(all[0]?.explanation?.access.reason, 'organization');
      assert.deepEqual(page.body.metadata.degraded, ['expand_query', 'rerank']);
      assert.equal(page.headers['x-search-degraded'], 'expand_query, rerank');
      const filter = { must: [{ key: 'name', match: { value: 'boats-0' } }] };
      assert.deepEqual(await found({ filter }), ['boats-0']);
    });

    it('searches only the named collections, each once', async () => {
      assert.deepEqual(await found({ collections: ['boats'] }), ['boats-0', 'boats-secret']);
      assert.deepEqual(await found({ collections: ['boats', 'boats', 'empty'] }), [
        'boats-0',
        'boats-secret',
      ]);
      assert.deepEqual(await found({ collections: ['empty'] }), []);
      const alone = await api.call('POST', '/v1/collections/boats/search', {
        body: { query: 'harbour' },
      });
      const named = await post({ collections: ['boats'] });
      assert.deepEqual(
        named.body.results.map(({ collection: _, ...result }: Result) => result),
        alone.body.results,
      );
    });

    it('refuses a collection that does not exist, or that the key cannot reach, by its name', async () => {
      const { key } = await api.stranger();
      const limited = await api.keyOf('read', { collections: ['boats'] });
      for (const [name, caller] of [
        ['nowhere', undefined],
        ['boats', key],
        ['harbour', limited],
      ] as const) {
        const { status, body } = await post(
          { collections: caller === undefined ? ['harbour', name] : [name] },
          caller === undefined ? {} : { key: caller },
        );
        assert.deepEqual([status, body.code], [404, 'not_found']);
        assert.match(body.detail, new RegExp(`^collection '${name}' does not exist`));
      }
    });

    it('[KEY-33] searches only what a limited key or another organization reaches', async () => {
      const key = await api.keyOf('read', { collections: ['boats', 'empty'] });
      assert.deepEqual(await found({}, { key }), ['boats-0', 'boats-secret']);
      const stranger = await api.stranger();
      assert.deepEqual(await found({}, { key: stranger.key }), []);
      const none = await post({}, { key: stranger.key });
      assert.match(none.body.completion, /nothing/i);
    });

    it('[ENT-17] [ENT-20] finds only what the principals may see', async () => {
      const open = ['boats-0', 'harbour-0', 'harbour-1'];
      assert.deepEqual(await found({}, { headers: { 'x-principals': 'user:ann' } }), open);
      assert.deepEqual(await found({}, { headers: { 'x-principals': 'group:crew' } }), ALL);
      const headers = { 'x-principals': 'user:ann' };
      assert.equal((await post({}, { key: await api.keyOf('read'), headers })).status, 403);
    });

    it('refuses invalid bodies, and names the place of the fault', async () => {
      for (const [body, loc] of [
        [{ query: '' }, 'body.query'],
        [{ collections: [] }, 'body.collections'],
        [{ collections: Array.from({ length: 51 }, (_, i) => `c${i}`) }, 'body.collections'],
        [{ collections: 'boats' }, 'body.collections'],
        [{ collection: 'boats' }, 'body.collection'],
        [{ limit: 0 }, 'body.limit'],
      ] as const) {
        const answer = await post(body);
        assert.equal(answer.status, 422, JSON.stringify(body));
        assert.equal(answer.body.detail[0].loc.join('.'), loc);
      }
    });

    it('searches the newest fifty of more collections, and says how many it has left out', async () => {
      const { key } = await api.stranger();
      const make = (i: number) =>
        api.call('POST', '/v1/collections', { body: { name: `Shelf ${i}` }, key });
      for (let i = 0; i < 50; i++) await make(i);
      assert.ok(!('collections_left_out' in (await post({}, { key })).body.metadata));
      for (let i = 0; i < 3; i++) await make(50 + i);
      const { body } = await post({}, { key });
      assert.equal(body.metadata.collections_left_out, 3);
    });
  });
}
