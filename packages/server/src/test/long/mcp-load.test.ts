import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DATABASES } from '../databases.ts';
import { COLLECTION, type House, openHouse } from '../mcp/house.ts';

const CALLS = 400;
const LOGS = 12;
/**
 * The memory may grow by this after as many calls again. If the service kept one server for each, it would grow far
 * more.
 */
const GROWTH_MB = 12;
const [sqlite] = DATABASES;
const MODERN = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  },
};

describe('the tool server under load', () => {
  let house: House;

  before(async () => {
    assert.ok(sqlite);
    house = await openHouse(sqlite);
    // Both ends of a connection share this thread, and a busy thread would end it as idle.
    house.api.server.keepAliveTimeout = 0;
  });
  after(() => house.close());

  /** Each call is about a record of its own, and its answer must be about that record. */
  function question(i: number): [name: string, args: object] {
    const log = i % LOGS;
    const keyword = { search_method: 'keyword', limit: 1, enable_reranking: false };
    if (i % 4 === 0) return [`search-${COLLECTION}`, { query: `berth ${log}`, ...keyword }];
    if (i % 4 === 1) return ['read', { id: `log-${log}` }];
    if (i % 4 === 2) return ['fetch', { id: `log-${log}` }];
    return ['grep', { pattern: `day ${log}:` }];
  }

  async function call(i: number, session: string, [name, args]: [string, object]) {
    const isModern = i % 2 === 1;
    const params = { name, arguments: args, ...(isModern && MODERN) };
    const own = isModern
      ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name }
      : { 'mcp-session-id': session };
    const message = { jsonrpc: '2.0', id: i, method: 'tools/call', params };
    const accept = 'application/json, text/event-stream';
    const { body } = await house.post(message, { headers: isModern ? { ...own, accept } : own });
    assert.equal(body.id, i);
    return body.result;
  }

  async function ask(i: number, session: string) {
    const [name, args] = question(i);
    let result = await call(i, session, [name, args]);
    // A search for lines that takes too long ends with what it has, and says where to go on.
    while (name === 'grep' && result.structuredContent.records.length === 0) {
      const { next } = result.structuredContent;
      assert.ok(next, 'nothing was found');
      result = await call(i, session, [name, { ...args, after: next }]);
    }
    const [{ text }] = result.content;
    assert.match(text, new RegExp(`day ${i % LOGS}: calm water, berth ${i % LOGS} is free`));
  }

  async function round(session: string): Promise<number> {
    await Promise.all(Array.from({ length: CALLS }, (_, i) => ask(i, session)));
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    return process.memoryUsage().heapUsed / 2 ** 20;
  }

  it(`answers ${CALLS} calls at once, each its own, and keeps nothing of them`, async () => {
    const { session = '' } = await house.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const first = await round(session);
    const second = await round(session);
    const third = await round(session);
    // Other files share this process, and what they have left behind can grow once, but not each time.
    const growth = Math.min(second - first, third - second);
    assert.ok(growth < GROWTH_MB, `${growth.toFixed(1)} MB more are kept`);
  });
});
