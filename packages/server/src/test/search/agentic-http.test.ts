/**
 * Tests the agentic search over HTTP: who may ask, which requests are refused or counted, and the fields of an answer.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AgenticAnswer } from '../../search/agent/schema.ts';
import { openTestApi, type TestApi } from '../api/harness.ts';
import { DATABASES } from '../databases.ts';
import { libraryOn } from './library.ts';

const HOUR_MS = 3_600_000;

for (const database of DATABASES) {
  describe(`POST agentic-search on ${database.name}`, () => {
    let api: TestApi;
    let organizationId: string;

    before(async () => {
      const opened = await database.open();
      api = await openTestApi(opened);
      ({ organizationId } = await api.owner());
      const { body } = await api.call('POST', '/v1/collections', {
        body: { name: 'Library', readable_id: 'library' },
      });
      await api.call('POST', '/v1/collections', { body: { name: 'Empty', readable_id: 'empty' } });
      const library = libraryOn(opened, 'exact', organizationId);
      const connection = await library.addConnection(body.id, 'github');
      const shared = { viewers: ['group:crew'], isPublic: false };
      await library.put(body.id, connection, [
        {
          id: 'mooring',
          name: 'Mooring guide',
          text: 'Moor the boat with two lines.',
          type: 'Page',
          url: 'https://example.com/mooring',
          breadcrumbs: [{ id: 'root', name: 'Handbook', type: 'Space' }],
          createdAt: '2024-01-02T03:04:05.000Z',
          updatedAt: '2024-05-06T07:08:09.010Z',
          fields: { stars: 7, name: 'Theirs' },
        },
        { id: 'fuel', text: 'Fuel is sold at the harbour office until noon.' },
        { id: 'secret', text: 'The harbour safe opens with 4711.', access: shared },
      ]);
    });
    after(() => api.close());

    const paths = ['agentic-search', 'agentic-search/stream'];
    const post = (
      body: object,
      options: Parameters<TestApi['call']>[2] & { path?: string; collection?: string } = {},
    ) => {
      const { path = paths[0], collection = 'library', ...rest } = options;
      return api.call('POST', `/v1/collections/${collection}/${path}`, { body, ...rest });
    };
    const ids = (answer: { body: { results: { entity_id: string }[] } }) =>
      answer.body.results.map(({ entity_id }) => entity_id);
    const patch = async (change: object) => {
      const { status } = await api.call('PATCH', `/v1/organizations/${organizationId}`, {
        body: change,
      });
      assert.equal(status, 200);
    };

    it('[AGT-07] [AGT-12] [AGT-14] the response has results, an answer with citations, and the names of the degraded steps', async () => {
      for (const mode of ['fast', 'thinking']) {
        const { status, headers, body } = await post({ query: 'How do I moor the boat?', mode });
        assert.equal(status, 200);
        assert.equal(body.results[0].entity_id, 'mooring__chunk_0');
        assert.match(body.answer.text, /Moor the boat with two lines\. \[mooring__chunk_0\]/);
        assert.deepEqual(body.answer.citations, [{ entity_id: 'mooring__chunk_0' }]);
        assert.equal(headers['x-search-degraded'], 'plan, evaluate, answer');
        assert.deepEqual(body.metadata.degraded, ['plan', 'evaluate', 'answer']);
        assert.deepEqual(AgenticAnswer.parse(body), body);
      }
    });

    it('[AGT-08] [AGT-09] [AGT-10] [AGT-11] a result has every field', async () => {
      const { body } = await post({ query: 'moor the boat', limit: 1 });
      const [{ relevance_score, service_system_metadata, ...result }] = body.results;
      assert.ok(relevance_score > 0 && relevance_score <= 1);
      assert.deepEqual(result, {
        entity_id: 'mooring__chunk_0',
        name: 'Mooring guide',
        textual_representation: 'Moor the boat with two lines.',
        breadcrumbs: [{ entity_id: 'root', name: 'Handbook', entity_type: 'Space' }],
        place: null,
        web_url: 'https://example.com/mooring',
        created_at: '2024-01-02T03:04:05.000Z',
        updated_at: '2024-05-06T07:08:09.010Z',
        access: { viewers: null, is_public: false },
        raw_source_fields: { stars: 7, name: 'Theirs' },
      });
      const { sync_id, sync_job_id, ...system } = service_system_metadata;
      const uuid = /^[0-9a-f-]{36}$/;
      assert.match(sync_id, uuid);
      assert.match(sync_job_id, uuid);
      assert.deepEqual(system, {
        source_name: 'github',
        entity_type: 'Page',
        chunk_index: 0,
        original_entity_id: 'mooring',
      });
      const bare = await post({ query: 'fuel office', limit: 1 });
      const { web_url, created_at, updated_at, breadcrumbs } = bare.body.results[0];
      assert.deepEqual([web_url, created_at, updated_at, breadcrumbs], ['', '', '', []]);
    });

    it('[GEN-17] [AGT-01] [AGT-02] [STR-09] [AGT-18] a search needs the feature flag and a collection, and refused requests do not count', async () => {
      await api.db.deleteFrom('agentic_queries').execute();
      await patch({ quotas: { agentic_queries_per_hour: 0 } });
      const query = 'harbour';
      try {
        for (const path of paths) {
          const nowhere = await post({ query }, { path, collection: 'nowhere' });
          assert.deepEqual([nowhere.status, nowhere.body.code], [404, 'not_found']);
          assert.equal((await post({ query: '' }, { path })).status, 422);
          const member = await api.keyOf('member');
          const headers = { 'x-principals': 'user:ann' };
          assert.equal((await post({ query }, { path, key: member, headers })).status, 403);
          const { status, headers: answered, body } = await post({ query }, { path });
          assert.deepEqual([status, body.code], [429, 'quota_exceeded']);
          const rest = Math.ceil((HOUR_MS - (Date.now() % HOUR_MS)) / 1000);
          const named = Number(answered['retry-after']);
          assert.ok(named >= rest - 5 && named <= rest + 5 && named <= 3600, `${named} of ${rest}`);
        }
        await patch({ feature_flags: [] });
        for (const path of paths) {
          const off = await post({ query }, { path });
          assert.deepEqual([off.status, off.body.code], [403, 'forbidden']);
        }
      } finally {
        await patch({
          feature_flags: ['AGENTIC_SEARCH'],
          quotas: { agentic_queries_per_hour: null },
        });
      }
      const { key } = await api.stranger();
      assert.equal((await post({ query }, { key })).status, 403);
    });

    it('[AGT-15] [AGT-16] [AGT-18] the quota of an hour holds for plain and streamed searches together, also when they come at once', async () => {
      await api.db.deleteFrom('agentic_queries').execute();
      await patch({ quotas: { agentic_queries_per_hour: 4 } });
      try {
        const asked = Array.from({ length: 10 }, (_, i) =>
          post({ query: 'harbour', mode: 'fast' }, { path: paths[i % 2]! }),
        );
        const statuses = (await Promise.all(asked)).map(({ status }) => status);
        assert.equal(statuses.filter((status) => status === 200).length, 4);
        assert.equal(statuses.filter((status) => status === 429).length, 6);
        // The count of an earlier hour does not limit the current hour.
        await api.db.updateTable('agentic_queries').set({ hour: 1 }).execute();
        for (const status of [200, 200, 200, 200, 429])
          assert.equal((await post({ query: 'harbour', mode: 'fast' })).status, status);
        await patch({ quotas: { agentic_queries_per_hour: 1 } });
        assert.equal((await post({ query: 'harbour', mode: 'fast' })).status, 429);
        // Another search was already counted in a later hour. That count goes on.
        const next = { hour: Math.floor(Date.now() / HOUR_MS) + 2, count: 0 };
        await api.db.updateTable('agentic_queries').set(next).execute();
        for (const status of [200, 429])
          assert.equal((await post({ query: 'harbour', mode: 'fast' })).status, status);
        const counted = await api.db.selectFrom('agentic_queries').selectAll().execute();
        assert.deepEqual(
          counted.map(({ hour, count }) => ({ hour, count })),
          [{ ...next, count: 1 }],
        );
        await api.db.deleteFrom('agentic_queries').execute();
        await patch({ quotas: { agentic_queries_per_hour: null } });
        assert.equal((await post({ query: 'harbour', mode: 'fast' })).status, 200);
      } finally {
        await patch({ quotas: { agentic_queries_per_hour: null } });
      }
    });

    it('[AGT-03] [AGT-04] [AGT-06] [FIL-12] [STR-01] an invalid body is refused, and the fault names its place', async () => {
      const query = 'harbour';
      const wrong: readonly (readonly [string, object])[] = [
        ['body.query', {}],
        ['body.query', { query: '' }],
        ['body.query', { query: ' \n\t' }],
        ['body.query', { query: 7 }],
        ['body.mode', { query, mode: 'slow' }],
        ['body.limit', { query, limit: 0 }],
        ['body.limit', { query, limit: 1001 }],
        ['body.limit', { query, limit: 1.5 }],
        ['body.more', { query, more: 1 }],
        ['body.filter', { query, filter: {} }],
        ['body.filter.0', { query, filter: [{ conditions: [{ field: 'name', value: 'x' }] }] }],
        ['body.filter.0', { query, filter: [[]] }],
      ];
      for (const path of paths)
        for (const [loc, body] of wrong) {
          const answer = await post(body, { path });
          assert.equal(answer.status, 422, JSON.stringify(body));
          const locs = answer.body.detail.map((fault: { loc: string[] }) => fault.loc.join('.'));
          assert.ok(
            locs.some((one: string) => one.startsWith(loc)),
            `${JSON.stringify(body)}: ${locs}`,
          );
        }
      for (const limit of [1, 1000]) assert.equal((await post({ query, limit })).status, 200);
      assert.equal((await post({ query, limit: 1 })).body.results.length, 1);
    });

    it('[AGT-05] [FIL-10] [FIL-11] groups of conditions limit the results', async () => {
      const is = (value: string) => ({ field: 'name', operator: 'equals', value });
      const prefixed = {
        field: 'service_system_metadata.original_entity_id',
        operator: 'in',
        value: ['fuel', 'secret'],
      };
      const ask = async (filter: unknown) =>
        ids(await post({ query: 'harbour boat fuel', filter })).toSorted();
      assert.equal((await ask([])).length, 3);
      assert.deepEqual(await ask([[is('fuel')]]), ['fuel__chunk_0']);
      const either = [{ conditions: [prefixed, is('secret')] }, [is('Mooring guide')]];
      assert.deepEqual(await ask(either), ['mooring__chunk_0', 'secret__chunk_0']);
      assert.deepEqual(await ask([[is('fuel'), is('secret')]]), []);
    });

    it('[AGT-05] [ENT-20] a record that the person in X-Principals may not see is in neither results nor answer', async () => {
      const headers = { 'x-principals': 'user:ann' };
      const body = { query: 'how does the harbour safe open' };
      const hidden = await post(body, { headers });
      assert.ok(!ids(hidden).includes('secret__chunk_0'));
      assert.ok(!JSON.stringify(hidden.body).includes('4711'));
      const crew = { 'x-principals': 'user:ann, group:crew' };
      assert.equal(ids(await post(body, { headers: crew }))[0], 'secret__chunk_0');
    });

    it('[AGT-18] the answer for an empty collection says that the collection is empty', async () => {
      const { status, body } = await post({ query: 'harbour' }, { collection: 'empty' });
      assert.equal(status, 200);
      assert.deepEqual([body.results, body.answer.citations], [[], []]);
      assert.match(body.answer.text, /the collection is empty/);
      const none = await post({ query: 'xylophone', filter: [] });
      assert.doesNotMatch(none.body.answer.text, /empty/);
    });
  });
}
