import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DATABASES } from '../databases.ts';
import { isLeftToSqlite } from '../tier.ts';
import { COLLECTION, type House, openHouse } from './house.ts';

const SEARCH = `search-${COLLECTION}`;

for (const database of DATABASES) {
  describe(`the hosted tool server on ${database.name}`, () => {
    let house: House;

    before(async () => {
      house = await openHouse(database);
    });
    after(() => house.close());

    for (const [name, connect] of [
      ['the v1 client', () => house.oldClient()],
      ['the v2 client with sessions', () => house.newClient('legacy')],
      ['the v2 client of revision 2026-07-28', () => house.newClient('auto')],
    ] as const)
      it(`[MCP-05] [MCP-09] [MCP-19] ${name} lists the tools and searches`, async () => {
        const { client, transport } = await connect();
        try {
          const { tools } = await client.listTools();
          const names = tools.map((tool) => tool.name);
          assert.ok(names.includes(SEARCH) && names.includes('get-config'), names.join());
          assert.ok(tools.every((tool) => tool.inputSchema.type === 'object'));
          const found = await client.callTool({
            name: SEARCH,
            arguments: { query: 'berth 7', limit: 3 },
          });
          const { results } = found.structuredContent as { results: { entity_id: string }[] };
          assert.equal(results.length, 3);
          assert.equal(results[0]?.entity_id, 'log-7__chunk_0');
          assert.equal(transport.sessionId === undefined, name.endsWith('2026-07-28'));
        } finally {
          await client.close();
        }
      });

    it('[KEY-34] [ENT-17] [ENT-21] a key with search_as may search as a person, and another key may not', async () => {
      const idsAs = async (key: string, person: string) => {
        const headers = { 'x-api-key': key, 'x-principals': `user:${person}@example.com` };
        const { status, body } = await house.callTool(SEARCH, { query: 'secret' }, headers);
        const results = body.result?.structuredContent.results ?? [];
        return [
          status,
          results.some((one: { entity_id: string }) => /^secret/.test(one.entity_id)),
        ];
      };
      const [plain, trusted] = [
        await house.keyOf('read'),
        await house.keyOf('read', { search_as: true }),
      ];
      assert.deepEqual(await idsAs(plain, 'mate'), [403, false]);
      assert.deepEqual(await idsAs(trusted, 'mate'), [200, true]);
      assert.deepEqual(await idsAs(trusted, 'nobody'), [200, false]);
    });

    if (isLeftToSqlite(database)) return;

    it('[KEY-33] no tool shows a key anything from a collection outside its limits', async () => {
      const body = { name: 'Pier', readable_id: 'pier' };
      await house.call('POST', '/v1/collections', { body });
      const key = await house.keyOf('read', { collections: ['pier'] });
      const as = (collection: string) => ({
        'x-api-key': key,
        'x-collection-readable-id': collection,
      });
      const ask = async (collection: string) => {
        const { client } = await house.oldClient(as(collection));
        try {
          const { tools } = await client.listTools();
          const answers = await Promise.all(
            tools.map(async ({ name, inputSchema }) => {
              const all = { query: 'harbour log', id: 'log-7', pattern: 'harbour' };
              const takes = Object.keys(inputSchema.properties ?? {});
              const given = Object.entries(all).filter(([field]) => takes.includes(field));
              return [name, await client.callTool({ name, arguments: Object.fromEntries(given) })];
            }),
          );
          return { tools: JSON.stringify(tools), answers };
        } finally {
          await client.close();
        }
      };
      const foreign = await ask(COLLECTION);
      assert.equal(foreign.answers.length, 7);
      for (const [name, answer] of foreign.answers) {
        const text = JSON.stringify(answer);
        assert.match(text, /API error \(404\)|collection 'harbour' does not exist/, `${name}`);
        assert.doesNotMatch(text, /berth|Letter|log-1/, `${name}`);
      }
      assert.doesNotMatch(foreign.tools, /Letter|berth/);
      const own = await ask('pier');
      const search = own.answers.find(([name]) => name === 'search-pier');
      assert.match(JSON.stringify(search), /"results":\[\]/);
    });

    it('[MCP-11] a key acts for the organization that its request names', async () => {
      const other = await house.stranger();
      await house.join((await house.owner()).userId, other.organizationId, 'admin');
      const body = { name: 'Quay', readable_id: 'quay' };
      await house.call('POST', '/v1/collections', { body, key: other.key });
      const headers = { 'x-collection-readable-id': 'quay' };
      const own = await house.callTool('search-quay', { query: 'x' }, headers);
      assert.equal(own.body.result.isError, true);
      const there = { ...headers, 'x-organization-id': other.organizationId };
      const found = await house.callTool('search-quay', { query: 'x' }, there);
      assert.deepEqual(found.body.result.structuredContent.results, []);
    });
  });
}
