/** Tests the links, the progress notifications and the size of answers. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pino from 'pino';
import { z } from 'zod';
import { createServer } from '../../http/server.ts';
import { toolServerRoutes } from '../../mcp/routes.ts';
import { must } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { identityOf } from '../identity.ts';
import { COLLECTION, type House, openHouse } from './house.ts';

const SEARCH = `search-${COLLECTION}`;
const [sqlite] = DATABASES;
const REVISION = (revision: string) => ({ 'mcp-protocol-version': revision });
/** This is the smallest limit that may be set. */
const TOKENS = 2_000;

/** The content of a result has this form. */
type Content = { type: string; uri?: string; name?: string; text?: string }[];

describe('answers of the tools', () => {
  let house: House;

  before(async () => {
    assert.ok(sqlite);
    house = await openHouse(sqlite, { resultTokens: TOKENS });
  });
  after(() => house.close());

  async function use(name: string, args: object, revision = '2025-11-25') {
    const { status, body } = await house.callTool(name, args, REVISION(revision));
    assert.deepEqual([status, body.result?.isError], [200, undefined], JSON.stringify(body));
    const { content, structuredContent } = body.result;
    return { content: content as Content, data: structuredContent };
  }
  const linked = (content: Content) =>
    content.flatMap(({ type, uri }) => (type === 'resource_link' ? [uri] : []));

  it('link to each address only once', async () => {
    const again = {
      id: 'again',
      text: 'The harbour log of day 7, again.',
      url: 'https://harbour.example/7',
      access: { viewers: null, isPublic: true },
    };
    await house.library.put(house.collectionId, house.connection, [again]);
    const { content, data } = await use(SEARCH, { query: 'day 7', limit: 4 });
    const urls = data.results.map(({ url }: { url: string }) => url);
    assert.ok(urls.filter((url: string) => url === again.url).length === 2, urls.join());
    assert.deepEqual(linked(content), [...new Set(urls)]);
    const records = (name: string, args: object) => use(name, args);
    for (const [tool, args] of [
      ['grep', { pattern: 'day 7' }],
      ['list', { name: 'Log 7' }],
      ['read', { id: 'log-7' }],
    ] as const)
      assert.deepEqual(linked((await records(tool, args)).content), [again.url], tool);
  });

  it('have no links where the revision knows none, and where ChatGPT requires one text only', async () => {
    const old = await use(SEARCH, { query: 'day 7' }, '2025-03-26');
    assert.deepEqual(linked(old.content), []);
    for (const [tool, args] of [
      ['search', { query: 'day 7' }],
      ['fetch', { id: 'log-7' }],
    ] as const)
      assert.equal((await use(tool, args)).content.length, 1);
  });

  for (const mode of ['legacy', 'auto'] as const)
    it(`have links for a client that has negotiated ${mode === 'auto' ? '2026-07-28' : '2025-11-25'}`, async () => {
      const { client } = await house.newClient(mode);
      const { content } = await client.callTool({ name: 'read', arguments: { id: 'log-7' } });
      await client.close();
      assert.deepEqual(linked(content as Content), ['https://harbour.example/7']);
    });

  it('stay within the configured number of tokens, and say how to go on', async () => {
    const wide = Array.from({ length: 12 }, (_, i) => ({
      id: `wide-${i}`,
      name: `${i} ${'n'.repeat(170)}`,
      type: 'Wide',
      url: `https://wide.example/${i}/${'u'.repeat(800)}`,
      breadcrumbs: ['a', 'b', 'c', 'd', 'e'].map((id) => ({
        id,
        name: id.repeat(170),
        type: 'Folder',
      })),
      text: 'A wide paragraph.\n\n'.repeat(400),
    }));
    const far = Array.from({ length: 12 }, (_, i) => ({
      id: `far-${i}`,
      name: `${i} ${'n'.repeat(170)}`,
      url: `https://far.example/${i}/${'u'.repeat(800)}`,
      text: 'A distant line.',
    }));
    // An answer that quotes the long beacons uses all of its part of a result. The short beacons
    // fill the rest.
    const beacons = Array.from({ length: 40 }, (_, i) => ({
      id: `beacon-${i}`,
      text: i < 3 ? `Beacon ${i} shines on ships ${'\u706f'.repeat(200)}.` : `Beacon ${i}.`,
    }));
    // An answer that quotes all lanterns is too long by itself.
    const lanterns = [0, 1, 2].map((i) => ({
      id: `lantern-${i}`,
      text: `Lantern ${i} glows at night ${'\u706f'.repeat(370)}.`,
    }));
    const docs = [...wide, ...far, ...beacons, ...lanterns];
    await house.library.put(house.collectionId, house.connection, docs);
    const size = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
    for (const [tool, args] of [
      [SEARCH, { query: 'harbour log monster' }],
      [SEARCH, { query: 'harbour log monster', response_type: 'completion' }],
      [SEARCH, { query: 'which beacon shines on ships', response_type: 'completion' }],
      [SEARCH, { query: 'which lantern glows at night', response_type: 'completion' }],
      ['read', { id: 'monster' }],
      ['read', { id: 'wide-7' }],
      ['fetch', { id: 'monster' }],
      ['grep', { pattern: '.', limit: 200 }],
      ['grep', { pattern: 'wide', limit: 200 }],
      ['grep', { pattern: 'distant', limit: 200 }],
      ['list', { limit: 200 }],
      ['list', { entity_type: 'Wide', limit: 200 }],
      [SEARCH, { query: 'wide paragraph', limit: 12 }],
      [SEARCH, { query: 'distant', search_method: 'keyword', limit: 12 }],
    ] as const) {
      const { content, data } = await use(tool, args);
      const [{ text = '' } = {}, ...links] = content;
      const all = Buffer.byteLength(text) + links.reduce((sum, link) => sum + size(link), 0);
      assert.ok(all <= TOKENS * 3, `${tool}: ${all} bytes to read`);
      assert.ok(size(data) <= TOKENS * 3, `${tool}: ${size(data)} bytes of data`);
    }
    const { content, data } = await use(SEARCH, { query: 'harbour log' });
    const { to, of } = data.showing;
    assert.ok(to < of);
    const footer = `showing results 1–${to}; ${of - to} more did not fit: call again with offset=${to}`;
    assert.ok(content[0]?.text?.endsWith(footer), content[0]?.text);
    const { data: config } = await use('get-config', {});
    assert.equal(config.max_result_tokens, TOKENS);
  });
});

describe('a long call', () => {
  const message = (revision: string, progressToken?: string) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: SEARCH,
      arguments: { query: 'x' },
      _meta: {
        ...(progressToken && { progressToken }),
        ...(revision === '2026-07-28' && {
          'io.modelcontextprotocol/protocolVersion': revision,
          'io.modelcontextprotocol/clientCapabilities': {},
        }),
      },
    },
  });
  const headers = (revision: string, accept: string) => ({
    ...REVISION(revision),
    'content-type': 'application/json',
    'x-api-key': 'k',
    'x-collection-readable-id': COLLECTION,
    'mcp-method': 'tools/call',
    'mcp-name': SEARCH,
    accept,
  });
  const STREAM = 'application/json, text/event-stream';

  /** Opens the tool server over an API whose search runs until the test ends it. */
  async function open() {
    const [entered, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const stopped = Promise.withResolvers<void>();
    const app = createServer({
      log: pino({ level: 'silent' }),
      unavailableReason: () => null,
      authenticate: async () => identityOf('o', { role: 'read' }),
      routes(scope, explain) {
        toolServerRoutes(scope, explain, {
          collections: { names: async () => [] },
          oauth: null,
          resultTokens: 8_000,
        });
        scope.route({
          method: 'POST',
          url: `/v1/collections/${COLLECTION}/search`,
          config: { role: 'read', audit: null },
          schema: { body: z.unknown() },
          async handler(req) {
            req.ctx.signal.addEventListener('abort', () => stopped.resolve());
            entered.resolve();
            await left.promise;
            return { results: [], metadata: { degraded: [] } };
          },
        });
      },
    });
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    return {
      app,
      address,
      entered: entered.promise,
      leave: left.resolve,
      stopped: stopped.promise,
    };
  }

  for (const revision of ['2025-03-26', '2025-11-25', '2026-07-28'])
    it(`sends progress to a client that asks for it, ${revision}`, async (t) => {
      t.mock.timers.enable({ apis: ['setInterval', 'Date'] });
      const { app, address, entered, leave } = await open();
      t.after(() => app.close());
      const answer = fetch(`${address}/mcp`, {
        method: 'POST',
        headers: headers(revision, STREAM),
        body: JSON.stringify(message(revision, 'mine')),
      });
      await entered;
      for (const ms of [3_000, 3_000]) t.mock.timers.tick(ms);
      leave();
      const lines = (await (await answer).text()).split('\n');
      const told = lines.flatMap((line) => (line.startsWith('data: {') ? [line.slice(6)] : []));
      const messages = told.map((line) => JSON.parse(line));
      const [result] = messages.filter(({ id }) => id === 1);
      assert.ok(result.result.content, JSON.stringify(messages));
      const progress = messages.filter(({ method }) => method === 'notifications/progress');
      assert.deepEqual(
        progress.map(({ params }) => params),
        [
          { progressToken: 'mine', progress: 0, message: 'Search harbour' },
          { progressToken: 'mine', progress: 1, message: 'Search harbour, for 3 s' },
          { progressToken: 'mine', progress: 2, message: 'Search harbour, for 6 s' },
        ],
      );
    });

  for (const accept of [STREAM, 'application/json'])
    it(`ends a call that the client of its session cancels, ${accept}`, async (t) => {
      const { app, address, entered, leave, stopped } = await open();
      t.after(() => app.close());
      t.after(() => leave());
      const post = (body: object, session?: string) =>
        fetch(`${address}/mcp`, {
          method: 'POST',
          headers: {
            ...headers('2025-06-18', accept),
            ...(session !== undefined && { 'mcp-session-id': session }),
          },
          body: JSON.stringify({ jsonrpc: '2.0', ...body }),
        });
      const begin = async () => {
        const answer = await post({ id: 0, method: 'ping' });
        await answer.text();
        return must(answer.headers.get('mcp-session-id'));
      };
      const [session, other] = [await begin(), await begin()];
      const answer = post(message('2025-06-18'), session).then((response) => response.text());
      let ended = false;
      void answer.then(() => (ended = true));
      await entered;
      const cancel = (requestId: number | string, of: string) =>
        post({ method: 'notifications/cancelled', params: { requestId } }, of);
      for (const [requestId, of] of [
        [1, other],
        ['1', session],
        [2, session],
      ] as const)
        assert.equal((await cancel(requestId, of)).status, 202);
      assert.equal(ended, false);
      await cancel(1, session);
      await stopped;
      assert.doesNotMatch(await answer, /"result"|"error"/);
    });

  it('sends no progress to a client that does not ask for it, or that accepts only JSON', async (t) => {
    for (const [accept, token] of [
      [STREAM, undefined],
      ['application/json', 'mine'],
    ] as const) {
      const { app, address, leave } = await open();
      t.after(() => app.close());
      leave();
      const answer = await fetch(`${address}/mcp`, {
        method: 'POST',
        headers: headers('2025-11-25', accept),
        body: JSON.stringify(message('2025-11-25', token)),
      });
      const said = await answer.text();
      assert.ok(said.includes('"result"') && !said.includes('notifications/progress'), said);
    }
  });
});
