/**
 * Runs the conformance suite of the protocol's authors against the mount of /mcp: once with the tools that the suite
 * expects of a server under test, on the HTTP layer that ours has; and once with our tools, as far as the suite
 * expects nothing of them.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { McpServer } from '@modelcontextprotocol/server';
import pino from 'pino';
import { type App, createServer } from '../../http/server.ts';
import { toolServerRoutes } from '../../mcp/routes.ts';
import { DATABASES } from '../databases.ts';
import { identityOf } from '../identity.ts';
import { registerPrompts, registerResources } from '../mcp/conformance/rest.ts';
import { registerRounds, states } from '../mcp/conformance/rounds.ts';
import { registerTools } from '../mcp/conformance/tools.ts';
import { type House, openHouse } from '../mcp/house.ts';

const SUITE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
const EXCEPTIONS = fileURLToPath(new URL('../mcp/conformance/exceptions.yml', import.meta.url));

/**
 * Returns the summary of the suite. Throws when the suite has run nothing, when something fails that is not an
 * exception, and when an exception no longer fails.
 */
async function conform(address: string, ...what: string[]): Promise<string> {
  const out = mkdtempSync(join(tmpdir(), 'quarry-conformance-'));
  const args = [SUITE, 'server', '--url', `${address}/mcp`, '-o', out, ...what];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  rmSync(out, { recursive: true });
  const summary = stdout.slice(stdout.search(/=== SUMMARY ===|Test Results:/));
  assert.equal(code, 0, `${summary}\n${stderr}`);
  assert.match(summary, /[1-9]\d* passed|Passed: [1-9]/);
  return summary;
}

/**
 * Adds headers to every request, as a gateway in front of the server would, because the suite sends none of its own.
 */
function alwaysSent(app: App, headers: Readonly<Record<string, string>>): void {
  app.server.prependListener('request', ({ headers: given }: IncomingMessage) => {
    for (const [name, value] of Object.entries(headers)) given[name] ??= value;
  });
}

function makeServer(): McpServer {
  const server = new McpServer(
    { name: 'conformance', version: '1' },
    {
      // The lists of this server never change, as those of ours.
      capabilities: {
        logging: {},
        tools: { listChanged: false },
        prompts: { listChanged: false },
        resources: { listChanged: false },
      },
      requestState: { verify: states.verify },
    },
  );
  registerTools(server);
  registerRounds(server);
  registerResources(server);
  registerPrompts(server);
  return server;
}

describe('the conformance suite, with its own tools', () => {
  let app: App;
  let address: string;

  before(async () => {
    app = createServer({
      log: pino({ level: 'silent' }),
      unavailableReason: () => null,
      authenticate: async () => identityOf('o', { role: 'read' }),
      routes: (scope, explain) =>
        toolServerRoutes(scope, explain, {
          collections: { names: async () => [] },
          oauth: null,
          resultTokens: 8_000,
          make: makeServer,
        }),
    });
    alwaysSent(app, { 'x-api-key': 'k', 'x-collection-readable-id': 'c' });
    await app.listen({ host: '127.0.0.1', port: 0 });
    address = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  });
  after(() => app.close());

  const known = ['--expected-failures', EXCEPTIONS];
  for (const revision of ['2025-11-25', '2026-07-28'])
    it(`[MCP-05] [MCP-06] what ${revision} requires`, async () => {
      await conform(address, '--requirements', revision, ...known);
    });

  // The suite has no list of what these revisions require, so it runs everything that it knows of them.
  it('[MCP-05] [MCP-06] all of 2025-06-18', async () => {
    await conform(address, '--suite', 'all', '--spec-version', '2025-06-18', ...known);
  });

  it('[MCP-05] [MCP-06] [MCP-09] all of 2025-03-26', async () => {
    await conform(address, '--suite', 'all', '--spec-version', '2025-03-26');
  });
});

describe('the conformance suite, with our tools', () => {
  let house: House;
  before(async () => {
    const [sqlite] = DATABASES;
    assert.ok(sqlite);
    house = await openHouse(sqlite);
    alwaysSent(house.api, house.headers);
  });
  after(() => house.close());

  for (const [revision, ...scenarios] of [
    ['2025-03-26', 'server-session-lifecycle'],
    ['2025-06-18', 'server-initialize', 'tools-list'],
    ['2025-11-25', 'tools-list', 'dns-rebinding-protection'],
    ['2026-07-28', 'tools-list', 'http-header-validation', 'dns-rebinding-protection'],
  ] as const)
    for (const scenario of scenarios)
      it(`[MCP-05] [MCP-06] ${scenario} of ${revision}`, async () => {
        const what = ['--scenario', scenario, '--spec-version', revision];
        assert.match(await conform(house.address, ...what), /\b0 failed/);
      });
});
