/** Checks that the client needs nothing but what browsers and other runtimes have, in its types and while it runs. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { rolldown } from 'rolldown';

const CLIENT = dirname(dirname(fileURLToPath(import.meta.url)));
const ROOT = join(CLIENT, '../..');

/** These are globals of the Minimum Common Web API (https://min-common-api.proposal.wintercg.org). */
const WEB = {
  AbortController,
  AbortSignal,
  Headers,
  ReadableStream,
  Request,
  Response,
  TextDecoderStream,
  TransformStream,
  URL,
  URLSearchParams,
  clearTimeout,
  fetch,
  setTimeout,
};

describe('quarry-client outside of Node.js', () => {
  it('is one small script for browsers, and runs where only the globals of the web exist', async () => {
    const bundle = await rolldown({
      input: join(CLIENT, 'src/client.ts'),
      platform: 'browser',
      logLevel: 'silent',
    });
    const { output } = await bundle.generate({ format: 'iife', name: 'quarry', minify: true });
    await bundle.close();
    const { code } = output[0];
    assert.ok(code.length < 20_000, `${code.length} bytes`);

    const server = createServer((request, response) => {
      if (request.url?.endsWith('stream'))
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end('data: {"type":"done"}\n\n');
      else
        response
          .writeHead(200, { 'content-type': 'application/json', 'x-total-count': '1' })
          .end(JSON.stringify([{ name: request.headers.authorization }]));
    }).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const context = createContext({ ...WEB });
      const found = await runInContext(
        `${code}
        (async () => {
          const client = quarry.createQuarryClient({ url: '${url}', apiKey: 'k' });
          const found = [];
          for await (const { name } of quarry.itemsOf((query) => client.GET('/v1/collections', { params: { query } })))
            found.push(name);
          for await (const { type } of quarry.eventsOf(client.GET('/v1/any/stream', { parseAs: 'stream' })))
            found.push(type);
          return JSON.stringify(found);
        })()`,
        context,
      );
      assert.deepEqual(JSON.parse(found), ['Bearer k', 'done']);
    } finally {
      server.close();
    }
  });

  for (const lib of ['webworker,webworker.iterable', 'dom,dom.iterable'])
    it(`has types that need nothing but the library ${lib}`, () => {
      const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
      const flags = ['--noEmit', '--composite', 'false', '--types', '', '--lib', `es2022,${lib}`];
      const told = (more: readonly string[]) => {
        try {
          execFileSync(process.execPath, [tsc, '-p', CLIENT, ...flags, ...more], {
            encoding: 'utf8',
          });
          return '';
        } catch (error) {
          return String((error as { stdout: string }).stdout);
        }
      };
      assert.equal(told([]), '');
      assert.match(told(['--lib', 'es2022']), /Cannot find name 'Request'/);
    });
});
