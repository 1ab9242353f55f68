import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client as NewClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { childEnvironment } from '../child-environment.ts';
import { DATABASES } from '../databases.ts';
import { COLLECTION, type House, openHouse } from './house.ts';

const OWN = fileURLToPath(import.meta.resolve('#quarry-mcp/local').replace('local.ts', 'main.ts'));
const manifest = JSON.parse(readFileSync(new URL('../package.json', `file://${OWN}`), 'utf8'));
const QUARRY = fileURLToPath(new URL('../../main.ts', import.meta.url));
const SEARCH = `search-${COLLECTION}`;

const program = (script: string, ...rest: string[]) => ({
  command: process.execPath,
  args: ['-C', 'quarry', script, ...rest],
});

/** Runs the command, ends its input, and returns its whole output. */
async function run(env: Record<string, string>, lines: readonly string[] = []) {
  const { command, args } = program(OWN);
  const child = spawn(command, args, { env: { ...childEnvironment(), ...env } });
  const output = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  const [stdout, stderr, [code]] = await output;
  return { stdout, stderr, code };
}

describe('quarry-mcp without its settings', () => {
  for (const [missing, env] of [
    ['SERVICE_API_KEY', { SERVICE_COLLECTION: 'x' }],
    ['SERVICE_API_KEY', { SERVICE_API_KEY: ' ' }],
  ] as const)
    it(`[MCP-02] [MCP-04] does not start, and names the missing ${missing}`, async () => {
      const { stdout, stderr, code } = await run(env);
      assert.deepEqual([stdout, code], ['', 1]);
      assert.match(stderr, new RegExp(`^quarry-mcp: ${missing} is missing: .+\n$`));
    });

  it('does not start with an invalid address', async () => {
    const env = { SERVICE_API_KEY: 'x', SERVICE_COLLECTION: 'x', SERVICE_BASE_URL: 'nowhere' };
    const { stderr, code } = await run(env);
    assert.equal(code, 1);
    assert.match(stderr, /SERVICE_BASE_URL is not an address/);
  });
});

const [sqlite] = DATABASES;

describe('the local tool server', () => {
  let house: House;
  let env: Record<string, string>;

  before(async () => {
    assert.ok(sqlite);
    house = await openHouse(sqlite);
    env = {
      ...childEnvironment(),
      SERVICE_API_KEY: house.adminKey,
      SERVICE_COLLECTION: COLLECTION,
      SERVICE_BASE_URL: house.address,
    };
  });
  after(() => house.close());

  const connections = {
    'quarry-mcp and the v1 client': () => {
      const client = new OldClient({ name: 'old', version: '1' });
      const how = { ...program(OWN), env, stderr: 'pipe' as const };
      return { client, opened: client.connect(new OldTransport(how)) };
    },
    'quarry mcp and the v2 client': () => {
      const client = new NewClient({ name: 'new', version: '1' });
      const how = { ...program(QUARRY, 'mcp'), env, stderr: 'pipe' as const };
      return { client, opened: client.connect(new NewTransport(how)) };
    },
    'quarry-mcp and the v2 client of revision 2026-07-28': () => {
      const negotiated = { versionNegotiation: { mode: 'auto' as const } };
      const client = new NewClient({ name: 'new', version: '1' }, negotiated);
      const how = { ...program(OWN), env, stderr: 'pipe' as const };
      return { client, opened: client.connect(new NewTransport(how)) };
    },
  };

  for (const [name, connect] of Object.entries(connections))
    it(`[MCP-01] [MCP-07] [MCP-19] [MCP-25] lists tools, searches and shows its configuration: ${name}`, async () => {
      const { client, opened } = connect();
      await opened;
      try {
        assert.equal(client.getServerVersion()?.version, '0.5.7');
        assert.equal(manifest.version, '0.5.7');
        const { tools } = await client.listTools();
        assert.ok(tools.some((tool) => tool.name === SEARCH));
        const found = await client.callTool({ name: SEARCH, arguments: { query: 'berth 7' } });
        assert.match(JSON.stringify(found.content), /log-7__chunk_0/);
        const config = await client.callTool({ name: 'get-config', arguments: {} });
        assert.deepEqual(
          { ...(config.structuredContent as object), max_result_tokens: 0 },
          {
            version: '0.5.7',
            mode: 'local',
            address: house.address,
            collection: COLLECTION,
            status: 'ok',
            collection_name: 'Harbour',
            collection_status: 'NEEDS_SOURCE',
            entity_types: ['Letter', 'Log', 'Monster'],
            metadata_fields: ['berth', 'port', 'roar', 'teeth', 'updated_at'].map(
              (name) => `metadata.${name}`,
            ),
            left_out: 0,
            max_result_tokens: 0,
          },
        );
        assert.ok(!JSON.stringify(config).includes(house.adminKey));
      } finally {
        await client.close();
      }
    });

  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-03-26',
      capabilities: {},
      clientInfo: { name: 'hand', version: '1' },
    },
  };

  /** Sends each message after the answer to the one before. Returns all lines of standard output. */
  async function converse(own: Record<string, string>, messages: readonly object[]) {
    const { command, args } = program(OWN);
    const child = spawn(command, args, { env: { ...childEnvironment(), ...own } });
    const stderr = text(child.stderr);
    const lines: string[] = [];
    let sent = 0;
    const next = () => {
      const message = messages[sent++];
      if (message) child.stdin.write(`${JSON.stringify(message)}\n`);
      else child.stdin.end();
    };
    next();
    for await (const line of createInterface(child.stdout)) {
      lines.push(line);
      next();
    }
    return { lines, stderr: await stderr };
  }

  const ask = (name: string, args: object) => ({
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name, arguments: args },
  });

  it('[MCP-04] writes only messages to standard output, even after wrong input', async () => {
    const broken = { jsonrpc: '2.0', id: 3, method: 'no/such' };
    const messages = [initialize, ask(SEARCH, { query: 'berth' }), ask(SEARCH, {}), broken];
    const { lines, stderr } = await converse(env, messages);
    assert.equal(lines.length, messages.length);
    for (const line of lines) assert.equal(JSON.parse(line).jsonrpc, '2.0');
    assert.match(stderr, /^quarry-mcp: version 0\.5\.7 serves the collection 'harbour' of http/);
    assert.ok(!stderr.includes(house.adminKey));
  });

  it('[MCP-03] uses the API on this machine when no address is set', async () => {
    const { SERVICE_BASE_URL: _, ...own } = env;
    const { lines } = await converse(own, [initialize, ask('get-config', {})]);
    const { result } = JSON.parse(lines[1] ?? '');
    assert.equal(result.structuredContent.address, 'http://127.0.0.1:8099');
  });

  it('[MCP-01] without SERVICE_COLLECTION serves all collections of the key, as they are at each call', async () => {
    const { SERVICE_COLLECTION: _, ...all } = env;
    const alone = await converse(all, [initialize, ask('get-config', {})]);
    assert.equal(JSON.parse(alone.lines[1] ?? '').result.structuredContent.collection, COLLECTION);
    const body = { name: 'Second', readable_id: 'second' };
    await house.call('POST', '/v1/collections', { body });
    try {
      const calls = [ask('get-config', {}), ask('search', { query: 'berth 7', limit: 2 })];
      for (const [i, call] of calls.entries()) {
        const { lines } = await converse(all, [initialize, call]);
        const { structuredContent: data } = JSON.parse(lines[1] ?? '').result;
        if (i === 0)
          assert.deepEqual(
            [data.mode, data.collections.map((one: { collection: string }) => one.collection)],
            ['local', [COLLECTION, 'second']],
          );
        else
          assert.deepEqual(
            data.results.map((one: { collection: string }) => one.collection),
            [COLLECTION, COLLECTION],
          );
      }
    } finally {
      await house.call('DELETE', '/v1/collections/second');
    }
    const wrong = { ...all, SERVICE_API_KEY: 'wrong' };
    const { lines } = await converse(wrong, [initialize, ask('search', { query: 'berth' })]);
    const { result } = JSON.parse(lines[1] ?? '');
    assert.equal(result.isError, true);
    assert.match(result.content[0].text, /^API error \(401\): /);
  });

  for (const [what, changed, message] of [
    [
      'an unknown collection',
      { SERVICE_COLLECTION: 'none-such' },
      /^API error \(404\): .*none-such/,
    ],
    ['a name that would leave its place', { SERVICE_COLLECTION: '..' }, /^API error \(404\): /],
    ['a wrong key', { SERVICE_API_KEY: 'wrong' }, /^API error \(401\): /],
    ['nobody there', { SERVICE_BASE_URL: 'http://127.0.0.1:2' }, /^API error: http:.*ECONNREFUSED/],
  ] as const)
    it(`[MCP-27] [MCP-28] ${what} gives a result with an error`, async () => {
      const own: Record<string, string> = { ...env, ...changed };
      const name = `search-${own.SERVICE_COLLECTION}`;
      const { lines } = await converse(own, [initialize, ask(name, { query: 'berth' })]);
      const { result } = JSON.parse(lines[1] ?? '');
      assert.equal(result.isError, true);
      assert.match(result.content[0].text, message);
    });
});
