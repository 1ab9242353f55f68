import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import pino from 'pino';
import { DATABASES } from '../databases.ts';
import { COLLECTION, type House, openHouse } from './house.ts';

const [sqlite] = DATABASES;
const TOOLS = [`search-${COLLECTION}`, 'search', 'fetch', 'read', 'grep', 'list', 'get-config'];
const METHODS = ['initialize', 'tools/list', 'tools/call', 'ping', 'server/discover', 'x'];
const REVISIONS = ['2024-11-05', '2025-03-26', '2025-11-25', '2026-07-28', '2099-01-01', 'x'];
const NAMES = ['query', 'id', 'from', 'limit', 'offset', 'pattern', 'filter', 'after', 'name', 'x'];
const CALLS = 600;

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(1e308, -1, '', ' ', '\u0000', '\ud800', 'log-7', { must: {} }, '(a+)+$'),
  fc.constantFrom<unknown>({ must: [{ key: 'name', match: { value: 1 } }] }, { __proto__: null }),
);
const named = fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string()), value, {
  maxKeys: 4,
});
/** Most of the random arguments have the keys that the tools require. */
const args = fc.oneof(
  named,
  named.map((some) => ({ query: 'harbour', id: 'log-7', pattern: 'day', ...some })),
);
const meta = fc.oneof(
  value,
  fc.record({
    progressToken: value,
    'io.modelcontextprotocol/protocolVersion': fc.oneof(fc.constantFrom(...REVISIONS), value),
    'io.modelcontextprotocol/clientCapabilities': fc.oneof(fc.constant({}), value),
  }),
);
const params = fc.record(
  {
    name: fc.oneof(fc.constantFrom(...TOOLS), value),
    arguments: fc.oneof(args, value),
    _meta: meta,
  },
  { requiredKeys: [] },
);
/** The call is valid except for the arguments of the tool. */
const call = fc.record({
  jsonrpc: fc.constant('2.0'),
  id: fc.integer(),
  method: fc.constant('tools/call'),
  params: fc.record({ name: fc.constantFrom(...TOOLS), arguments: args }),
});
const message = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 5, arbitrary: fc.constant('2.0') }, value),
    id: fc.oneof({ weight: 5, arbitrary: fc.integer() }, value),
    method: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...METHODS) }, value),
    params: fc.oneof({ weight: 5, arbitrary: params }, value),
  },
  { requiredKeys: ['jsonrpc', 'method'] },
);
const body = fc.oneof(
  { weight: 6, arbitrary: call.map((one) => JSON.stringify(one)) },
  { weight: 4, arbitrary: message.map((one) => JSON.stringify(one)) },
  fc.array(message, { maxLength: 3 }).map((some) => JSON.stringify(some)),
  fc.string(),
);
const headers = fc.record(
  {
    'mcp-protocol-version': fc.constantFrom(...REVISIONS),
    'mcp-method': fc.constantFrom(...METHODS),
    'mcp-name': fc.constantFrom(...TOOLS),
    accept: fc.constantFrom('application/json', 'text/event-stream', '*/*', 'x'),
    'x-principals': fc.constantFrom('user:mate@example.com', ',', ' '),
  },
  { requiredKeys: [] },
);

describe('random input to the tool server', () => {
  let house: House;
  const said: string[] = [];

  before(async () => {
    assert.ok(sqlite);
    const log = pino({ level: 'error' }, { write: (line: string) => said.push(line) });
    house = await openHouse(sqlite, { log });
  });
  after(() => house.close());

  it(`gets an answer in the form of the protocol, and the server still works: ${CALLS} requests`, async () => {
    const { session = '' } = await house.post({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const property = fc.asyncProperty(body, headers, async (payload, own) => {
      const isLegacy = own['mcp-protocol-version'] !== '2026-07-28';
      const answer = await house.api.inject({
        method: 'POST',
        url: '/mcp',
        headers: {
          ...house.headers,
          'content-type': 'application/json',
          'user-agent': 'node',
          ...(isLegacy && { 'mcp-session-id': session }),
          ...own,
        },
        payload,
      });
      assert.ok(!answer.body.includes('-32603'), `${payload} ${answer.body}`);
      assert.ok(answer.statusCode < 500, `${answer.statusCode}: ${answer.body}`);
      const lines = answer.body.split('\n').filter((line) => line.startsWith('data: {'));
      const texts = lines.length > 0 ? lines.map((line) => line.slice(6)) : [answer.body];
      for (const text of texts.filter(Boolean))
        for (const one of [JSON.parse(text)].flat()) assert.equal(one.jsonrpc, '2.0', text);
      assert.ok(!answer.body.includes(house.adminKey) && !answer.body.includes('.ts:'));
      assert.deepEqual(said, []);
    });
    await fc.assert(property, { numRuns: CALLS, seed: 1 });
    const { status } = await house.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    assert.equal(status, 200);
  });
});
