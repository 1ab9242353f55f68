/**
 * Runs the programs of docs/guides and of the client's page as they stand, against a running service, and compares what
 * they print with what the pages promise. Only the port differs.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { openTestQuarry, type TestQuarry } from '../packages/server/src/test/app/quarry.ts';
import { childEnvironment } from '../packages/server/src/test/child-environment.ts';
import { DATABASES } from '../packages/server/src/test/databases.ts';
import { must } from '../packages/server/src/util.ts';
import { matchConsole, readSteps } from './readme-blocks.ts';

const PAGES = [...globSync('docs/guides/*.md').toSorted(), 'packages/client/README.md'];

const programs = PAGES.flatMap((page) => {
  const name = page.startsWith('docs/') ? basename(page, '.md') : 'client';
  return readSteps(readFileSync(page, 'utf8')).map(({ commands, promise, line }, i) => {
    const file = `${name}-${i}.ts`;
    return { page, line, file, code: commands, promise: must(promise).text };
  });
});

/** It asks the tool once, and answers with what the tool has found. */
async function openModel(): Promise<Server> {
  const call = { name: 'search', arguments: JSON.stringify({ query: 'Which bird waits?' }) };
  const server = createServer(async (request, response) => {
    const { messages } = (await json(request)) as { messages: { role: string; content: string }[] };
    const found = messages.find(({ role }) => role === 'tool');
    const message = found
      ? { role: 'assistant', content: JSON.parse(found.content)[0].text }
      : { role: 'assistant', tool_calls: [{ id: 'call-1', type: 'function', function: call }] };
    const choices = [{ index: 0, message, finish_reason: found ? 'stop' : 'tool_calls' }];
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ id: '1', created: 1, model: 'm', choices }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

describe('the programs of the guides', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-guides-'));
  let quarry: TestQuarry;
  let model: Server;

  before(async () => {
    // The programs find the packages where a program of this repository finds them.
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    model = await openModel();
    quarry = await openTestQuarry(await must(DATABASES[0]).open(), {
      env: { QUARRY_ALLOW_LOOPBACK: 'true' },
    });
    await quarry.api.listen({ host: '127.0.0.1', port: 0 });
    await quarry.ok('POST', '/v1/collections', { name: 'My notes', readable_id: 'my-notes' });
    const { id } = await quarry.ok('POST', '/v1/source-connections', {
      name: 'My pushes',
      short_name: 'push',
      readable_collection_id: 'my-notes',
    });
    const entities = [
      ['heron', 'The heron waits at the weir.', 'user:ann@example.org'],
      ['diver', 'The diver waits in the lake.', 'group:divers'],
    ].map(([entity_id = '', text, viewer]) => ({
      entity_id,
      name: entity_id.replace(/^./, (first) => first.toUpperCase()),
      text,
      access: { viewers: [viewer], is_public: false },
    }));
    await quarry.ok('POST', `/v1/source-connections/${id}/entities`, { entities });
    await quarry.settled(id);
    const { port } = quarry.api.server.address() as AddressInfo;
    for (const { file, code } of programs)
      writeFileSync(join(folder, file), code.replaceAll(':8099', `:${port}`));
  });
  after(async () => {
    await quarry.close();
    model.close();
    rmSync(folder, { recursive: true });
  });

  it('exist on every page', () => {
    const without = PAGES.filter((page) => !programs.some((one) => one.page === page));
    assert.deepEqual(without, ['docs/guides/README.md']);
  });

  for (const { page, line, file, promise } of programs)
    it(`${page}, line ${line}, prints what it promises`, async () => {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['-C', 'quarry', join(folder, file)],
        {
          cwd: folder,
          env: {
            ...childEnvironment(),
            QUARRY_API_KEY: quarry.key,
            MODEL_URL: `${addressOf(model)}/v1`,
          },
        },
      );
      assert.ok(matchConsole(promise, stdout, true), `promised:\n${promise}\nprinted:\n${stdout}`);
    });

  it('keep the rules of the types', () => {
    const config = {
      extends: resolve('tsconfig.base.json'),
      compilerOptions: { composite: false, noEmit: true, preserveSymlinks: false },
      include: ['*.ts'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = resolve('node_modules/typescript/bin/tsc');
    try {
      execFileSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
    } catch (error) {
      assert.fail((error as { stdout: string }).stdout);
    }
  });
});
