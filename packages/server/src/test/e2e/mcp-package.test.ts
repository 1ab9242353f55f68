/**
 * Tests the package as it is published: packed, unpacked into a folder of its own where only its declared
 * dependencies can be found, and run by the oldest Node that it promises to run on.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { olderNode } from '../package/older-node.ts';
import { until } from '../until.ts';
import { type Server, startServer, TEST_KEY, tempDir } from './process.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
const SOURCE = join(ROOT, 'packages/mcp');
const COLLECTION = 'harbour';

interface Manifest {
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, { types: string; default: string }>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

describe('the package quarry-mcp', () => {
  const home = fs.mkdtempSync(join(tmpdir(), 'quarry-mcp-'));
  const unpacked = join(home, 'node_modules/quarry-mcp');
  let manifest: Manifest;

  before(async () => {
    fs.mkdirSync(unpacked, { recursive: true });
    await run(join(ROOT, 'node_modules/.bin/tsc'), ['-b'], { cwd: SOURCE });
    // Some machines do not allow npm to run scripts.
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', home], { cwd: SOURCE });
    const [tarball = ''] = fs.globSync('*.tgz', { cwd: home });
    await run('tar', ['-xzf', join(home, tarball), '-C', unpacked, '--strip-components=1']);
    manifest = JSON.parse(fs.readFileSync(join(unpacked, 'package.json'), 'utf8'));
    for (const name of Object.keys(manifest.dependencies)) {
      const link = join(home, 'node_modules', name);
      fs.mkdirSync(dirname(link), { recursive: true });
      fs.symlinkSync(join(ROOT, 'node_modules', name), link);
    }
  });
  after(() => fs.rmSync(home, { recursive: true }));

  it('has what its manifest names, and nothing that is of no use', () => {
    const command = join(unpacked, manifest.bin['quarry-mcp'] ?? '');
    assert.match(fs.readFileSync(command, 'utf8'), /^#!\/usr\/bin\/env node\n/);
    for (const { types, default: script } of Object.values(manifest.exports))
      for (const path of [types, script]) assert.ok(fs.existsSync(join(unpacked, path)), path);
    const files = fs
      .readdirSync(unpacked, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(unpacked.length + 1));
    const strange = files.filter(
      (file) => !/^(dist\/.*(\.js|\.d\.ts)|package\.json|README\.md|LICENSE)$/.test(file),
    );
    assert.deepEqual(strange, []);
    assert.ok(files.includes('README.md') && files.includes('LICENSE'));
    assert.ok(!files.some((file) => file.includes('.test.')));
  });

  it('[MCP-01] [MCP-07] searches on Node 20 too', async (t) => {
    const node = await olderNode();
    if (!node) return t.skip('no Node 20 on this machine');
    const data = tempDir();
    const server = await startServer(data.path);
    const client = new Client({ name: 'old', version: '1' });
    try {
      await fill(server);
      const transport = new StdioClientTransport({
        command: node,
        args: [join(unpacked, manifest.bin['quarry-mcp'] ?? '')],
        env: {
          SERVICE_API_KEY: TEST_KEY,
          SERVICE_COLLECTION: COLLECTION,
          SERVICE_BASE_URL: server.address,
        },
        stderr: 'pipe',
      });
      await client.connect(transport);
      const { tools } = await client.listTools();
      assert.ok(tools.some(({ name }) => name === `search-${COLLECTION}`));
      await until(async () => {
        const found = await client.callTool({
          name: `search-${COLLECTION}`,
          arguments: { query: 'heron' },
        });
        return JSON.stringify(found.content).includes('The heron waits at the weir.');
      });
    } finally {
      await client.close();
      await server.stop();
      data.remove();
    }
  });

  async function fill(server: Server): Promise<void> {
    await server.call('POST', '/v1/collections', { name: 'Harbour', readable_id: COLLECTION });
    const { body } = await server.call('POST', '/v1/source-connections', {
      name: 'Pushes',
      short_name: 'push',
      readable_collection_id: COLLECTION,
    });
    const text = 'The heron waits at the weir.';
    const entities = [{ entity_id: 'n1', name: 'Note', text }];
    const path = `/v1/source-connections/${body.id}/entities`;
    const answer = await server.call('POST', path, { entities });
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
  }
});
