/**
 * Tests the package `quarry` as people get it: packed, installed by npm into an empty folder with an empty cache, and run
 * there, where nothing of this project can be found.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type LocalRegistry, openRegistry } from '../package/local-registry.ts';
import { olderNode } from '../package/older-node.ts';
import { until } from '../until.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));

describe('the package quarry', () => {
  const home = fs.mkdtempSync(join(tmpdir(), 'quarry-package-'));
  const app = join(home, 'app');
  const installed = join(app, 'node_modules/quarry');
  let registry: LocalRegistry;
  before(async () => {
    registry = await openRegistry(ROOT);
    await run(process.execPath, ['-C', 'quarry', 'scripts/pack.ts', home], { cwd: ROOT });
    const [archive = ''] = fs.globSync('*.tgz', { cwd: home });
    fs.mkdirSync(app);
    fs.writeFileSync(join(app, 'package.json'), '{"private":true}');
    const settings = ['--registry', registry.url, '--cache', join(home, 'npm'), '--no-audit'];
    await run('npm', ['install', ...settings, '--no-fund', join(home, archive)], { cwd: app });
  });
  after(async () => {
    await registry.close();
    fs.rmSync(home, { recursive: true });
  });

  const command = (node: string, ...args: string[]) =>
    run(node, [join(app, 'node_modules/.bin/quarry'), ...args], { cwd: app, env: environment() });
  const environment = () => ({ PATH: process.env.PATH ?? '', HOME: join(home, 'user') });

  it('has what its manifest names, and no tests, sources or build tools', async () => {
    const files = fs
      .readdirSync(installed, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(installed.length + 1));
    for (const part of ['bin/quarry.mjs', 'dist/app.js', 'dist/app.d.ts', 'ui/index.html.br'])
      assert.ok(files.includes(part), part);
    const strange = files.filter((file) =>
      /(^|\/)test\/|\.test\.|\.map$|(?<!\.d)\.tsx?$/.test(file),
    );
    assert.deepEqual(strange, []);
    for (const tool of ['typescript', 'vite', 'react', 'playwright-core', '@biomejs/biome'])
      assert.ok(!registry.asked.has(tool), `${tool} was installed`);
  });

  it('without a command it says what can be done', async () => {
    const { stdout } = await command(process.execPath);
    assert.match(stdout, /^Usage: quarry \[options\] \[command\]$/m);
    assert.match(stdout, /^ {2}start /m);
    const { version } = JSON.parse(fs.readFileSync(join(installed, 'package.json'), 'utf8'));
    assert.equal((await command(process.execPath, '--version')).stdout, `${version}\n`);
  });

  it('starts, keeps its data in the folder of the user, and ends with a signal', async () => {
    const data = join(home, 'user/.local/share/quarry');
    for (const isFirst of [true, false]) {
      const child = spawn(
        process.execPath,
        [join(app, 'node_modules/.bin/quarry'), 'start', '--port', '0'],
        {
          cwd: app,
          env: environment(),
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      const ended = once(child, 'exit');
      let shown = '';
      child.stdout.on('data', (text) => {
        shown += text;
      });
      try {
        const address = await until(() => /ready at (http:\S+)/.exec(shown)?.[1]);
        assert.equal(/sample collection quarry-docs holds \d\d+ documents/.test(shown), isFirst);
        const page = await fetch(address, { headers: { accept: 'text/html' } });
        assert.match(await page.text(), /<div id="root">/);
        assert.ok(fs.existsSync(join(data, 'quarry.db')));
      } finally {
        child.kill('SIGTERM');
      }
      assert.deepEqual(await ended, [0, null]);
    }
    assert.deepEqual(fs.readdirSync(app).toSorted(), [
      'node_modules',
      'package-lock.json',
      'package.json',
    ]);
  });

  it('runs from an older Node in the one that its installation has fetched', async (t) => {
    const older = await olderNode();
    if (older === undefined) return t.skip('no Node 20 to 23 is on the PATH');
    const fetched = join(ROOT, 'scripts/node/node_modules');
    if (!fs.existsSync(fetched)) return t.skip('this project runs on a Node of the machine');
    fs.cpSync(fetched, join(installed, 'bin/node/node_modules'), { recursive: true });
    const { stdout } = await command(older, 'config');
    assert.match(stdout, /QUARRY_DATA_DIR/);
    await assert.rejects(command(older, 'strat'), { code: 1, stderr: /Did you mean start\?/ });
  });
});
