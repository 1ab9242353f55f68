/**
 * Tests clients that others have written, with every generation of the protocol that each client supports. The clients
 * of the SDK are in hosted.test.ts.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createMCPClient } from '@ai-sdk/mcp';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { childEnvironment } from '../child-environment.ts';
import { DATABASES } from '../databases.ts';
import { COLLECTION, type House, openHouse } from './house.ts';

const SEARCH = `search-${COLLECTION}`;
const QUESTION = { query: 'berth 7', limit: 1 };
const ANSWER = 'log-7__chunk_0';
const INSPECTOR = fileURLToPath(
  import.meta.resolve('@modelcontextprotocol/inspector/clients/launcher/build/index.js'),
);
const BRIDGE = fileURLToPath(import.meta.resolve('mcp-remote/dist/proxy.js'));
const [sqlite] = DATABASES;

const firstId = (result: unknown) =>
  (result as { structuredContent?: { results: { entity_id: string }[] } }).structuredContent
    ?.results[0]?.entity_id;

describe('clients of other vendors', () => {
  let house: House;
  let env: Record<string, string>;

  before(async () => {
    assert.ok(sqlite);
    house = await openHouse(sqlite);
    // The clients get a home directory of their own, so that they do not change the user's files.
    // BROWSER opens nothing.
    env = { ...childEnvironment(), HOME: mkdtempSync(join(tmpdir(), 'quarry-clients-')) };
    env.BROWSER = '/bin/false';
  });
  after(async () => {
    await house.close();
    rmSync(env.HOME as string, { recursive: true });
  });

  const headerArguments = (form: (name: string, value: string) => string) =>
    Object.entries(house.headers).flatMap(([name, value]) => ['--header', form(name, value)]);

  for (const era of ['legacy', 'modern'] as const) {
    it(`[MCP-05] [MCP-06] @ai-sdk/mcp calls a tool, and gets a failure as an error, ${era}`, async () => {
      const client = await createMCPClient({
        transport: { type: 'http', url: `${house.address}/mcp`, headers: house.headers },
        protocolVersionDiscovery: era === 'modern',
      });
      try {
        const tool = (await client.tools())[SEARCH];
        assert.ok(tool);
        const call = { toolCallId: '1', messages: [], context: {} };
        assert.equal(firstId(await tool.execute(QUESTION, call)), ANSWER);
        const failed = await tool.execute({ query: '' }, call);
        assert.equal((failed as { isError?: boolean }).isError, true);
      } finally {
        await client.close();
      }
    });

    it(`[MCP-05] [MCP-06] mcp-remote forwards simultaneous calls, ${era}`, async () => {
      const mode = era === 'modern' ? 'auto' : 'legacy';
      const client = new Client({ name: 'desk', version: '1' }, { versionNegotiation: { mode } });
      const args = [BRIDGE, `${house.address}/mcp`, '--transport', 'http-only'];
      args.push(...headerArguments((name, value) => `${name}:${value}`));
      await client.connect(
        new StdioClientTransport({ command: process.execPath, args, env, stderr: 'pipe' }),
      );
      try {
        const agreed = client.getNegotiatedProtocolVersion();
        assert.equal(agreed, era === 'modern' ? '2026-07-28' : '2025-11-25');
        const { tools } = await client.listTools();
        assert.ok(tools.some(({ name }) => name === SEARCH));
        const ask = async (i: number) => {
          const query = `berth ${i}`;
          const args = { name: SEARCH, arguments: { query, limit: 1 } };
          return firstId(await client.callTool(args));
        };
        const asked = [0, 1, 2, 3, 4, 5];
        const given = await Promise.all(asked.map(ask));
        assert.deepEqual(
          given,
          asked.map((i) => `log-${i}__chunk_0`),
        );
      } finally {
        await client.close();
      }
    });

    /** Runs the Inspector. Its exit code tells whether it accepted the answer. */
    async function inspect(...args: string[]) {
      const child = spawn(
        process.execPath,
        [
          ...[INSPECTOR, '--cli', `${house.address}/mcp`, '--transport', 'http'],
          ...[...headerArguments((name, value) => `${name}: ${value}`), '--protocol-era', era],
          ...['--format', 'json', ...args],
        ],
        { env, stdio: ['ignore', 'pipe', 'pipe'] },
      );
      const [stdout, stderr, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ]);
      return { stdout, stderr, code };
    }

    it(`[MCP-05] [MCP-06] the Inspector's command line calls tools, ${era}`, async () => {
      const call = ['--method', 'tools/call', '--tool-name'];
      const one = ['--tool-args-json', JSON.stringify(QUESTION)];
      const found = await inspect(...call, SEARCH, ...one);
      assert.equal(found.code, 0, found.stderr);
      assert.ok(found.stdout.includes(ANSWER), found.stdout);
      const missing = await inspect(...call, 'read', '--tool-args-json', '{"id":"none"}');
      assert.match(missing.stdout, /API error \(404\)/);
    });

    it(`the Inspector finds no schema that a client would refuse, ${era}`, async () => {
      const { code, stdout, stderr } = await inspect('--method', 'tools/list', '--strict');
      assert.equal(code, 0, stderr);
      assert.ok(stdout.includes(SEARCH));
    });
  }
});
