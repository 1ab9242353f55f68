/** Runs the server that docs/auth-providers.md shows. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../until.ts';

const DOCUMENT = fileURLToPath(new URL('../../../../../docs/auth-providers.md', import.meta.url));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts the server with these settings. `start` starts it again, with others if they are given. */
export async function openExample(settings: Record<string, string>) {
  const [, text] = readFileSync(DOCUMENT, 'utf8').split('```js\n');
  const [code = ''] = (text ?? '').split('```');
  assert.match(code, /createServer/);
  const folder = mkdtempSync(join(tmpdir(), 'quarry-example-'));
  const path = join(folder, 'server.mjs');
  writeFileSync(path, code);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;

  async function stop() {
    if (!child || child.exitCode !== null) return;
    const exited = once(child, 'exit');
    child.kill();
    await exited;
    child = undefined;
  }

  async function start(over: Record<string, string> = {}) {
    await stop();
    const env = { PATH: process.env.PATH, PORT: String(port), ...settings, ...over };
    child = spawn(process.execPath, [path], { env, stdio: ['ignore', 'inherit', 'inherit'] });
    await until(() =>
      fetch(url).then(
        () => true,
        () => undefined,
      ),
    );
  }

  await start();
  return {
    url,
    start,
    stop,
    async close() {
      await stop();
      rmSync(folder, { recursive: true });
    },
  };
}
