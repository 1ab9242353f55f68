import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import pino from 'pino';
import { z } from 'zod';
import { type App, createServer } from '../../http/server.ts';
import { toolServerRoutes } from '../../mcp/routes.ts';
import { DATABASES } from '../databases.ts';
import { identityOf } from '../identity.ts';
import { COLLECTION, type House, openHouse } from './house.ts';

const SEARCH = `search-${COLLECTION}`;
const LIST = { jsonrpc: '2.0', id: 7, method: 'tools/list' };
const NEEDED: Readonly<Record<string, string>> = { search: 'query', grep: 'pattern', read: 'id' };
const [sqlite] = DATABASES;

describe('the tool server and wrong input', () => {
  let house: House;

  before(async () => {
    assert.ok(sqlite);
    house = await openHouse(sqlite);
  });
  after(() => house.close());

  async function refused(
    message: unknown,
    headers: Record<string, string>,
    expected: readonly [status: number, code: number],
  ) {
    const { status, body } = await house.post(message, { headers });
    assert.deepEqual([status, body.jsonrpc, body.error?.code], [expected[0], '2.0', expected[1]]);
    return body.error.message as string;
  }

  it('[MCP-14] refuses a missing or wrong key', async () => {
    for (const key of ['', 'wrong', `quarry_${'x'.repeat(43)}`])
      await refused(LIST, { 'x-api-key': key }, [401, -32001]);
  });

  it('refuses a Bearer value that is not a key when no issuer is configured', async () => {
    const headers = { 'x-api-key': '', authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' };
    assert.equal(await refused(LIST, headers, [401, -32001]), 'Invalid OAuth token');
  });

  it('[MCP-29] [MCP-30] takes a key in either header, with and without a collection', async () => {
    const none = { 'x-collection-readable-id': '' };
    const bearer = { 'x-api-key': '', authorization: `Bearer ${house.adminKey}` };
    for (const headers of [none, bearer, { ...none, ...bearer }]) {
      const { status, body } = await house.post(LIST, { headers });
      assert.deepEqual([status, body.result.tools[0].name], [200, SEARCH]);
    }
  });

  it('[MCP-05] refuses bodies that are not messages', async () => {
    await refused('{"jsonrpc": "2.0", ', {}, [400, -32700]);
    await refused('', {}, [400, -32700]);
    for (const body of [{}, { jsonrpc: '1.0', id: 1, method: 'x' }, 7, '"text"', [], [LIST, {}]])
      await refused(body, {}, [400, -32600]);
    await refused({ ...LIST, params: { big: 'x'.repeat(1 << 20) } }, {}, [413, -32600]);
    await refused(LIST, { 'content-type': 'text/plain' }, [415, -32600]);
    const { body } = await house.post({ jsonrpc: '2.0', id: 'a', method: 'no/such' });
    assert.deepEqual([body.id, body.error.code], ['a', -32601]);
  });

  it('[MCP-06] refuses batches in revisions that have none, and batches that are too large', async () => {
    const batch = [LIST, { ...LIST, id: 8 }];
    const { body } = await house.post(batch);
    assert.deepEqual(body.map(({ id }: { id: number }) => id).toSorted(), [7, 8]);
    for (const revision of ['2025-06-18', '2025-11-25'])
      await refused(batch, { 'mcp-protocol-version': revision }, [400, -32600]);
    const many = Array.from({ length: 21 }, (_, id) => ({ ...LIST, id }));
    await refused(many, {}, [400, -32600]);
    assert.equal((await house.post(many.slice(1))).body.length, 20);
    const call = { ...LIST, id: 8, method: 'tools/call', params: { name: 7 } };
    await refused([LIST, call], {}, [400, -32602]);
  });

  it('[MCP-06] agrees on a known revision, and offers its newest one for an unknown revision', async () => {
    const revisions = { '2024-11-05': 0, '2025-03-26': 0, '2025-06-18': 0, '2025-11-25': 0 };
    for (const protocolVersion of [...Object.keys(revisions), '1999-01-01']) {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } };
      const { body } = await house.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      const agreed = body.result.protocolVersion;
      assert.equal(agreed, protocolVersion in revisions ? protocolVersion : '2025-11-25');
    }
    const { status } = await house.post(LIST, {
      headers: { 'mcp-protocol-version': '1999-01-01' },
    });
    assert.equal(status, 400);
  });

  it('[MCP-06] refuses an unknown revision without sessions, and names the revision that it supports', async () => {
    const { status, body } = await house.post(
      { ...LIST, params: { _meta: envelope('2099-01-01') } },
      { headers: { 'mcp-protocol-version': '2099-01-01', 'mcp-method': 'tools/list' } },
    );
    assert.deepEqual([status, body.error.code], [400, -32022]);
    assert.deepEqual(body.error.data.supported, ['2026-07-28']);
  });

  it('errors have the id of the request, and a 401 names the authentication scheme', async () => {
    const none = { 'x-collection-readable-id': '' };
    for (const id of ['a', 7])
      assert.equal((await house.post({ ...LIST, id }, { headers: none })).body.id, id);
    assert.equal((await house.post([LIST, {}])).body.id, null);
    const { headers } = await house.post(LIST, { headers: { 'x-api-key': 'wrong' } });
    assert.equal(headers.get('www-authenticate'), 'Bearer');
  });

  it('refuses web pages whose host name now resolves to this machine (DNS rebinding)', async () => {
    const { port } = new URL(house.address);
    const statusFor = async (host: string, origin: string) => {
      const asked = request(`${house.address}/mcp`, {
        method: 'POST',
        headers: { ...house.headers, 'content-type': 'application/json', host, origin },
      }).end(JSON.stringify(LIST));
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      answer.resume();
      return answer.statusCode;
    };
    const evil = `evil.example:${port}`;
    assert.equal(await statusFor(evil, `http://${evil}`), 403);
    for (const origin of ['null', 'http://127.0.0.1:1', `http://localhost:${port}`])
      assert.equal(await statusFor(`127.0.0.1:${port}`, origin), 403, origin);
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`])
      assert.equal(await statusFor(host, `http://${host}`), 200, host);
  });

  it('refuses web pages of another origin, and other methods than POST and DELETE', async () => {
    await refused(LIST, { origin: 'https://evil.example' }, [403, -32600]);
    assert.equal((await house.post(LIST, { headers: { origin: house.address } })).status, 200);
    const get = await fetch(`${house.address}/mcp`, { headers: house.headers });
    assert.deepEqual([get.status, get.headers.get('allow')], [405, 'POST, DELETE']);
  });

  it('[MCP-27] [MCP-28] [MCP-11] an unknown collection, or one of another organization, gives a result with an error', async () => {
    const stranger = await house.stranger();
    for (const [name, headers] of [
      ['none-such', { 'x-collection-readable-id': 'none-such' }],
      [COLLECTION, { 'x-api-key': stranger.key }],
    ] as const) {
      const { status, body } = await house.callTool(`search-${name}`, { query: 'x' }, headers);
      assert.equal(status, 200);
      assert.equal(body.result.isError, true);
      assert.match(body.result.content[0].text, /^API error \(404\): collection/);
    }
  });

  it('[MCP-20] [MCP-22] [MCP-23] an argument out of range, or an unknown one, gives a result that names the argument', async () => {
    for (const [argument, value] of [
      ['query', undefined],
      ['query', 7],
      ['query', ' '],
      ['limit', 0],
      ['limit', 1001],
      ['offset', -1],
      ['recency_bias', 1.1],
      ['recency_bias', -0.1],
      ['score_threshold', 2],
      ['search_method', 'fuzzy'],
      ['response_type', 'poem'],
      ['expansion_strategy', 'more'],
      ['enable_reranking', 'yes'],
    ] as const) {
      const { body } = await house.callTool(SEARCH, { query: 'harbour', [argument]: value });
      assert.equal(body.result.isError, true, argument);
      assert.match(body.result.content[0].text, new RegExp(`\\b${argument}: `));
    }
    for (const [tool, argument, message] of [
      [
        SEARCH,
        'limits',
        /'limits' is not an argument: did you mean 'limit'\? the tool takes query,/,
      ],
      ['search', 'collection', /'collection' is not an argument: the tool takes query$/],
      ['grep', 'regex', /'regex' is not an argument: the tool takes pattern, ignore_case,/],
      ['read', 'form', /did you mean 'from'\?/],
      ['get-config', 'x', /'x' is not an argument: the tool takes none/],
    ] as const) {
      const args = { query: 'harbour', pattern: 'x', id: 'x', [argument]: 1 };
      const own = Object.fromEntries(
        Object.entries(args).filter(([name]) => name === argument || name === NEEDED[tool]),
      );
      const { body } = await house.callTool(tool, own);
      assert.equal(body.result.isError, true, tool);
      assert.match(body.result.content[0].text, message);
    }
    const { body } = await house.callTool('no-such-tool', {});
    assert.equal(body.error.code, -32602);
  });

  it('an error quotes only the beginning of a long value, and still says what to do', async () => {
    const long = 'x'.repeat(12_000);
    const session = (await house.post(LIST)).headers.get('mcp-session-id') ?? '';
    const asks = (headers: Record<string, string>, message: object = {}) =>
      house.post({ ...LIST, ...message }, { headers });
    const modern = (revision: string, method = 'tools/list', inBody = revision) =>
      asks(
        { 'mcp-protocol-version': revision, 'mcp-method': method },
        { params: { _meta: envelope(inBody) } },
      );
    const elsewhere = { 'x-collection-readable-id': long };
    for (const [what, { status, body }, end] of [
      ['an origin', await asks({ origin: `http://${long}` }), /… ?' is not allowed here$/],
      [
        'another collection',
        await asks({ 'mcp-session-id': session, ...elsewhere }),
        /^this session is for the collection 'harbour': begin another one for 'x+…'$/,
      ],
      ['a revision', await asks({ 'mcp-protocol-version': long }), /_meta$/],
      ['a revision in both places', await modern(long), /x$/],
      ['two revisions', await modern('2026-07-28', 'tools/list', long), /names 2026-07-28$/],
      ['two methods', await modern('2026-07-28', long), /tools\/list/],
      [
        'a tool',
        await house.callTool(long, {}),
        /' does not exist: tools\/list names the existing ones$/,
      ],
      [
        'a collection',
        await house.callTool(`search-${long.slice(0, 36)}-2c4bf1`, { query: 'x' }, elsewhere),
        /tools\/list names the existing ones$/,
      ],
      ['a record', await house.callTool('read', { id: long }), /contents\/list lists them$/],
      ['a cursor', await house.callTool('list', { after: long }), /begin again without it$/],
      ['a pattern', await house.callTool('grep', { pattern: '('.repeat(500) }), /RE2/],
    ] as const) {
      const text = body.error?.message ?? body.result.content[0].text;
      assert.match(text, end, `${what}: ${status}`);
      assert.ok(JSON.stringify(body).length < long.length / 2, what);
    }
    const id = 'y'.repeat(2_000);
    const { body } = await asks({ 'mcp-protocol-version': long }, { id });
    assert.equal(body.id, id);
  });
});

describe('a client that disconnects from the tool server', () => {
  const params = { name: SEARCH, arguments: { query: 'x' } };
  for (const [how, headers, sent] of [
    ['that takes JSON alone', 'accept: application/json', params],
    ['that takes a stream', 'accept: application/json, text/event-stream', params],
    [
      'of revision 2026-07-28',
      `mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: ${SEARCH}`,
      { ...params, _meta: envelope('2026-07-28') },
    ],
  ] as const)
    it(`stops its search: a client ${how}`, async () => {
      const entered = Promise.withResolvers<void>();
      const stopped = Promise.withResolvers<void>();
      const app = serveSearch(async (signal) => {
        entered.resolve();
        await once(signal, 'abort');
        stopped.resolve();
      });
      await app.listen({ host: '127.0.0.1', port: 0 });
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: sent };
      const body = JSON.stringify(message);
      const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
      socket.write(
        `POST /mcp HTTP/1.1\r\nhost: x\r\n${headers}\r\nx-api-key: k\r\n` +
          `x-collection-readable-id: ${COLLECTION}\r\ncontent-type: application/json\r\n` +
          `content-length: ${body.length}\r\n\r\n${body}`,
      );
      await entered.promise;
      socket.destroy();
      await stopped.promise;
      await app.close();
    });
});

/** Returns the metadata that a request of a revision without sessions carries. */
function envelope(revision: string) {
  return {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
}

/** Opens the tool server over an API that uses this function for its search. */
const serveSearch = (search: (signal: AbortSignal) => Promise<void>): App =>
  createServer({
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
        handler: (req) => search(req.ctx.signal),
      });
    },
  });
