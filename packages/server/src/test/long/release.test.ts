/** Tries a release up to the point of publishing, and asks what is in it. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
const SCRIPT = ['-C', 'quarry', 'scripts/release.ts'];
const run = promisify(execFile);

describe('a release', () => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'quarry-release-'));
  const made = join(folder, 'made');
  let shown: { readonly stdout: string; readonly stderr: string };
  before(async () => {
    shown = await run(process.execPath, [...SCRIPT, made], { cwd: ROOT });
  });
  after(() => fs.rmSync(folder, { recursive: true }));

  it('is made, described by npm, and not published', () => {
    assert.match(shown.stderr, /Publishing to \S+ .*\(dry-run\)/);
    assert.match(shown.stdout, /^Nothing was published: /m);
    const files = fs.readdirSync(made).toSorted();
    const { version } = JSON.parse(fs.readFileSync(join(ROOT, 'package.json'), 'utf8'));
    assert.deepEqual(files, [
      'SHA256SUMS',
      `quarry-${version}.tgz`,
      `quarry-chart-${version}.tgz`,
      'sbom.cdx.json',
    ]);
    const sums = execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {
      cwd: made,
      encoding: 'utf8',
    });
    assert.equal(sums.match(/: OK$/gm)?.length, 3);
  });

  it('lists every package that is inside, with its checksum and license', () => {
    const [archive = ''] = fs.globSync('quarry-[0-9]*.tgz', { cwd: made });
    const partOf = (path: string) =>
      execFileSync('tar', ['-xzOf', join(made, archive), `package/${path}`], { encoding: 'utf8' });
    const sbom = JSON.parse(fs.readFileSync(join(made, 'sbom.cdx.json'), 'utf8'));
    assert.deepEqual(JSON.parse(partOf('sbom.cdx.json')), sbom);
    assert.equal(sbom.bomFormat, 'CycloneDX');
    assert.equal(sbom.metadata.component.name, 'quarry');
    const listed = new Set<string>();
    for (const one of sbom.components) {
      listed.add(`${one.name} ${one.version}`);
      assert.match(one.hashes[0].content, /^[\da-f]{128}$/, one.name);
      assert.ok(one.licenses.length > 0, one.name);
      assert.match(one.purl, /^pkg:npm\//);
    }
    const notices = ['THIRD-PARTY-NOTICES', 'ui/THIRD-PARTY-NOTICES'].flatMap((path) => {
      const parts = partOf(path)
        .split(/^-{80}$/m)
        .slice(1);
      return parts.map((part) => part.trim().split(' (')[0] ?? '');
    });
    assert.ok(notices.length > 200);
    assert.deepEqual([...listed].toSorted(), [...new Set(notices)].toSorted());
  });

  it('is refused with --publish while something is missing, before anything is made', async () => {
    const other = join(folder, 'other');
    // The repository of the project has a tag only when a version is released, so a copy without one stands in.
    const env = { ...process.env, GIT_DIR: join(folder, 'git'), GIT_WORK_TREE: ROOT };
    execFileSync('git', ['init', '--quiet'], { cwd: ROOT, env });
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
        ...{ cwd: ROOT, env },
      });
    git('commit', '--quiet', '--allow-empty', '--message', 'empty');
    const publish = run(process.execPath, [...SCRIPT, other, '--publish'], { cwd: ROOT, env });
    await assert.rejects(publish, { code: 1, stdout: /^Not yet: the commit has no tag v/m });
    assert.deepEqual(fs.readdirSync(other), []);
  });
});
