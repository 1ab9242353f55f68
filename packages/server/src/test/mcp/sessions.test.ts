import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DATABASES } from '../databases.ts';
import { COLLECTION, type House, openHouse } from './house.ts';

const LIST = { jsonrpc: '2.0', id: 7, method: 'tools/list' };
const HALF_PAST = Date.UTC(2026, 0, 1, 12, 30);
const MINUTE = 60_000;
const [sqlite] = DATABASES;

/** Nothing about a session is in the database, so one kind of database is enough. */
describe('sessions of the tool server', () => {
  let house: House;

  before(async () => {
    assert.ok(sqlite);
    house = await openHouse(sqlite);
  });
  after(() => house.close());

  const newKey = async () => ({ 'x-api-key': await house.keyOf('read') });
  const list = (headers: Record<string, string>) => house.post(LIST, { headers });
  const told = ({ status, body }: Awaited<ReturnType<typeof list>>) => [
    status,
    body.error?.code,
    body.error?.message,
  ];

  it('[MCP-08] [MCP-30] a request without a session starts one, whatever its method, and a request with the id continues it', async () => {
    const key = await newKey();
    const first = await list(key);
    assert.equal(first.status, 200);
    assert.ok(first.session);
    assert.ok(first.body.result.tools.length > 0);
    const again = await list({ ...key, 'mcp-session-id': first.session });
    assert.deepEqual([again.status, again.session], [200, first.session]);
    const other = await list(key);
    assert.notEqual(other.session, first.session);
  });

  it('[MCP-09] a session continues without the collection header, and is refused for another collection', async () => {
    const key = await newKey();
    const { session = '' } = await list(key);
    const own = { ...key, 'mcp-session-id': session };
    const other = await list({ ...own, 'x-collection-readable-id': 'another' });
    assert.deepEqual([other.status, other.body.error.code], [400, -32602]);
    const without = await fetch(`${house.address}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...own },
      body: JSON.stringify(LIST),
    });
    assert.equal(without.status, 200);
    assert.match(await without.text(), new RegExp(`search-${COLLECTION}`));
  });

  it('[MCP-15] a session is refused for another user agent, and unknown to another key', async () => {
    const key = await newKey();
    const { session = '' } = await list({ ...key, 'user-agent': 'mine' });
    const own = { 'mcp-session-id': session };
    const mismatch = await list({ ...key, ...own, 'user-agent': 'theirs' });
    assert.deepEqual([mismatch.status, mismatch.body.error.code], [403, -32003]);
    const hijacked = await list({ ...(await newKey()), ...own, 'user-agent': 'mine' });
    assert.deepEqual([hijacked.status, hijacked.body.error.code], [404, -32004]);
    assert.equal((await list({ ...key, ...own, 'user-agent': 'mine' })).status, 200);
  });

  it('[MCP-15] a session is refused for another network address', async () => {
    const key = await newKey();
    const { session = '' } = await list(key);
    const from = (remoteAddress: string) =>
      house.api.inject({
        method: 'POST',
        url: '/mcp',
        remoteAddress,
        headers: { ...house.headers, ...key, 'mcp-session-id': session, 'user-agent': 'node' },
        payload: LIST,
      });
    assert.equal((await from('127.0.0.1')).statusCode, 200);
    const { statusCode, body } = await from('192.0.2.7');
    assert.deepEqual([statusCode, JSON.parse(body).error.code], [403, -32003]);
  });

  it('[MCP-16] [MCP-17] the 101st session of a key in a clock hour is refused, and the count starts again in the next hour', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: HALF_PAST });
    const [key, other] = [await newKey(), await newKey()];
    const sessions = new Set<string>();
    for (let i = 0; i < 100; i++) {
      const { session, body } = await list(key);
      assert.ok(session, JSON.stringify(body));
      sessions.add(session);
    }
    assert.equal(sessions.size, 100);
    const over = await list(key);
    assert.deepEqual(told(over), [429, -32002, 'Rate limit exceeded']);
    assert.equal(over.body.id, LIST.id);
    assert.equal(over.headers.get('retry-after'), '1800');
    const [open = ''] = sessions;
    assert.equal((await list({ ...key, 'mcp-session-id': open })).status, 200);
    assert.equal((await list(other)).status, 200);
    t.mock.timers.setTime(HALF_PAST + 30 * MINUTE);
    assert.equal((await list(key)).status, 200);
  });

  it('[MCP-18] a session ends after 30 minutes without a request', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: HALF_PAST });
    const key = await newKey();
    const { session = '' } = await list(key);
    const own = { ...key, 'mcp-session-id': session };
    t.mock.timers.setTime(HALF_PAST + 29 * MINUTE);
    assert.equal((await list(own)).status, 200);
    t.mock.timers.setTime(HALF_PAST + 58 * MINUTE);
    assert.equal((await list(own)).status, 200);
    t.mock.timers.setTime(HALF_PAST + 89 * MINUTE);
    const gone = await list(own);
    assert.deepEqual([gone.status, gone.body.error.code], [404, -32004]);
    assert.match(gone.body.error.message, /^Session not found: leave out mcp-session-id/);
  });

  it('[MCP-18] a session that DELETE has ended is as unknown as an invented id', async () => {
    const { client, transport } = await house.oldClient();
    const id = transport.sessionId ?? '';
    await transport.terminateSession();
    assert.equal((await list({ 'mcp-session-id': id })).status, 404);
    assert.equal((await list({ 'mcp-session-id': 'never' })).status, 404);
    await client.close();
  });

  it('a request of revision 2026-07-28 starts no session', async () => {
    const { client, transport } = await house.newClient('auto');
    await client.listTools();
    assert.equal(transport.sessionId, undefined);
    await client.close();
  });
});
