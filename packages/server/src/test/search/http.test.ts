import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestApi, type TestApi } from '../api/harness.ts';
import { DATABASES } from '../databases.ts';
import { libraryOn } from './library.ts';

for (const database of DATABASES) {
  describe(`POST search on ${database.name}`, () => {
    let api: TestApi;

    before(async () => {
      const opened = await database.open();
      api = await openTestApi(opened);
      const { organizationId } = await api.owner();
      const { body } = await api.call('POST', '/v1/collections', {
        body: { name: 'Library', readable_id: 'library' },
      });
      const library = libraryOn(opened, 'exact', organizationId);
      const connection = await library.addConnection(body.id);
      const shared = { viewers: ['group:crew'], isPublic: false };
      await library.put(body.id, connection, [
        ...Array.from({ length: 12 }, (_, i) => ({ id: `log-${i}`, text: `harbour log ${i}` })),
        { id: 'secret', text: 'harbour secret', access: shared },
      ]);
    });
    after(() => api.close());

    const post = (body: object, options: { key?: string; headers?: Record<string, string> } = {}) =>
      api.call('POST', '/v1/collections/library/search', { body, ...options });
    const loc = async (body: object) => {
      const answer = await post(body);
      assert.equal(answer.status, 422, JSON.stringify(body));
      return answer.body.detail.map((fault: { loc: string[] }) => fault.loc.join('.')).join(' ');
    };
    const ids = (answer: { body: { results: { entity_id: string }[] } }) =>
      answer.body.results.map(({ entity_id }) => entity_id);

    it('[SRH-07] [SRH-11] [SRH-12] [SRH-32] a search answers 200 with the defaults', async () => {
      const { status, body } = await post({ query: 'harbour' });
      assert.equal(status, 200);
      assert.equal(body.results.length, 10);
      assert.match(body.completion, /^harbour .* \[.*__chunk_0\]$/);
      assert.deepEqual(Object.keys(body).toSorted(), ['completion', 'metadata', 'results']);
      const rest = await post({ query: 'harbour', offset: 10, generate_answer: false });
      assert.equal(rest.body.results.length, 3);
      assert.ok(!('completion' in rest.body));
    });

    it('[SRH-33] the header X-Search-Degraded names the degraded steps, and is absent when no step is degraded', async () => {
      const degraded = await post({ query: 'harbour' });
      const names = ['expand_query', 'rerank', 'generate_answer'];
      assert.equal(degraded.headers['x-search-degraded'], names.join(', '));
      assert.deepEqual(degraded.body.metadata.degraded, names);
      const off = { expand_query: false, rerank: false, generate_answer: false };
      const plain = await post({ query: 'harbour', ...off });
      assert.ok(!('x-search-degraded' in plain.headers));
      assert.deepEqual(plain.body.metadata, { degraded: [] });
    });

    it('[SRH-01] [SRH-34] [SRH-03] [SRH-07] an invalid body is refused, and the fault names its place', async () => {
      assert.equal(await loc({}), 'body.query');
      for (const query of ['', ' \n\t', 7, null]) assert.equal(await loc({ query }), 'body.query');
      const query = 'harbour';
      assert.equal(await loc({ query, retrieval_strategy: 'fuzzy' }), 'body.retrieval_strategy');
      for (const limit of [0, 1001, 1.5, -1, '5'])
        assert.equal(await loc({ query, limit }), 'body.limit');
      for (const offset of [-1, 0.5]) assert.equal(await loc({ query, offset }), 'body.offset');
      for (const field of ['score_threshold', 'recency_bias'])
        for (const value of [-0.1, 1.1])
          assert.equal(await loc({ query, [field]: value }), `body.${field}`);
      for (const field of ['expand_query', 'interpret_filters', 'rerank', 'generate_answer'])
        assert.equal(await loc({ query, [field]: 'yes' }), `body.${field}`);
      assert.equal(await loc({ query, more: 1 }), 'body.more');
      for (const limit of [1, 1000]) assert.equal((await post({ query, limit })).status, 200);
      for (const value of [0, 1])
        assert.equal(
          (await post({ query, score_threshold: value, recency_bias: value })).status,
          200,
        );
    });

    it('[SRH-02] a query may have 2,048 tokens of cl100k_base but not 2,049', async () => {
      // "a" and " a" are one token each.
      const words = (count: number) => `a${' a'.repeat(count - 1)}`;
      assert.equal((await post({ query: words(2048) })).status, 200);
      const { status, body } = await post({ query: words(2049) });
      assert.equal(status, 422);
      assert.match(body.detail[0].msg, /more than 2048 tokens/);
    });

    it('[FIL-08] [FIL-19] an unknown filter is refused, and the fault names its place', async () => {
      const query = 'harbour';
      const filter = { must: [{ key: 'nam', match: { value: 'a' } }] };
      const { status, body } = await post({ query, filter });
      assert.equal(status, 422);
      assert.deepEqual(body.detail[0].loc, ['body', 'filter', 'must']);
      assert.match(body.detail[0].msg, /'nam' is not a filter key/);
      assert.equal(await loc({ query, filter: [] }), 'body.filter');
      assert.equal(await loc({ query, filter: { unknown: [] } }), 'body.filter');
      assert.equal((await post({ query, filter: null })).status, 200);
      const only = await post({ query, filter: { must: { has_id: ['log-3'] } } });
      assert.deepEqual(ids(only), ['log-3__chunk_0']);
    });

    it('[SRH-17] a search answers 404 when its collection does not exist or belongs to another organization', async () => {
      const nowhere = await api.call('POST', '/v1/collections/nowhere/search', {
        body: { query: 'harbour' },
      });
      assert.equal(nowhere.status, 404);
      const { key } = await api.stranger();
      assert.equal((await post({ query: 'harbour' }, { key })).status, 404);
    });

    it('[ENT-17] [ENT-20] [ENT-21] only admin keys may send X-Principals', async () => {
      const headers = { 'x-principals': 'user:ann' };
      const body = { query: 'secret', retrieval_strategy: 'keyword' };
      assert.deepEqual(ids(await post(body)), ['secret__chunk_0']);
      assert.deepEqual(ids(await post(body, { headers })), []);
      const crew = { 'x-principals': 'user:ann, group:crew' };
      assert.deepEqual(ids(await post(body, { headers: crew })), ['secret__chunk_0']);
      for (const role of ['member', 'read'] as const) {
        const key = await api.keyOf(role);
        assert.equal((await post(body, { key, headers })).status, 403);
        assert.equal((await api.call('GET', '/v1/collections', { key, headers })).status, 403);
        assert.deepEqual(ids(await post(body, { key })), ['secret__chunk_0']);
      }
    });

    it('[FIL-09] the API publishes the schema of the filter', async () => {
      const key = await api.keyOf('read');
      const { status, body } = await api.call('GET', '/v1/collections/internal/filter-schema', {
        key,
      });
      assert.equal(status, 200);
      assert.equal(body.type, 'object');
      assert.deepEqual(Object.keys(body.properties), ['must', 'should', 'must_not', 'min_should']);
      assert.equal(body.additionalProperties, false);
      assert.ok(body.$defs.chunk_condition);
    });
  });
}
