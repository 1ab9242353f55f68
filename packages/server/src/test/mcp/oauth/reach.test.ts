import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sha256 } from '../../../model/hash.ts';
import type { Caller } from '../../api/harness.ts';
import { DATABASES } from '../../databases.ts';
import { isLeftToSqlite } from '../../tier.ts';
import { type OAuthHouse, openOAuthHouse } from './house.ts';
import { type Issuer, openIssuer } from './issuer.ts';

/** One search asks at most 50 collections, so it cannot ask all of these. */
const MANY = 230;
/** The numbers in the names of collections are not numbers of notes, so a query can name a collection and a note. */
const BUOYS = Array.from({ length: 7 }, (_, i) => `buoys-${101 + i}`);
const LETTER = {
  id: 'letter',
  type: 'Letter',
  text: 'The secret of the lighthouse keeper.',
};
/** The ids of these records are paths, like those of files, and some ids begin with another id. */
const WRECKS = ['north', 'north/2024', 'north/2024/log.md', '/2024', 'north//', 'a b/%2F?#'].map(
  (id, i) => ({ id, name: id, type: 'Wreck', text: `The wreck number ${i} of the reef.` }),
);

for (const database of DATABASES)
  describe(`the tools of an account on ${database.name}`, () => {
    let issuer: Issuer;
    let house: OAuthHouse;
    /** Ada and Bob are members of the shared organization, and each of them is the only member of another one. */
    let ada: Caller;
    let bob: Caller;
    let shared: Caller;
    let token: Record<'ada' | 'bob' | 'diver' | 'pilot' | 'collector' | 'nobody', string>;
    const mark = ({ organizationId }: Caller) => sha256(organizationId).slice(0, 6);

    before(async () => {
      issuer = await openIssuer();
      house = await openOAuthHouse(database, issuer.issuer);
      [ada, bob, shared] = [await house.stranger(), await house.stranger(), await house.stranger()];
      const [collector, nobody] = [await house.stranger(), await house.stranger()];
      const [diver, pilot] = [await house.stranger(), await house.stranger()];
      for (const { userId } of [ada, bob]) await house.join(userId, shared.organizationId, 'read');
      const viewers = [`user:${ada.email}`];
      await house.addCollection(shared, 'charts', [
        { ...LETTER, access: { viewers, isPublic: false } },
        { ...LETTER, id: 'open', text: 'The lighthouse is open.' },
      ]);
      await house.addCollection(ada, 'ships');
      await house.addCollection(ada, 'tides');
      await house.addCollection(bob, 'ships');
      await house.addCollection(diver, 'wrecks', WRECKS);
      await house.addCollection(diver, 'bells', []);
      for (const name of BUOYS) await house.addCollection(pilot, name);
      await house.addCollection(collector, 'first');
      const now = Date.now();
      const { created_at: _, ...like } = await house.db
        .selectFrom('collections')
        .selectAll()
        .where('readable_id', '=', 'first')
        .executeTakeFirstOrThrow();
      await house.db
        .insertInto('collections')
        .values(
          Array.from({ length: MANY }, (_, i) => ({
            ...like,
            sync_config: null,
            rerank_weights: null,
            id: `${like.id}-${i}`,
            readable_id: `many-${String(i).padStart(3, '0')}`,
            created_at: now,
          })),
        )
        .execute();
      const sign = ({ email, userId }: Caller) =>
        issuer.sign({ sub: userId, aud: house.resource, email, email_verified: true });
      token = {
        ada: await sign(ada),
        bob: await sign(bob),
        diver: await sign(diver),
        pilot: await sign(pilot),
        collector: await sign(collector),
        nobody: await sign(nobody),
      };
    });
    after(async () => {
      await house.close();
      await issuer.close();
    });

    const ids = (results: readonly { entity_id: string }[]) =>
      results.map(({ entity_id }) => entity_id).toSorted();

    it('[MCP-10] [MCP-19] include one search tool for each collection, and the other tools need the argument collection', async () => {
      assert.deepEqual(await house.toolNames(token.ada), [
        'search',
        'fetch',
        'read',
        'grep',
        'list',
        'get-config',
        'search-charts',
        'search-ships',
        'search-tides',
      ]);
      const { structuredContent } = await house.callTool(token.ada, 'search-tides', {
        query: 'lighthouse',
      });
      assert.deepEqual(
        ids(structuredContent.results),
        [0, 1, 2].map((i) => `tides-${i}__chunk_0`),
      );
      const listed = await house.callTool(token.ada, 'list', { collection: 'ships' });
      assert.equal(listed.structuredContent.items.length, 3);
      const found = await house.callTool(token.ada, 'grep', {
        collection: 'tides',
        pattern: 'number 1',
      });
      assert.deepEqual(
        found.structuredContent.records.map(({ name }: { name: string }) => name),
        ['Note 1 of tides'],
      );
      const without = await house.callTool(token.ada, 'list', {});
      assert.match(without.content[0].text, /^Invalid arguments\. collection/);
    });

    it('[MCP-26] search asks all collections, and fetch and read accept the ids that it returns', async () => {
      const { structuredContent } = await house.callTool(token.ada, 'search', {
        query: 'lighthouse number 2 in ships',
      });
      const [{ id, title }] = structuredContent.results;
      assert.equal(title, 'Note 2 of ships');
      const places = structuredContent.results.map((one: { id: string }) => one.id.split('/')[0]);
      assert.deepEqual([...new Set(places)].toSorted(), ['charts', 'ships', 'tides']);
      const fetched = await house.callTool(token.ada, 'fetch', { id });
      assert.equal(fetched.structuredContent.id, id);
      assert.match(fetched.structuredContent.text, /number 2, in ships/);
      const [collection, record] = id.split('/');
      const read = await house.callTool(token.ada, 'read', { collection, id: record });
      assert.match(read.content[0].text, /number 2, in ships/);
      for (const [wrong, why] of [
        ['x', /^API error \(404\): 'x' is not an id of search/],
        ['nowhere/x', /^API error \(404\): collection 'nowhere' does not exist/],
        [`tides/${record}`, /^API error \(404\): record '.+' does not exist/],
        ['x'.repeat(50_000), /^.{1,1000}: those have the form collection\/record$/],
        [`${'x'.repeat(50_000)}/x`, /^.{1,1000}: get-config lists the existing ones$/],
      ] as const) {
        const { isError, content } = await house.callTool(token.ada, 'fetch', { id: wrong });
        assert.equal(isError, true);
        assert.match(content[0].text, why);
      }
    });

    if (isLeftToSqlite(database)) return;

    it('[MCP-26] fetch accepts the ids of search when the ids of records are paths', async () => {
      const { structuredContent } = await house.callTool(token.diver, 'search', {
        query: 'wreck of the reef',
      });
      const found = structuredContent.results as { id: string; title: string }[];
      assert.deepEqual(
        found.map(({ title }) => title).toSorted(),
        WRECKS.map(({ id }) => id).toSorted(),
      );
      const named = WRECKS.map(({ id }) => ({ id: `wrecks/${id}`, title: id }));
      for (const { id, title } of [...found, ...named]) {
        const { structuredContent: record, content } = await house.callTool(token.diver, 'fetch', {
          id,
        });
        const text = WRECKS.find((wreck) => wreck.id === title)?.text;
        assert.deepEqual(
          [record?.id, record?.title, record?.text],
          [id, title, text],
          content[0].text,
        );
        assert.deepEqual(JSON.parse(content[0].text), record);
      }
    });

    it('[MCP-26] search finds the best ten results of all collections', async () => {
      for (const name of BUOYS) {
        const { structuredContent } = await house.callTool(token.pilot, 'search', {
          query: `lighthouse number 2 in ${name}`,
        });
        const titles = structuredContent.results.map(({ title }: { title: string }) => title);
        assert.deepEqual([titles[0], titles.length], [`Note 2 of ${name}`, 10]);
      }
    });

    it('[MCP-25] get-config lists the collections', async () => {
      const { structuredContent: config } = await house.callTool(token.ada, 'get-config', {});
      assert.deepEqual(config.collections[1], {
        collection: 'ships',
        name: 'The ships',
        tool: 'search-ships',
      });
      assert.deepEqual([config.total_collections, config.status], [3, 'ok']);
      const { structuredContent: none } = await house.callTool(token.nobody, 'get-config', {});
      assert.match(none.status, /^you reach no collection/);
      assert.deepEqual(await house.toolNames(token.nobody), ['get-config']);
    });

    it('[MCP-11] show nothing of a collection that only another account reaches', async () => {
      const tools: [string, object][] = [
        ['search-tides', { query: 'lighthouse' }],
        ['read', { collection: 'tides', id: 'tides-0' }],
        ['grep', { collection: 'tides', pattern: '.' }],
        ['list', { collection: 'tides' }],
        ['fetch', { id: 'tides/tides-0' }],
      ];
      for (const [name, args] of tools) {
        const own = await house.callTool(token.ada, name, args);
        const foreign = await house.callTool(token.bob, name, args);
        assert.ok(name === 'fetch' || !own.isError, JSON.stringify(own));
        assert.ok(foreign.isError || foreign.code === -32602, JSON.stringify(foreign));
        assert.doesNotMatch(JSON.stringify(foreign), /lighthouse/);
      }
      const all = await house.callTool(token.bob, 'search', { query: 'lighthouse tides' });
      assert.doesNotMatch(JSON.stringify(all), /tides/);
      const { status } = await house.list(token.bob, { 'x-collection-readable-id': 'tides' });
      assert.equal(status, 400);
    });

    it('[MCP-11] show of a shared collection only the records that this person may see', async () => {
      const seen = async (whose: string) => {
        const found = await house.callTool(whose, 'search-charts', { query: 'lighthouse' });
        return ids(found.structuredContent.results);
      };
      assert.deepEqual(await seen(token.ada), ['letter__chunk_0', 'open__chunk_0']);
      assert.deepEqual(await seen(token.bob), ['open__chunk_0']);
      const read = await house.callTool(token.bob, 'read', { collection: 'charts', id: 'letter' });
      assert.equal(read.isError, true);
      const { status } = await house.list(token.bob, { 'x-principals': `user:${ada.email}` });
      assert.equal(status, 403);
    });

    it('collections with the same name are distinguished by their organizations', async () => {
      await house.join(ada.userId, bob.organizationId, 'read');
      const names = (await house.toolNames(token.ada)).filter((name) => /^search-ships/.test(name));
      const own = `search-ships_${mark(ada)}`;
      assert.deepEqual(names.toSorted(), [own, `search-ships_${mark(bob)}`].toSorted());
      const [first, second] = await Promise.all(
        [ada, bob].map(async (whose) => {
          const args = { collection: `ships_${mark(whose)}` };
          const { structuredContent } = await house.callTool(token.ada, 'list', args);
          return structuredContent.items[0].id;
        }),
      );
      assert.notEqual(first, second);
      const { message } = await house.callTool(token.ada, 'search-ships', { query: 'x' });
      assert.match(message, /tool 'search-ships' does not exist/);
    });

    it('serve only one collection when the header names it, with the tools of a key', async () => {
      const header = { 'x-collection-readable-id': 'tides' };
      const { body, session = '' } = await house.list(token.ada, header);
      const [first, second] = body.result.tools;
      assert.deepEqual([first.name, second.name], ['search-tides', 'search']);
      assert.ok(!('collection' in body.result.tools[3].inputSchema.properties));
      const own = { 'mcp-session-id': session };
      assert.equal((await house.list(token.ada, own)).body.result.tools.length, 7);
      const other = await house.list(token.ada, { ...own, 'x-collection-readable-id': 'charts' });
      assert.deepEqual([other.status, other.body.error.code], [400, -32602]);
    });

    it('list very many collections in pages', async () => {
      const names: string[] = [];
      let cursor: string | undefined;
      let pages = 0;
      do {
        const params = cursor === undefined ? {} : { cursor };
        const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params };
        const { body } = await house.post(token.collector, message);
        names.push(...body.result.tools.map(({ name }: { name: string }) => name));
        cursor = body.result.nextCursor;
        pages++;
      } while (cursor !== undefined);
      const searches = names.filter((name) => /^search-/.test(name));
      assert.deepEqual([pages, searches.length], [3, MANY + 1]);
      assert.equal(new Set(names).size, names.length, 'a tool comes twice');
      const { body } = await house.list(token.collector);
      assert.match(body.result.tools[0].description, /searches the newest 50 of 231: name others/);
      const everywhere = await house.callTool(token.collector, 'search', { query: 'lighthouse' });
      assert.equal(everywhere.structuredContent.collections_left_out, MANY + 1 - 50);
      const named = { query: 'lighthouse', collections: ['first'] };
      const inFirst = await house.callTool(token.collector, 'search', named);
      assert.equal(inFirst.structuredContent.results.length, 3);
      assert.ok(!('collections_left_out' in inFirst.structuredContent));
      const last = `search-many-${MANY - 1}`;
      const { structuredContent } = await house.callTool(token.collector, last, { query: 'x' });
      assert.equal(structuredContent.collection, `many-${MANY - 1}`);
      const { structuredContent: config } = await house.callTool(token.collector, 'get-config', {});
      assert.equal(config.total_collections, MANY + 1);
      for (const wrong of ['x', '-1', '1e9', '0.5', '231', 'x'.repeat(50_000)]) {
        const params = { cursor: wrong };
        const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params };
        const { body } = await house.post(token.collector, message);
        assert.equal(body.error?.code, -32602, wrong);
        assert.match(body.error.message, /^.{1,1000}: begin it again without one$/);
      }
    });
  });
