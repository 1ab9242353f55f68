/**
 * The sandbox must know every builtin module of the running Node, and every function of the objects of `KEPT_MEMBERS`.
 * A new version of Node with new modules or functions fails this test, so that a developer examines them. The second
 * suite runs, in a real limited process, statements that such a process must not be able to run.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { KEPT_MEMBERS, KNOWN_MODULES } from '../../sandbox/known.ts';
import { createFunctions, type Functions } from '../../transformers/functions.ts';

/** A limited process does not have these functions. Some versions of Node lack some of them. */
const TAKEN: Readonly<Record<string, string>> = {
  process: `_debugEnd _debugProcess _kill _linkedBinding binding chdir debugPort dlopen execve initgroups kill
    loadEnvFile report setegid seteuid setgid setgroups setuid stdout`,
  os: 'setPriority devNull EOL',
  v8: `GCProfiler getCppHeapStatistics getHeapSnapshot promiseHooks queryObjects setFlagsFromString
    setHeapSnapshotNearHeapLimit startCpuProfile startHeapProfile startupSnapshot stopCoverage takeCoverage
    writeHeapSnapshot`,
  worker_threads: 'postMessageToThread',
};

/**
 * Each of these statements must fail. `loot` is a folder outside the readable folder, and `socket` is the file of a
 * listening socket in it.
 */
const ATTEMPTS: Readonly<Record<string, readonly string[]>> = {
  child_process: ["m.execFileSync('true')", "m.spawnSync('true').error.throw()", "m.fork('x.js')"],
  cluster: ['m.fork()'],
  fs: [
    'm.writeFileSync(loot + "/x", "x")',
    'm.mkdirSync(loot + "/d")',
    'm.symlinkSync("/", loot + "/l")',
    'm.readdirSync(loot)',
    'm.readFileSync(loot + "/secret")',
    'm.openSync(loot + "/x", "w")',
    'm.chmodSync(loot + "/secret", 0o777)',
    'm.unlinkSync(loot + "/secret")',
    'await m.openAsBlob(loot + "/secret")',
  ],
  'fs/promises': ['await m.writeFile(loot + "/x", "x")', 'await m.readFile(loot + "/secret")'],
  net: [
    'await listening(m.createServer(), loot + "/s")',
    'await listening(m.createServer(), 0)',
    'await connected(m.connect(socket))',
    'await connected(m.connect({ path: socket }))',
  ],
  http: [
    'await listening(m.createServer(), loot + "/s")',
    'await connected(m.request({ socketPath: socket }).end())',
  ],
  https: ['await connected(m.request({ socketPath: socket }).end())'],
  http2: [
    'await listening(m.createServer(), loot + "/s")',
    'await connected(m.connect("http://x", { path: socket }).request())',
  ],
  tls: [
    'await listening(m.createServer(), loot + "/s")',
    'await connected(m.connect({ path: socket }))',
  ],
  inspector: ['m.open(0)', 'new m.Session().connectToMainThread()', 'new m.Session().connect()'],
  module: [
    'm.register("data:text/javascript,")',
    'm.createRequire("/x.js")("node:sqlite")',
    'm.createRequire("/x.js")(loot + "/secret")',
  ],
  os: ['m.setPriority(process.pid, 1)'],
  process: [
    'm.kill(m.ppid, 0)',
    'm._kill(m.ppid, 0)',
    'm._debugProcess(m.ppid)',
    'm.chdir("/")',
    'm.setuid(0)',
    'm.setgid(0)',
    'm.report.writeReport(loot + "/r")',
    'm.loadEnvFile(loot + "/secret")',
    'm.dlopen({ exports: {} }, loot + "/x.node")',
    'm.binding("fs")',
    'm.execve("/bin/true", [], {})',
  ],
  sqlite: ['throw new Error(m ? "" : "not there")'],
  v8: [
    'm.setFlagsFromString("--trace-turbo")',
    'm.writeHeapSnapshot(loot + "/h")',
    'm.setHeapSnapshotNearHeapLimit(1)',
    'm.takeCoverage()',
  ],
  wasi: ['new m.WASI({ version: "preview1", preopens: { "/": loot } })'],
  worker_threads: [
    'new m.Worker("1", { eval: true })',
    `await m.postMessageToThread(1, "x").catch((error) => {
      if (error.code !== "ERR_WORKER_MESSAGING_FAILED") throw error;
    })`,
  ],
};

const SOURCE = (attempt: string, name: string) => `
  const failed = (one) => new Promise((resolve, reject) => one.on('error', reject));
  const listening = (server, at) => Promise.race([failed(server),
    new Promise((resolve) => server.listen(at, resolve))]);
  const connected = (one) => Promise.race([failed(one),
    ...['connect', 'response'].map((event) => new Promise((resolve) => one.on(event, resolve)))]);
  export async function attempt(entities, { loot, socket }) {
    const m = process.getBuiltinModule('node:${name}') ?? (await import('node:${name}'));
    ${attempt};
    return entities;
  }`;

describe('the parts of Node in a limited process', () => {
  it('[TRF-18] every builtin module of Node is known to the sandbox', () =>
    assert.deepEqual(
      builtinModules.filter((name) => !KNOWN_MODULES.has(name)),
      [],
    ));

  for (const [name, kept] of Object.entries(KEPT_MEMBERS))
    it(`[TRF-18] every function of ${name} is known to the sandbox`, () => {
      const known = new Set([...kept, ...(TAKEN[name] ?? '').split(/\s+/)]);
      const found = Object.entries(
        Object.getOwnPropertyDescriptors(process.getBuiltinModule(name) as object),
      ).filter(
        ([, { value, get }]) => get || typeof value === 'function' || typeof value === 'object',
      );
      assert.deepEqual(
        found.map(([key]) => key).filter((key) => !known.has(key)),
        [],
      );
    });

  describe('in a real limited process', () => {
    let folder: string;
    let loot: string;
    let functions: Functions;
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.end();
    });
    before(async () => {
      const root = mkdtempSync(join(tmpdir(), 'quarry-builtins-'));
      folder = join(root, 'modules');
      loot = join(root, 'loot');
      for (const path of [folder, loot]) mkdirSync(path);
      writeFileSync(join(loot, 'secret'), 'x');
      await new Promise<void>((resolve) => server.listen(join(loot, 'socket'), resolve));
      functions = createFunctions({ folder, timeoutMs: 10_000, memoryMb: 256 });
    });
    after(async () => {
      await functions.close();
      server.close();
      rmSync(join(folder, '..'), { recursive: true });
    });

    let count = 0;
    for (const [name, attempts] of Object.entries(ATTEMPTS))
      for (const attempt of attempts)
        it(`[TRF-18] the statement fails: ${name}: ${attempt}`, async () => {
          const module = join(folder, `attempt${count++}.mjs`);
          writeFileSync(module, SOURCE(attempt, name));
          const config = { loot, socket: join(loot, 'socket') };
          const call = functions.call(
            { module, method: 'attempt' },
            { entities: [{}], config },
            new AbortController().signal,
          );
          // An error event without a listener ends the process. An earlier attempt may cause such
          // an event late.
          await assert.rejects(call, /it threw: |its process ended with 1$/);
          assert.equal(connections, 0);
          assert.deepEqual(readdirSync(loot).sort(), ['secret', 'socket']);
        });

    it('[TRF-18] statements that are allowed succeed', async () => {
      const module = join(folder, 'fine.mjs');
      writeFileSync(module, SOURCE('if (m.createHash("sha256") === null) throw m', 'crypto'));
      const signal = new AbortController().signal;
      const config = { loot, socket: '' };
      assert.deepEqual(
        await functions.call(
          { module, method: 'attempt' },
          { entities: [{ a: 1 }], config },
          signal,
        ),
        [{ a: 1 }],
      );
    });
  });
});
