import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { parse as parseToml } from 'smol-toml';
import { CLIENTS } from '../../cli/install/clients.ts';
import { install } from '../../cli/install/install.ts';
import { must } from '../../util.ts';
import { childEnvironment } from '../child-environment.ts';
import { DATABASES } from '../databases.ts';
import { COLLECTION, type House, openHouse } from './house.ts';

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
const SNIPPET = /^<!-- client: (\S+) (local|hosted) -->\n```(\w+)\n([\s\S]*?)^```$/gm;

const snippets = [...readFileSync(join(ROOT, 'docs/tool-server.md'), 'utf8').matchAll(SNIPPET)].map(
  ([, id = '', kind = '', format = '', text = '']) => ({ id, kind, format, text }),
);

describe('docs/tool-server.md', () => {
  let house: House;
  let key: string;
  /** These values replace the placeholders, in this order. */
  let values: [placeholder: string, value: string][];

  before(async () => {
    house = await openHouse(must(DATABASES[0]));
    key = await house.keyOf('read');
    values = [
      ['<node>', process.execPath],
      ['<folder of Quarry>/', ROOT],
      // The command writes this key itself into the entry, because it cannot make another one.
      ['<key>', key],
      ['http://127.0.0.1:8099', house.address],
    ];
  });
  after(() => house.close());

  const filledIn = (text: string) =>
    values.reduce((filled, [name, value]) => filled.replaceAll(name, value), text);

  it('has a snippet for every client, local and hosted', () => {
    const wanted = CLIENTS.flatMap(({ id }) => [`${id} local`, `${id} hosted`]);
    assert.deepEqual(
      snippets.map(({ id, kind }) => `${id} ${kind}`),
      wanted.filter((one) => one !== 'claude hosted'),
    );
  });

  for (const { id, kind, format, text } of snippets) {
    it(`shows the entry that the command writes for ${id}, ${kind}`, async () => {
      const home = mkdtempSync(join(tmpdir(), 'quarry-snippets-'));
      const env = { SERVICE_API_KEY: key, SERVICE_BASE_URL: house.address };
      const file = join(home, 'file');
      const flags = { name: 'quarry', hosted: kind === 'hosted', file, yes: true };
      const terminal = { say: () => {}, confirm: async () => true };
      try {
        await install([id], flags, { machine: { platform: 'linux', home, env }, ...terminal });
        assert.equal(readFileSync(file, 'utf8'), filledIn(text));
      } finally {
        rmSync(home, { recursive: true });
      }
    });

    it(`shows an entry with which ${id} can search, ${kind}`, async () => {
      const entry = entryOf(
        id,
        format === 'toml' ? parseToml(filledIn(text)) : JSON.parse(filledIn(text)),
      );
      const client = new Client({ name: 'reader', version: '1' });
      await client.connect(transportOf(entry) as never);
      try {
        const found = await client.callTool({
          name: `search-${COLLECTION}`,
          arguments: { query: 'berth 7' },
        });
        assert.match(JSON.stringify(found.content), /log-7__chunk_0/);
      } finally {
        await client.close();
      }
    });
  }
});

/** The names of the sections are those of the clients' documentation. */
const SECTIONS: Readonly<Record<string, string>> = {
  claude: 'mcpServers',
  'claude-code': 'mcpServers',
  cursor: 'mcpServers',
  vscode: 'servers',
  codex: 'mcp_servers',
};

const entryOf = (id: string, file: any): any => file[SECTIONS[id] ?? ''].quarry;

function transportOf(entry: any) {
  if (entry.command)
    return new StdioClientTransport({
      ...entry,
      env: { ...childEnvironment(), ...entry.env },
      stderr: 'pipe',
    });
  const headers = entry.headers ?? entry.http_headers;
  return new StreamableHTTPClientTransport(new URL(entry.url), { requestInit: { headers } });
}
