/**
 * Tests the package `quarry` as people get it: packed, installed by npm into an empty folder with an empty cache and
 * without the internet, and run there, where nothing of this project can be found.
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
import { docxFile } from '../documents/docx-file.ts';
import { pdfFile } from '../documents/pdf-file.ts';
import { olderNode } from '../package/older-node.ts';
import { openCollector } from '../telemetry/collector.ts';
import { until } from '../until.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));

describe('the package quarry', () => {
  const home = fs.mkdtempSync(join(tmpdir(), 'quarry-package-'));
  const app = join(home, 'app');
  const installed = join(app, 'node_modules/quarry');
  before(async () => {
    await run(process.execPath, ['-C', 'quarry', 'scripts/pack.ts', home], { cwd: ROOT });
    const [archive = ''] = fs.globSync('*.tgz', { cwd: home });
    fs.mkdirSync(app);
    fs.writeFileSync(join(app, 'package.json'), '{"private":true}');
    const settings = ['--offline', '--cache', join(home, 'npm'), '--no-audit', '--no-fund'];
    await run('npm', ['install', ...settings, join(home, archive)], { cwd: app });
  });
  after(() => fs.rmSync(home, { recursive: true }));

  const command = (node: string, ...args: string[]) =>
    run(node, [join(app, 'node_modules/.bin/quarry'), ...args], { cwd: app, env: environment() });
  const environment = () => ({ PATH: process.env.PATH ?? '', HOME: join(home, 'user') });

  it('has what its manifest names, and no tests, sources or build tools', async () => {
    const files = fs
      .readdirSync(installed, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(installed.length + 1));
    for (const part of ['bin/quarry.mjs', 'dist/embedded.js', 'ui/index.html.br'])
      assert.ok(files.includes(part), part);
    const strange = files.filter((file) =>
      /(^|\/)test\/|\.test\.|\.map$|(?<!\.d)\.tsx?$/.test(file),
    );
    assert.deepEqual(strange, []);
    // The code of other packages is inside, with their licenses, so npm installs the archive without the internet.
    const notices = fs.readFileSync(join(installed, 'THIRD-PARTY-NOTICES'), 'utf8');
    const noticeOf = (name: string) =>
      notices.split(/\n-{80}\n/).find((one) => one.trim().startsWith(`${name} `)) ?? '';
    for (const name of ['fastify', '@hyzyla/pdfium', 'zod', 'mysql2'])
      assert.match(noticeOf(name), /\(MIT\)\n\n.*Permission is hereby granted/s, name);
    assert.match(noticeOf('js-tiktoken'), /\(MIT\)/);
    const ofPages = fs.readFileSync(join(installed, 'ui/THIRD-PARTY-NOTICES'), 'utf8');
    assert.match(ofPages, /^react [\d.]+ \(MIT\)$/m);
    for (const tool of ['typescript', 'vite', 'react', 'playwright-core', '@biomejs/biome'])
      assert.doesNotMatch(notices, new RegExp(`^${tool} `, 'm'));
  });

  it('without a command it says what can be done', async () => {
    const { stdout } = await command(process.execPath);
    assert.match(stdout, /^Usage: quarry \[options\] \[command\]$/m);
    assert.match(stdout, /^ {2}start /m);
    const { version } = JSON.parse(fs.readFileSync(join(installed, 'package.json'), 'utf8'));
    assert.equal((await command(process.execPath, '--version')).stdout, `${version}\n`);
  });

  /** Runs the service while `work` runs. Returns what it has printed. */
  async function serving(
    work: (address: string) => Promise<void>,
    env: Record<string, string> = {},
  ): Promise<string> {
    const child = spawn(
      process.execPath,
      [join(app, 'node_modules/.bin/quarry'), 'start', '--port', '0'],
      { cwd: app, env: { ...environment(), ...env }, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const ended = once(child, 'exit');
    let shown = '';
    child.stdout.on('data', (text) => {
      shown += text;
    });
    try {
      await work(await until(() => /ready at (http:\S+)/.exec(shown)?.[1]));
    } finally {
      child.kill('SIGTERM');
    }
    assert.deepEqual(await ended, [0, null]);
    return shown;
  }

  it('starts, keeps its data in the folder of the user, and ends with a signal', async () => {
    for (const isFirst of [true, false]) {
      const shown = await serving(async (address) => {
        const page = await fetch(address, { headers: { accept: 'text/html' } });
        assert.match(await page.text(), /<div id="root">/);
        const reference = await fetch(`${address}/docs/js/scalar.js`);
        assert.match(await reference.text(), /createApiReference/);
        assert.ok(fs.existsSync(join(home, 'user/.local/share/quarry/quarry.db')));
      });
      assert.equal(/sample collection quarry-docs holds \d\d+ documents/.test(shown), isFirst);
    }
    assert.deepEqual(fs.readdirSync(app).toSorted(), [
      'node_modules',
      'package-lock.json',
      'package.json',
    ]);
  });

  it('reads documents in its limited process, searches them, and sets up an assistant', async () => {
    const folder = join(home, 'papers');
    fs.mkdirSync(folder);
    fs.writeFileSync(join(folder, 'heron.pdf'), pdfFile([['The heron waits at the weir.']]));
    const body = '<w:p><w:r><w:t>The kingfisher dives at noon.</w:t></w:r></w:p>';
    fs.writeFileSync(join(folder, 'kingfisher.docx'), docxFile(body));
    fs.writeFileSync(join(folder, 'owl.html'), '<h1>Owl</h1><p>The owl sleeps in the barn.</p>');
    await serving(async () => {
      await command(process.execPath, 'add', folder);
      for (const bird of ['heron', 'kingfisher', 'owl']) {
        const { stdout } = await command(process.execPath, 'search', bird, '--json');
        const [first] = JSON.parse(stdout).results;
        assert.match(JSON.stringify(first), new RegExp(`"${bird}\\.`), stdout);
      }
      const docs = JSON.parse(
        (await command(process.execPath, 'search', 'invitation', '--json')).stdout,
      );
      for (const { collection } of docs.results) assert.equal(collection.readable_id, 'everything');
      const long = command(process.execPath, 'search', 'heron '.repeat(3000));
      await assert.rejects(long, { stderr: /2,?048 tokens/ });
      const file = join(home, 'cursor.json');
      const args = ['mcp', 'install', 'cursor', '--file', file, '--yes'];
      assert.match((await command(process.execPath, ...args)).stdout, /^it answers: version /m);
      await command(process.execPath, 'mcp', 'uninstall', 'cursor', '--file', file, '--yes');
      assert.ok(!fs.existsSync(file));
    });
  });

  it('runs functions of transformers in their limited process', async () => {
    const folder = join(home, 'functions');
    fs.mkdirSync(folder);
    fs.writeFileSync(
      join(folder, 'loud.js'),
      'export const loud = async (all, _) => all.map((one) => ({ ...one, text: one.text.toUpperCase() }));',
    );
    const entity = join(folder, 'entity.json');
    fs.writeFileSync(entity, '[{"entity_id":"1","name":"A note","text":"quiet"}]');
    const { stdout } = await run(
      process.execPath,
      [
        join(app, 'node_modules/.bin/quarry'),
        ...['transformers', 'test', 'loud.js', '--method', 'loud', '--entity', entity],
      ],
      { cwd: app, env: { ...environment(), QUARRY_TRANSFORMERS_DIR: folder } },
    );
    assert.match(stdout, /^ {2}\+ QUIET$/m);
  });

  it('sends traces, for which it loads a part of its own', async () => {
    const collector = await openCollector();
    try {
      await serving(
        async () => {
          await command(process.execPath, 'search', 'heron', '--json');
          await collector.span('search');
        },
        { OTEL_EXPORTER_OTLP_ENDPOINT: collector.address },
      );
      assert.deepEqual([...new Set(collector.spans.map(({ service }) => service))], ['quarry']);
    } finally {
      await collector.close();
    }
  });

  it('has everything that its late parts load', async () => {
    const parts = fs.globSync('dist/*-*.js', { cwd: installed });
    assert.ok(parts.length > 50);
    const script = `for (const part of process.argv.slice(1)) await import(part)`;
    const files = parts.map((part) => join(installed, part));
    await run(process.execPath, ['--input-type=module', '-e', script, ...files], { cwd: app });
  });

  it('is embedded in a program, with its types and threads', async () => {
    const program = join(app, 'program.ts');
    fs.writeFileSync(
      program,
      `import { bodyOf, openQuarry, QuarryError } from 'quarry';

      for (const threads of [false, true]) {
        await using quarry = await openQuarry({ dataDir: 'embedded', threads, log: console, logLevel: 'warn' });
        const { readable_id } = await quarry.collections.ensure({ name: 'My notes', readable_id: 'my-notes' });
        const job = await quarry.push(readable_id, {
          entities: [{ entity_id: 'heron', name: 'Heron', text: 'The heron waits at the weir.' }],
        });
        const { results } = await quarry.search(readable_id, { query: 'Which bird waits?' });
        const names: string[] = results.map(({ metadata }) => metadata.name);
        let answer = '';
        for await (const event of quarry.ask(readable_id, { query: 'Which bird waits at the weir?' }))
          if (event.type === 'done') answer = event.answer.text;
        const { version } = await bodyOf(quarry.client.GET('/v1/system'));
        // @ts-expect-error: a collection needs a name.
        const refused: unknown = await quarry.collections.create({}).catch((error: unknown) => error);
        console.log(job.status, names, answer, version, refused instanceof QuarryError && refused.code);
      }`,
    );
    fs.writeFileSync(join(app, 'package.json'), '{"private":true,"type":"module"}');
    const compilerOptions = {
      ...{ module: 'nodenext', target: 'es2022', strict: true, noEmit: true, skipLibCheck: false },
      ...{ types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] },
    };
    const settings = { compilerOptions, files: [program] };
    fs.writeFileSync(join(app, 'tsconfig.json'), JSON.stringify(settings));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    await run(process.execPath, [tsc, '-p', app]).catch(({ stdout }) => assert.fail(stdout));
    const { stdout, stderr } = await run(process.execPath, [program], {
      cwd: app,
      env: environment(),
    });
    const { version } = JSON.parse(fs.readFileSync(join(installed, 'package.json'), 'utf8'));
    const said = `COMPLETED [ 'Heron' ] The heron waits at the weir. [heron__chunk_0] ${version} invalid\n`;
    assert.deepEqual([stdout, stderr], [said.repeat(2), '']);
    const older = await olderNode();
    if (older === undefined) return;
    const script = "import('quarry').then((all) => all.openQuarry()).catch(console.log)";
    assert.match(
      (await run(older, ['-e', script], { cwd: app })).stdout,
      /^Error: Quarry needs Node\.js 24\.20 or newer, and this is 2\d\./,
    );
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
