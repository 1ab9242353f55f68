/** Runs programs that embed Quarry as processes of their own, beside a service, and with threads that break. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openQuarry } from '../../embedded.ts';
import { childEnvironment } from '../child-environment.ts';
import { isFull } from '../tier.ts';
import { startServer, tempDir } from './process.ts';

const EMBEDDED = fileURLToPath(new URL('../../embedded.ts', import.meta.url));

describe('a program that embeds Quarry', () => {
  let dir: ReturnType<typeof tempDir>;
  beforeEach(() => {
    dir = tempDir();
  });
  afterEach(() => dir.remove());

  /** Runs the program to its end. It has `openQuarry`, and returns the object that this function returns. */
  async function run(program: string, flags: readonly string[] = []) {
    const file = `${dir.path}/program.mjs`;
    const result = `${dir.path}/result.json`;
    writeFileSync(
      file,
      `import { writeFileSync } from 'node:fs';
      import { openQuarry } from ${JSON.stringify(EMBEDDED)};
      const dataDir = ${JSON.stringify(`${dir.path}/data`)};
      const result = await (async () => { ${program} })();
      writeFileSync(${JSON.stringify(result)}, JSON.stringify(result));`,
    );
    const child = spawn(process.execPath, ['-C', 'quarry', ...flags, file], {
      env: childEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'close');
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    assert.deepEqual([stdout, stderr, await ended], ['', '', [0, null]]);
    return JSON.parse(readFileSync(result, 'utf8'));
  }

  it('ends by itself when Quarry is closed, and Quarry listens nowhere, writes nothing, and starts no threads', async () => {
    const result = await run(`
      const { subscribe } = await import('node:diagnostics_channel');
      const { readdirSync, readlinkSync } = await import('node:fs');
      const threads = [];
      subscribe('worker_threads', () => threads.push('a thread'));
      const sockets = () => readdirSync('/proc/self/fd').filter((fd) => {
        try { return readlinkSync('/proc/self/fd/' + fd).startsWith('socket:'); } catch { return false; }
      }).length;
      const listeners = () => process.eventNames().map((name) => [String(name), process.listenerCount(name)]);
      const before = { sockets: sockets(), listeners: listeners() };
      const quarry = await openQuarry({ dataDir });
      await quarry.collections.create({ name: 'My notes', readable_id: 'my-notes' });
      await quarry.push('my-notes', { entities: [{ entity_id: 'heron', name: 'Heron', text: 'The heron waits.' }] });
      const { results } = await quarry.search('my-notes', { query: 'heron' });
      const servers = process.getActiveResourcesInfo().filter((name) => name.includes('Server'));
      const while_ = { sockets: sockets(), listeners: listeners() };
      await quarry.close();
      return { found: results.length, before, while_, servers, threads };`);
    const { found, before, while_, servers, threads } = result;
    assert.deepEqual([found, servers, threads], [1, [], []]);
    assert.deepEqual(while_, before);
  });

  it('is told which service holds the data, and opens them when the service has stopped', async () => {
    const data = `${dir.path}/data`;
    const server = await startServer(data);
    await server.call('POST', '/v1/collections', { name: 'My notes', readable_id: 'my-notes' });
    await assert.rejects(openQuarry({ dataDir: data }), {
      message: `Quarry runs already at ${server.address} with the data in ${data}: ask it by quarry-client, stop it with 'quarry stop', or give another dataDir`,
    });
    await server.kill();
    // The killed service has left its address, at which another program may listen by now.
    await using quarry = await openQuarry({ dataDir: data });
    assert.deepEqual(
      (await quarry.collections.list()).map(({ readable_id }) => readable_id),
      ['my-notes'],
    );
    await assert.rejects(openQuarry({ dataDir: data }), /open in another program, or already/);
  });

  // A thread is started eleven times, with longer and longer pauses.
  if (!isFull) return;
  it('is told when a thread cannot be kept alive, and so is every later call', {
    skip: !isFull,
  }, async () => {
    const broken =
      "data:text/javascript,import{isMainThread}from'node:worker_threads';if(!isMainThread)throw new Error('it is broken')";
    const { fatal, refused } = await run(
      `
      const fatal = Promise.withResolvers();
      const quarry = await openQuarry({ dataDir, threads: true, onFatal: fatal.resolve });
      const error = await fatal.promise;
      const refused = await quarry.collections.list().catch(({ message }) => message);
      await quarry.close();
      return { fatal: error.message, refused };`,
      ['--import', broken],
    );
    assert.equal(fatal, 'a thread keeps dying');
    assert.equal(refused, fatal);
  });
});
