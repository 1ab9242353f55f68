import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DATABASES } from '../databases.ts';
import { isLeftToSqlite } from '../tier.ts';
import { COLLECTION, type House, openHouse } from './house.ts';

const SEARCH = `search-${COLLECTION}`;
const MATE = { 'x-principals': 'user:mate@example.com' };
const STRANGER = { 'x-principals': 'user:nobody@example.com' };
/** A token counts as three bytes. The envelope of JSON-RPC does not count. */
const BUDGET = 8_000 * 3;

/** The structured data of an answer that is not an error. */
type Data = any;

for (const database of DATABASES) {
  describe(`the tools on ${database.name}`, () => {
    let house: House;

    before(async () => {
      house = await openHouse(database);
    });
    after(() => house.close());

    async function use(name: string, args: object, headers: Record<string, string> = {}) {
      const { status, body } = await house.callTool(name, args, headers);
      assert.equal(status, 200);
      const { content, isError, structuredContent } = body.result;
      assert.ok(!isError, content[0].text);
      assert.ok(Buffer.byteLength(content[0].text) <= BUDGET, `${name}: text`);
      assert.ok(Buffer.byteLength(JSON.stringify(structuredContent)) <= BUDGET, `${name}: data`);
      return { text: content[0].text as string, data: structuredContent as Data };
    }
    const search = async (args: object, headers?: Record<string, string>) =>
      (await use(SEARCH, { query: 'harbour log', ...args }, headers)).data;
    const ids = ({ results }: Data): string[] =>
      results.map((result: { entity_id: string }) => result.entity_id);

    it('[MCP-19] [MCP-20] [MCP-24] [MCP-25] [MCP-26] are listed with descriptions, schemas and defaults for a model that does not know the collection', async () => {
      const { client } = await house.oldClient();
      const { tools } = await client.listTools();
      await client.close();
      const wanted = [SEARCH, 'search', 'fetch', 'read', 'grep', 'list', 'get-config'];
      assert.deepEqual(
        tools.map(({ name }) => name),
        wanted,
      );
      for (const { name, annotations, outputSchema, description } of tools) {
        assert.match(name, /^[A-Za-z0-9_-]{1,50}$/);
        assert.equal(annotations?.readOnlyHint, true);
        assert.ok(outputSchema && description);
      }
      const [tool] = tools;
      assert.match(
        tool?.description ?? '',
        /'Harbour' and holds 1 Letter, 12 Log, 1 Monster from push.*metadata\.berth/s,
      );
      const properties = tool?.inputSchema.properties as Record<string, Record<string, unknown>>;
      const defaults = Object.entries(properties).flatMap(([name, property]) =>
        'default' in property ? [[name, property.default]] : [],
      );
      assert.deepEqual(Object.fromEntries(defaults), {
        response_type: 'raw',
        limit: 100,
        offset: 0,
        recency_bias: 0,
        score_threshold: 0,
        search_method: 'hybrid',
        expansion_strategy: 'auto',
        enable_reranking: true,
        enable_query_interpretation: true,
      });
      assert.deepEqual(tool?.inputSchema.required, ['query']);
      assert.deepEqual([properties.limit?.minimum, properties.limit?.maximum], [1, 1000]);
      const config = tools.at(-1)?.inputSchema;
      assert.deepEqual(Object.keys(config?.properties ?? {}), []);
    });

    it('[MCP-20] limit and offset select parts of one ranking', async () => {
      const all = ids(await search({ limit: 6 }));
      assert.equal(all.length, 6);
      assert.deepEqual(ids(await search({ limit: 2, offset: 3 })), all.slice(3, 5));
    });

    it('grep and list return everything, in several parts', async () => {
      for (const [tool, args, field] of [
        ['grep', { pattern: 'Monster line', limit: 200 }, 'records'],
        ['list', { limit: 200 }, 'items'],
      ] as const) {
        const found: Data[] = [];
        for (let after: string | null | undefined; after !== null; ) {
          const { data, text } = await use(tool, { ...args, ...(after && { after }) });
          found.push(...data[field]);
          after = data.next;
          assert.equal(text.includes('call again with after='), after !== null);
        }
        const lines = found.flatMap((record) => record.lines ?? []);
        assert.equal(tool === 'grep' ? lines.length : found.length, tool === 'grep' ? 200 : 14);
      }
    });

    it('[MCP-25] get-config shows the settings and the status, and no key', async () => {
      const { text, data } = await use('get-config', {});
      assert.deepEqual([data.mode, data.collection, data.status], ['hosted', COLLECTION, 'ok']);
      assert.ok(!text.includes(house.adminKey));
      assert.deepEqual(data.entity_types, ['Letter', 'Log', 'Monster']);
      const fields = ['berth', 'port', 'roar', 'teeth', 'updated_at'].map(
        (name) => `metadata.${name}`,
      );
      assert.deepEqual([data.metadata_fields, data.left_out], [fields, 0]);
      assert.match(text, /^metadata_fields: metadata\.berth, metadata\.port, /m);
      const headers = { 'x-collection-readable-id': 'none-such' };
      const lost = await use('get-config', {}, headers);
      assert.match(lost.data.status, /^API error \(404\): /);
    });

    if (isLeftToSqlite(database)) return;

    it('[ENT-26] a field of the source with the name of a system field is shown as source.<name>, beside the system field', async () => {
      const [{ metadata }] = (await search({ query: 'berth 7', limit: 1 })).results;
      assert.equal(metadata.updated_at, '2026-01-08T00:00:00.000Z');
      assert.equal(metadata['source.updated_at'], 'noon');
    });

    it('[MCP-20] a page after the last result says that there are no results, and next_offset is null', async () => {
      const { text, data } = await use(SEARCH, { query: 'harbour log', offset: 1000 });
      assert.deepEqual(data.showing, { from: 0, to: 0, of: 0 });
      assert.deepEqual([data.results, data.next_offset], [[], null]);
      assert.match(text, /^There are no results from offset=1000 on/);
    });

    it('[MCP-21] an answer has a completion with the response_type completion, and not with raw', async () => {
      const raw = await search({ limit: 3 });
      assert.ok(!('completion' in raw));
      assert.ok(raw.results.every((result: Data) => result.score > 0 && result.metadata.name));
      const { text, data } = await use(SEARCH, {
        query: 'harbour log',
        limit: 3,
        response_type: 'completion',
      });
      assert.match(data.completion, /\[log-\d+__chunk_0\]/);
      assert.ok(text.startsWith(data.completion));
    });

    it('[MCP-22] recency_bias 1 ranks by date only', async () => {
      const newest = ids(await search({ recency_bias: 1, limit: 3 }));
      assert.deepEqual(newest, ['log-11__chunk_0', 'log-10__chunk_0', 'log-9__chunk_0']);
    });

    it('[MCP-23] score_threshold drops the results with lower scores', async () => {
      const scores = (data: Data): number[] => data.results.map(({ score }: Data) => score);
      const all = scores(await search({ query: 'berth 7' }));
      const threshold = (all[0] as number) - 1e-9;
      const rest = scores(await search({ query: 'berth 7', score_threshold: threshold }));
      assert.ok(rest.length < all.length && rest.length > 0);
      assert.ok(rest.every((score) => score >= threshold));
    });

    it('[MCP-24] search_method, expansion_strategy, enable_reranking and enable_query_interpretation have an effect', async () => {
      const keyword = await search({
        query: 'letter from a sailor',
        search_method: 'keyword',
        expansion_strategy: 'no_expansion',
        enable_reranking: false,
        enable_query_interpretation: false,
      });
      assert.deepEqual(keyword.built_in, []);
      const neural = await search({ query: 'zzzz', search_method: 'neural' });
      assert.ok(neural.results.length > 0);
      assert.deepEqual((await search({ query: 'zzzz', search_method: 'keyword' })).results, []);
      const { text, data } = await use(SEARCH, {
        query: 'harbour',
        limit: 1,
        expansion_strategy: 'llm',
      });
      assert.deepEqual(data.built_in, ['expand_query', 'interpret_filters', 'rerank']);
      assert.match(text, /No language model answered/);
      const query = 'harbour updated after 2026-01-11';
      const meant = await search({ query });
      assert.ok(meant.interpreted_filter);
      const literal = await search({ query, enable_query_interpretation: false });
      assert.ok(!('interpreted_filter' in literal));
      assert.ok(literal.results.length > meant.results.length);
    });

    it('a filter restricts the results, and a wrong filter is an error', async () => {
      const filter = { must: [{ key: 'metadata.berth', range: { gte: 10 } }] };
      assert.deepEqual(ids(await search({ filter })).toSorted(), [
        'log-10__chunk_0',
        'log-11__chunk_0',
      ]);
      const { body } = await house.callTool(SEARCH, {
        query: 'x',
        filter: { must: [{ key: 'no' }] },
      });
      assert.equal(body.result.isError, true);
      assert.match(body.result.content[0].text, /^API error \(422\): filter/);
    });

    it('a page that is too large says where to go on, so that all results are read once', async () => {
      const seen: string[] = [];
      let pages = 0;
      for (let offset: number | null = 0; offset !== null; pages++) {
        const { text, data } = await use(SEARCH, { query: 'monster line', offset });
        const { from, to, of } = data.showing;
        assert.equal(to - from + 1, data.results.length);
        if (data.results.length > 0) assert.ok(text.includes(`showing results ${from}–${to};`));
        assert.equal(text.endsWith(`offset=${data.next_offset}`), data.next_offset !== null);
        if (to < of)
          assert.ok(
            text.includes(`–${to}; ${of - to} more did not fit: call again with offset=${to}`),
          );
        seen.push(...ids(data));
        offset = data.next_offset;
      }
      assert.ok(pages > 1);
      const body = { query: 'monster line', interpret_filters: true, limit: 1000 };
      const whole = await house.call('POST', `/v1/collections/${COLLECTION}/search`, { body });
      assert.deepEqual(seen, ids(whole.body));
    });

    it('[MCP-20] a full page says where the next page begins, and the last page says that there are no more', async () => {
      const query = { query: 'harbour log', search_method: 'keyword' };
      const whole = ids(await search({ ...query, limit: 1000 }));
      assert.equal(whole.length, 13);
      for (const [limit, pages] of [
        [5, [whole.slice(0, 5), whole.slice(5, 10), whole.slice(10)]],
        // This page is full, so only the empty page after it shows that it was the last one.
        [13, [whole, []]],
      ] as const) {
        const seen: string[][] = [];
        for (let offset = 0, isMore = true; isMore; ) {
          const { text, data } = await use(SEARCH, { ...query, limit, offset });
          seen.push(ids(data));
          const next: number | null = data.results.length === limit ? offset + limit : null;
          assert.equal(data.next_offset, next);
          const last = offset + data.results.length;
          if (last > offset) {
            assert.deepEqual(data.showing, { from: offset + 1, to: last, of: last });
            const ranks = text.match(/^## \d+/gm)?.map((rank) => Number(rank.slice(3)));
            assert.deepEqual(
              ranks,
              data.results.map((_: unknown, i: number) => offset + i + 1),
            );
            const shown = `\nshowing results ${offset + 1}–${last}; `;
            const more = `there may be more: call again with offset=${last}`;
            const end = next === null ? 'there are no more' : more;
            assert.ok(text.endsWith(shown + end), text.slice(-200));
          }
          isMore = next !== null;
          offset = last;
        }
        assert.deepEqual(seen, pages);
      }
    });

    it('[MCP-26] search returns ids that fetch accepts, in the form that ChatGPT requires', async () => {
      const { text, data } = await use('search', { query: 'berth 7' });
      assert.deepEqual(JSON.parse(text), data);
      const [first] = data.results;
      assert.deepEqual([first.title, first.url], ['Log 7', 'https://harbour.example/7']);
      const record = (await use('fetch', { id: first.id })).data;
      assert.match(record.text, /berth 7 is free/);
      assert.deepEqual([record.id, record.title, record.url], [first.id, first.title, first.url]);
      assert.equal(record.metadata.berth, 7);
      assert.equal(record.metadata.updated_at, '2026-01-08T00:00:00.000Z');
      assert.equal(record.metadata['source.updated_at'], 'noon');
      const monster = (await use('fetch', { id: 'monster' })).data;
      assert.match(monster.text, /\(cut: read .*:monster from=\d+ for the rest\)$/);
    });

    it('read returns a long record completely, in several parts', async () => {
      const parts: string[] = [];
      for (let from: number | null = 0; from !== null; ) {
        const { data } = await use('read', { id: 'monster', from });
        parts.push(...data.chunks.map((chunk: { text: string }) => chunk.text));
        from = data.next_from;
      }
      const lines = parts.join('\n').match(/Monster line \d+/g) ?? [];
      assert.equal(new Set(lines).size, 200);
    });

    it('no tool shows a person a record that this person may not see', async () => {
      const tools = [
        [SEARCH, { query: 'harbour secret of the mate', limit: 1000 }],
        [SEARCH, { query: 'harbour secret of the mate', response_type: 'completion', limit: 3 }],
        ['search', { query: 'harbour secret of the mate' }],
        ['grep', { pattern: 'secret' }],
        ['list', { name: 'secret' }],
      ] as const;
      for (const [tool, args] of tools) {
        assert.match((await use(tool, args, MATE)).text, /secret/, tool);
        assert.doesNotMatch((await use(tool, args, STRANGER)).text, /secret/, tool);
      }
      for (const tool of ['read', 'fetch']) {
        await use(tool, { id: 'secret' }, MATE);
        const { body } = await house.callTool(tool, { id: 'secret' }, STRANGER);
        assert.match(body.result.content[0].text, /^API error \(404\): /);
      }
    });

    it('only an admin key may name principals', async () => {
      const headers = { 'x-api-key': await house.keyOf('read'), ...MATE };
      const { status, body } = await house.callTool('list', {}, headers);
      assert.deepEqual([status, body.error.code], [403, -32600]);
    });
  });
}
