/**
 * Builds the image from deploy/Dockerfile by buildah, and runs its root file system read-only as its user: the service, its
 * limited processes, and commands.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pdfFile } from '../documents/pdf-file.ts';
import { makeBaseImages } from '../image/base-images.ts';
import { configOfImage, type ImageConfig, openBuildah, whyNoImages } from '../image/buildah.ts';
import { firstProcessOf, runImage } from '../image/run-image.ts';
import { until } from '../until.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
const NOBODY = 65534;
const KEY = `quarry_${'i'.repeat(43)}`;
const missing = whyNoImages();

describe('the image of deploy/Dockerfile', { skip: missing ?? false }, () => {
  // Overlays need a file system that a temporary one in memory may not be.
  const folder = fs.mkdtempSync('/var/tmp/quarry-image-');
  const buildah = openBuildah(folder);
  const data = join(folder, 'data');
  let root: string;
  let container: string;
  let config: ImageConfig;
  before(async () => {
    const context = join(folder, 'context');
    fs.cpSync(join(ROOT, 'deploy'), context, { recursive: true });
    fs.writeFileSync(join(context, 'not-for-the-image'), 'x');
    await run(process.execPath, ['-C', 'quarry', 'scripts/pack.ts', context], { cwd: ROOT });
    const [node = '', debian = ''] = [
      ...fs.readFileSync(join(context, 'Dockerfile'), 'utf8').matchAll(/^FROM (\S+)/gm),
    ].map(([, name]) => name ?? '');
    makeBaseImages(buildah, folder, { debian, node });
    buildah('build', '--isolation', 'chroot', '--pull-never', '--tag', 'quarry', context);
    config = configOfImage(buildah, 'quarry');
    container = buildah('from', '--pull-never', 'quarry').trim();
    root = buildah('mount', container).trim();
    fs.mkdirSync(data);
    fs.chownSync(data, NOBODY, NOBODY);
  });
  after(() => {
    if (container) {
      buildah('umount', container);
      buildah('rm', container);
    }
    fs.rmSync(folder, { recursive: true, force: true });
  });

  const start = (args: readonly string[], env: Record<string, string> = {}): ChildProcess =>
    runImage({ root, data, config, args, env });
  const started = (...args: string[]) =>
    start([...config.Entrypoint, ...args], {
      QUARRY_PORT: '0',
      QUARRY_HOST: '127.0.0.1',
      QUARRY_SAMPLE: 'false',
      QUARRY_API_KEY: KEY,
    });
  async function output(child: ChildProcess): Promise<{ code: number; stdout: string }> {
    const [[code], stdout, stderr] = await Promise.all([
      once(child, 'exit'),
      text(child.stdout ?? assert.fail()),
      text(child.stderr ?? assert.fail()),
    ]);
    return { code, stdout: stdout + stderr };
  }

  it('belongs to root, holds Node and the package, and runs as nobody', () => {
    assert.equal(config.User, `${NOBODY}:${NOBODY}`);
    assert.deepEqual(config.Cmd, ['start']);
    assert.deepEqual(Object.keys(config.Volumes), ['/data']);
    assert.deepEqual(fs.readdirSync(join(root, 'usr/local/bin')).toSorted(), ['node', 'quarry']);
    assert.deepEqual(fs.readdirSync(join(root, 'opt')), ['quarry']);
    assert.deepEqual(fs.readdirSync(join(root, 'tmp')), []);
    const all = fs.readdirSync(join(root, 'opt/quarry'), { recursive: true, encoding: 'utf8' });
    assert.ok(all.length > 500);
    for (const path of ['', ...all]) {
      const { uid, mode } = fs.lstatSync(join(root, 'opt/quarry', path));
      assert.equal(uid, 0, path);
      assert.equal(mode & 0o022, 0, `others may write ${path}`);
      assert.equal(mode & 0o004, 0o004, `others may not read ${path}`);
    }
    // The entry point sets what the command would set by a second process.
    const command = fs.readFileSync(join(ROOT, 'packages/server/bin/quarry.mjs'), 'utf8');
    const flags = /FLAGS_OF_SERVICE = \[(.*?)\]/s.exec(command)?.[1]?.match(/--[^']+/g);
    assert.deepEqual(
      config.Entrypoint.filter((word) => word.startsWith('--')),
      flags,
    );
  });

  it('can write to its data and to /tmp alone', async () => {
    const script = `
      for (const path of ['/opt/quarry/x', '/etc/x', '/usr/local/bin/x', '/x', '/dev/x', '/data/x', '/tmp/x'])
        try {
          require('fs').writeFileSync(path, '');
          console.log(path, 'written');
        } catch ({ code }) {
          console.log(path, code);
        }
      require('fs').rmSync('/data/x');`;
    const [node = ''] = config.Entrypoint;
    const { code, stdout } = await output(start([node, '--eval', script]));
    assert.equal(code, 0, stdout);
    assert.deepEqual(stdout.trim().split('\n'), [
      '/opt/quarry/x EROFS',
      '/etc/x EROFS',
      '/usr/local/bin/x EROFS',
      '/x EROFS',
      '/dev/x EROFS',
      '/data/x written',
      '/tmp/x written',
    ]);
  });

  it('brings a database up to date by its command, and says what is wrong in its exit code', async () => {
    const first = await output(started('migrate'));
    assert.equal(first.code, 0, first.stdout);
    assert.match(first.stdout, /^The database is up to date\. Migrations that have run: \d\d+\.$/m);
    assert.equal(
      (await output(started('migrate', '--check'))).stdout,
      'The database is up to date.\n',
    );
    assert.equal((await output(started('strat'))).code, 1);
    const byName = await output(start(['sh', '-c', 'quarry migrate --check']));
    assert.equal(
      byName.stdout,
      'The database is up to date.\n',
      'the command is found by its name',
    );
  });

  it('serves as nobody without any right: a record is pushed and found, and a document is read', async () => {
    const child = started(...config.Cmd);
    let shown = '';
    child.stdout?.on('data', (data) => {
      shown += data;
    });
    child.stderr?.on('data', (data) => {
      shown += data;
    });
    const ended = once(child, 'exit');
    try {
      const address = await until(() => {
        assert.equal(child.exitCode, null, shown);
        return /ready at (http:\S+)/.exec(shown)?.[1];
      });
      const status = fs.readFileSync(`/proc/${firstProcessOf(child)}/status`, 'utf8');
      assert.match(status, /^Name:\t(node|MainThread)$/m);
      assert.match(status, new RegExp(`^Uid:(\\t${NOBODY}){4}$`, 'm'));
      assert.match(status, new RegExp(`^Gid:(\\t${NOBODY}){4}$`, 'm'));
      assert.match(status, /^CapEff:\t0+$/m);
      assert.match(status, /^NoNewPrivs:\t1$/m);
      await useService(address);
    } finally {
      process.kill(firstProcessOf(child), 'SIGTERM');
    }
    assert.deepEqual(await ended, [0, null], shown);
  });

  async function useService(address: string): Promise<void> {
    const call = async (path: string, body?: object | FormData) => {
      const isForm = body instanceof FormData;
      const response = await fetch(`${address}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: {
          authorization: `Bearer ${KEY}`,
          ...(body && !isForm && { 'content-type': 'application/json' }),
        },
        ...(body && { body: isForm ? body : JSON.stringify(body) }),
      });
      // The caller knows what it has asked for, and its assertions check the fields.
      const answer: any = await response.json();
      assert.ok(response.ok, JSON.stringify(answer));
      return answer;
    };
    assert.deepEqual(await call('/health/ready'), { status: 'ok', problems: [] });
    await call('/v1/collections', { name: 'Birds', readable_id: 'birds' });
    const { id } = await call('/v1/source-connections', {
      ...{ name: 'Pushes', short_name: 'push', readable_collection_id: 'birds' },
    });
    await call(`/v1/source-connections/${id}/entities?wait=true`, {
      entities: [{ entity_id: 'k', name: 'Note', text: 'The kingfisher dives at noon.' }],
    });
    const form = new FormData();
    form.set('entity', JSON.stringify({ entity_id: 'heron.pdf', name: 'heron.pdf' }));
    const pdf = new Blob([pdfFile([['The heron waits at the weir.']])], {
      type: 'application/pdf',
    });
    form.set('file', pdf, 'heron.pdf');
    await call(`/v1/source-connections/${id}/entities?wait=true`, form);
    for (const bird of ['kingfisher', 'heron']) {
      const { results } = await call('/v1/collections/birds/search', {
        query: `What does the ${bird} do?`,
      });
      assert.match(results[0].md_content, new RegExp(`The ${bird} `));
    }
  }
});
