/** Each text is run as a person would run it, against a server that answers with what it was asked. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { codeFor, type Language } from './code.ts';

const body = {
  query: `it's "quoted"\n$HOME \`id\``,
  filter: { must: [] },
  limit: 3,
  retrieval_strategy: 'keyword',
};
const PROGRAMS: Record<Language, readonly string[]> = {
  curl: ['bash', '-c'],
  typescript: [process.execPath, '--input-type=module-typescript', '-e'],
  python: ['python3', '-c'],
  mcp: ['bash', '-c'],
};
const call = {
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: {
    name: 'search-notes',
    arguments: { query: body.query, filter: body.filter, limit: 3, search_method: 'keyword' },
  },
};

describe('the same search from code', () => {
  const asked: { url?: string; headers: Record<string, unknown>; body: unknown }[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      asked.push({ url: request.url ?? '', headers: request.headers, body: JSON.parse(text) });
      response.setHeader('content-type', 'application/json').end('{"results": ["found"]}');
    });
  });
  before(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
  after(() => server.close());

  for (const language of Object.keys(PROGRAMS) as Language[])
    it(`works in ${language} as it is`, async () => {
      const { port } = server.address() as AddressInfo;
      const text = codeFor(language, {
        origin: `http://127.0.0.1:${port}`,
        collection: 'notes',
        body,
        principals: 'user:ann@example.com',
      });
      const [program = '', ...args] = PROGRAMS[language];
      const output = await run(program, [...args, text]);
      assert.match(output, /found/);
      const request = asked.at(-1);
      const isCall = language === 'mcp';
      assert.equal(request?.url, isCall ? '/mcp' : '/v1/collections/notes/search');
      assert.deepEqual(request?.body, isCall ? call : body);
      if (isCall) assert.equal(request?.headers['x-collection-readable-id'], 'notes');
      assert.equal(request?.headers.authorization, 'Bearer secret-key');
      assert.equal(request?.headers['x-principals'], 'user:ann@example.com');
    });
});

function run(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: { ...process.env, QUARRY_API_KEY: 'secret-key' } });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part) => {
        output += part;
      });
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(output))));
  });
}
